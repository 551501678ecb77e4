"""The errors of the harness, and the status each one leads to.

Two families: a `UserError` ends the program with exit code 2 and one clear line; an `EpisodeError` ends a single
episode with the status it carries, and the run goes on.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """How an episode ended. Only the first four say anything about the agent."""

    COMPLETED = "completed"
    GAVE_UP = "gave_up"
    LIMIT_REACHED = "limit_reached"
    AGENT_FAILED = "agent_failed"
    SETUP_FAILED = "setup_failed"
    INFRASTRUCTURE_FAILED = "infrastructure_failed"
    UNSCORED = "unscored"

    @property
    def is_answer(self) -> bool:
        """Whether the outcome is the agent's doing, so that it counts in a solve rate."""
        return self in _ANSWERS

    @property
    def is_success(self) -> bool:
        """Whether the episode ended without a system error (the published success rate)."""
        return self in (Status.COMPLETED, Status.GAVE_UP)

    @property
    def is_final(self) -> bool:
        """Whether a resumed run keeps the result instead of running the episode again."""
        return self is not Status.INFRASTRUCTURE_FAILED


_ANSWERS = frozenset({Status.COMPLETED, Status.GAVE_UP, Status.LIMIT_REACHED, Status.AGENT_FAILED})


class GitGoodBenchError(Exception):
    """Base of every error that the harness raises on purpose."""


class UserError(GitGoodBenchError):
    """A mistake that the user can correct: the message names the thing, the cause and the next step."""


class RunAborted(GitGoodBenchError):
    """The whole run cannot go on (a rejected key, an exhausted quota): one line says why."""


class CostLimitReached(RunAborted):
    """The money that the run may spend is spent. Nothing is wrong: the run ends, and a higher limit carries it on."""


class ToolError(GitGoodBenchError):
    """A tool call that cannot be carried out. The message goes back to the model."""


class EpisodeError(GitGoodBenchError):
    """Ends one episode; `status` says whose fault it was."""

    status: Status = Status.INFRASTRUCTURE_FAILED


class SetupFailed(EpisodeError):
    """The sample cannot be set up: a vanished repository or commit, a row that is wrong."""

    status = Status.SETUP_FAILED


class InfrastructureFailed(EpisodeError):
    """Docker, the disk, the network or the model's server failed, not the agent."""

    status = Status.INFRASTRUCTURE_FAILED


class Unscorable(EpisodeError):
    """Scoring exceeds a limit, and that is not known to be the agent's fault. The outcome stays, to be scored again."""

    status = Status.UNSCORED


class AgentFailed(EpisodeError):
    """The agent broke its own sandbox or left an outcome that cannot be read."""

    status = Status.AGENT_FAILED


class GaveUp(EpisodeError):
    """The agent stopped with work left, or its model refused it."""

    status = Status.GAVE_UP


class LimitReached(EpisodeError):
    """A budget of the episode (turns, tokens, cost, time, context) is used up."""

    status = Status.LIMIT_REACHED
