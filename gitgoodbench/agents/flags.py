"""What the user calls the settings of a model: the same code asks models as agents and as judges."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelFlags:
    """For error messages. keys: environment variables that may hold the API key, the first one that is set counts.

    without: how to do without this model.
    """

    model: str = "--model"
    base_url: str = "--base-url"
    keys: tuple[str, ...] = ("OPENAI_API_KEY",)
    without: str = "try an agent that needs no key (--agent noop)"

    @property
    def key(self) -> str:
        """The variables as messages name them."""
        return " or ".join(self.keys)


AGENT_FLAGS = ModelFlags()
