"""What an outcome is worth: the verdict of the harness, and a number for training."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.errors import Status
from gitgoodbench.runs.result import Result

MOST_UNSOLVED: Final = 0.9
"""The reward of an outcome that is not known to be solved stays below 1 by a tenth, however good its scores are."""


@dataclass(frozen=True)
class Scored:
    """The verdict on an outcome; what result.json of a run says under the same names.

    solved, solved_paper: None where a judge would have to say and none was asked, and where there is nothing to score.
    scores: None where a score cannot be known. reward: see `reward_of`. judge: what judges said. error: why the status
    is not `completed`. details: files, conflicts and commits beside the real ones (see `gitgoodbench.details`);
    they hold the answer.
    """

    status: Status
    solved: bool | None
    solved_paper: bool | None
    gates: Mapping[str, bool]
    scores: Mapping[str, float | None]
    facts: Mapping[str, Any]
    reward: float
    judge: Mapping[str, Any] | None = None
    error: str | None = None
    details: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, result: Result) -> Scored:
        """The verdict in a result."""
        return cls(
            status=result.status,
            solved=result.solved,
            solved_paper=result.solved_paper,
            gates=result.gates,
            scores=result.scores,
            facts=result.facts,
            reward=reward_of(result),
            judge=None if result.judge is None else result.judge.model_dump(mode="json"),
            error=None if result.error is None else result.error.message,
            details=None if result.details is None else result.details.model_dump(mode="json"),
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {**dataclasses.asdict(self), "status": self.status.value}


def reward_of(result: Result) -> float:
    """A number in [0, 1], always finite.

    1 where the sample is solved. Else 0 where a gate is not met, or nothing was scored. Else 0.9 times the mean of the
    scores, an unknown one as 0: an outcome too large to compare gains nothing by it. Gates are requirements, so doing
    nothing, or half of it, is worth nothing.
    """
    if result.solved:
        return 1.0
    if not result.scores or not result.gates or not all(result.gates.values()):
        return 0.0
    known = [score for score in result.scores.values() if score is not None and math.isfinite(score)]
    return MOST_UNSOLVED * min(1.0, max(0.0, math.fsum(known) / len(result.scores)))
