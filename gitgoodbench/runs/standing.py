"""What a run remembers of its results while it goes on: its memory does not grow with what they hold."""

from __future__ import annotations

from dataclasses import dataclass

from gitgoodbench.errors import Status
from gitgoodbench.runs.result import ErrorRecord, Result


@dataclass(frozen=True, slots=True)
class Standing:
    """How one episode stands; the rest is in its result.json. See `Result` for the fields."""

    run_id: str | None
    key: tuple[str, str, int]
    status: Status
    solved: bool | None
    error: ErrorRecord | None
    awaits_judge: bool

    @classmethod
    def of(cls, result: Result) -> Standing:
        return cls(result.run_id, result.key, result.status, result.solved, result.error, result.awaits_judge)

    @property
    def is_unfinished(self) -> bool:
        """Whether a resumed run has work here: the episode again, or only its judging."""
        return not self.status.is_final or self.awaits_judge
