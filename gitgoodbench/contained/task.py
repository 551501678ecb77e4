"""What the harness asks of a process that reads an outcome. It loads nothing of what reading takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import (
    AgentFailed,
    GaveUp,
    GitGoodBenchError,
    InfrastructureFailed,
    LimitReached,
    SetupFailed,
    Status,
    Unscorable,
)
from gitgoodbench.limits import Limits
from gitgoodbench.scenario import Outcome, Prediction

_EPISODE_ERRORS: Final = {
    kind.status: kind
    for kind in (SetupFailed, InfrastructureFailed, AgentFailed, GaveUp, LimitReached, Unscorable)
}  # fmt: skip


class Wanted(StrEnum):
    """What is done with an outcome."""

    SCORE = "score"
    HISTORIES = "histories"
    PREDICTED = "predicted"


@dataclass(frozen=True)
class Task:
    """scenario, scores: names, as `with_scores` takes them. outcome: None for the one that the real commits would be.

    prediction: what an outcome is to be made of, where that is wanted.

    folder: where temporary files go; whoever asks removes it.
    known: a file with what was read of the real commits before. record: write one like it (`truths`).
    """

    wanted: Wanted
    scenario: str
    scores: tuple[str, ...] | None
    sample: Sample
    outcome: Outcome | None
    limits: Limits
    folder: str
    prediction: Prediction | None = None
    known: str | None = None
    record: bool = False


def error_of(frame: Mapping[str, Any]) -> GitGoodBenchError:
    """The error that a frame tells of."""
    if "status" not in frame:
        return GitGoodBenchError(frame["error"])
    return _EPISODE_ERRORS[Status(frame["status"])](frame["error"])
