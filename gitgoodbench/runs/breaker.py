"""When a run ends since its surroundings are broken, and not its agent."""

from __future__ import annotations

import re
from typing import Final

from gitgoodbench.errors import Status
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.standing import Standing

_PARTICULAR: Final = re.compile(r"\S*[\d/]\S*")
"""Words that differ from episode to episode: ids, numbers, paths."""


def cause_of(result: Result | Standing) -> str | None:
    """What made an episode fail, the same for every episode of one cause; None where infrastructure did not fail."""
    if result.status is not Status.INFRASTRUCTURE_FAILED or result.error is None:
        return None
    return f"{result.error.kind}: {_PARTICULAR.sub('*', result.error.message)}"


class Breaker:
    """Counts failures of infrastructure in a row of one cause. most: so many end the run; None: they never do.

    What all episodes of one sample fail of may lie in the sample: only failures of two samples and more end the run.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._cause: str | None = None
        self._count = 0
        self._samples: set[str] = set()

    def enter(self, result: Result) -> str | None:
        """Count a result in the order in which they come, and say why the run ends, if it does."""
        cause = cause_of(result)
        if cause is None or cause != self._cause:
            self._count, self._samples = 0, set()
        self._cause = cause
        if cause is None or result.error is None:
            return None
        self._count += 1
        self._samples.add(result.sample_id)
        if self._most is None or self._count < self._most or (len(self._samples) == 1 < self._most):
            return None
        return f"{self._count} failures of infrastructure in a row, of one cause: {result.error.message}"

    def doubts(self, sample_id: str) -> bool:
        """Whether all failures that would end the run are of this sample: another one tells whether it lies there."""
        return self._most is not None and self._count >= self._most and self._samples == {sample_id}
