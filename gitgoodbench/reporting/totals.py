"""How far a run is: counts by status, and the time that is left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from gitgoodbench.errors import Status
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.standing import Standing


class Totals:
    """Counts so far, earlier sessions included. solved: None while no episode is known to be solved or not."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._before = 0
        self.planned = 0
        self.done = 0
        self.solved: int | None = None
        self.statuses: Counter[Status] = Counter()

    def begin(self, planned: int, kept: int) -> None:
        """This session begins, with as many episodes kept from before, which were added."""
        self._began = self._clock()
        self.planned, self._before = planned, kept

    def add(self, result: Result | Standing) -> None:
        self.done += 1
        if result.solved is not None:
            self.solved = (self.solved or 0) + result.solved
        self.statuses[result.status] += 1

    def remove(self, result: Result | Standing) -> None:
        """Of an episode that is tried again."""
        self.done -= 1
        self.statuses[result.status] -= 1

    def seconds(self) -> float:
        """Of this session."""
        return self._clock() - self._began

    def seconds_left(self) -> float | None:
        """As much for each episode as this session took; None while it has finished none."""
        done = self.done - self._before
        if self.done >= self.planned:
            return 0.0
        return self.seconds() / done * (self.planned - self.done) if done > 0 else None

    def text(self) -> str:
        """`2 solved, 3 completed, 1 setup_failed`."""
        counts = [] if self.solved is None else [f"{self.solved} solved"]
        counts += [f"{count} {status}" for status, count in sorted(self.statuses.items()) if count]
        return ", ".join(counts)


def clock_time(seconds: float) -> str:
    """`0:03:12`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
