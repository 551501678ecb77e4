"""The Agent contract, its budget, and the trajectory that an episode leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, Self

from gitgoodbench.errors import EpisodeError, Status
from gitgoodbench.scenario import Episode, Message


@dataclass(frozen=True)
class Budget:
    """Limits of one episode; None is no limit. Tokens are prompt and completion together, cost is in US dollars."""

    max_turns: int | None = 50
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    timeout_s: float | None = 1800.0


@dataclass(frozen=True)
class Usage:
    """What the model's server reported; None is unknown, never 0.

    requests: every HTTP request sent, failed ones included. The other numbers cover the answers that arrived.
    """

    requests: int = 0
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


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


class GaveUp(EpisodeError):
    """The agent stopped with work left."""

    status = Status.GAVE_UP


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
