"""The agent that is a model, by any of the APIs and at any server that offers one."""

from __future__ import annotations

from typing import Any, Self

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.loop import converse
from gitgoodbench.errors import RunAborted
from gitgoodbench.models.chat import ChatModel
from gitgoodbench.models.finding import Finding
from gitgoodbench.models.meter import Budget
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.models.preflight import try_tools
from gitgoodbench.scenario import Episode

DEFAULT_MODEL = "gpt-4o"


class OpenAIAgent:
    """Lets a `ChatModel` work with the tools of episodes."""

    name = "openai"
    acts_by_tools = True

    def __init__(self, model: str = DEFAULT_MODEL, *, parameters: Parameters | None = None, **settings: Any) -> None:
        """
        Args:
            parameters: of requests; temperature 0 if none are given.
            settings: as for `ChatModel`.
        """
        self.model: str | None = model
        self._chat = ChatModel(model, parameters=parameters or Parameters(temperature=0.0), **settings)

    def for_scenario(self, scenario: str) -> Self:  # noqa: ARG002
        return self

    def preflight(self) -> Finding:
        """One small request that shows whether key, model and tools work.

        Raises:
            RunAborted: they do not.
        """
        return try_tools(self._chat)

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        if budget.max_cost_usd is not None and self._chat.price is None:
            raise RunAborted(
                f"a cost limit needs the price of {self.model!r}, which is not known: "
                "give --price-input and --price-output"
            )
        return converse(episode, self._chat, self._chat.meter(budget))
