"""When a run ends since its surroundings are broken, and not its agent."""

from __future__ import annotations

import re
from typing import Final

from gitgoodbench.errors import Status
from gitgoodbench.runs.result import Result

_PARTICULAR: Final = re.compile(r"\S*[\d/]\S*")
"""Words that differ from episode to episode: ids, numbers, paths."""


def cause_of(result: Result) -> str | None:
    """What made an episode fail, the same for every episode of one cause; None where infrastructure did not fail."""
    if result.status is not Status.INFRASTRUCTURE_FAILED or result.error is None:
        return None
    return f"{result.error.kind}: {_PARTICULAR.sub('*', result.error.message)}"


class Breaker:
    """Counts failures of infrastructure in a row of one cause. most: so many end the run; None: they never do."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._cause: str | None = None
        self._count = 0

    def enter(self, result: Result) -> str | None:
        """Count a result in the order in which they come, and say why the run ends, if it does."""
        cause = cause_of(result)
        self._count = 0 if cause is None else self._count + 1 if cause == self._cause else 1
        self._cause = cause
        if result.error is None or self._most is None or self._count < self._most:
            return None
        return f"{self._count} failures of infrastructure in a row, of one cause: {result.error.message}"
