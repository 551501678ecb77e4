"""The Agent contract, and the trajectory that an episode leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, Self

from gitgoodbench.errors import Status
from gitgoodbench.models.meter import Budget, Usage
from gitgoodbench.scenario import Episode, Message


@dataclass(frozen=True)
class Trajectory:
    """Everything said and done in an episode.

    status: completed, gave_up, limit_reached, agent_failed or infrastructure_failed. error: why it is not completed.
    messages: the whole conversation, tool results included, in Chat Completions form. turns: answers of the model.
    notes: what was not done as asked: a parameter left out because the server refuses it, a limit nobody could watch.
    """

    status: Status
    messages: tuple[Message, ...] = ()
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    error: str | None = None
    notes: tuple[str, ...] = ()


class Agent(Protocol):
    """Works on an episode until it is finished, gives up or hits a limit. Used by several threads at once."""

    name: str
    model: str | None

    def for_scenario(self, scenario: str) -> Self:
        """The agent for episodes of one scenario (a model is the same for all; a reference agent plays another policy).

        Raises:
            UserError: this agent has nothing for that scenario.
        """
        ...

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        """Never raises for what the model or its server did: the trajectory's status says it.

        Raises:
            RunAborted: no episode can succeed (rejected key, exhausted quota, unknown model).
            SandboxDied: the sandbox is gone.
        """
        ...
