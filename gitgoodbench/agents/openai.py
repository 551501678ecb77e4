"""The agent that is a model: OpenAI's, or any compatible server's (llama.cpp, vLLM, Ollama)."""

from __future__ import annotations

from typing import Any, Self

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.loop import converse
from gitgoodbench.errors import RunAborted
from gitgoodbench.models.chat import ChatModel
from gitgoodbench.models.meter import Budget
from gitgoodbench.scenario import Episode

DEFAULT_MODEL = "gpt-4o"


class OpenAIAgent:
    """Lets a `ChatModel` work with the tools of episodes."""

    name = "openai"

    def __init__(
        self, model: str = DEFAULT_MODEL, *, temperature: float | None = 0.0, seed: int | None = None, **settings: Any
    ) -> None:
        """
        Args:
            temperature, seed: None leaves the choice to the server.
            settings: as for `ChatModel`.
        """
        optional = {"temperature": temperature, "seed": seed}
        optional = {name: value for name, value in optional.items() if value is not None}
        self.model: str | None = model
        self._chat = ChatModel(model, optional=optional, **settings)

    def for_scenario(self, scenario: str) -> Self:  # noqa: ARG002
        return self

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        if budget.max_cost_usd is not None and self._chat.price is None:
            raise RunAborted(
                f"a cost limit needs the price of {self.model!r}, which is not known: "
                "give --price-input and --price-output"
            )
        return converse(episode, self._chat, self._chat.meter(budget))
