"""Who hears what a run does while it does it: its events, its requests to models, and its calls of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from gitgoodbench.models.recording import Exchange, ToolRun


class Witness(Protocol):
    """Hears everything once it has happened, from any thread. It must not raise, nor keep its caller waiting.

    episode: the id of an episode; empty for what belongs to none. role: who asks, the agent or a judge.
    """

    def hear(self, event: Mapping[str, Any]) -> None:
        """An event of run.log."""
        ...

    def exchanged(self, episode: str, role: str, exchange: Exchange) -> None:
        """A request to a model, and what came of it."""
        ...

    def called(self, episode: str, run: ToolRun) -> None:
        """A call of a tool."""
        ...
