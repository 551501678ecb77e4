"""Watching a run: a live display on a terminal; elsewhere a line for each finished episode, and one now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from rich.console import Console

from gitgoodbench.errors import Status
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.running import Screen, in_words, money, total_money
from gitgoodbench.reporting.totals import Totals, clock_time
from gitgoodbench.runs.activity import Watched
from gitgoodbench.runs.execute import Observer
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.standing import Standing

_SAY_EVERY_S = 30.0
_LOOK_EVERY_S = 1.0
_REASON_WIDTH = 120
NAMELESS: Final[Mapping[str, str]] = MappingProxyType({})
"""The names of runs where there is only one."""


class PlainProgress:
    """A line for every finished episode, and now and then one that says what is under way."""

    def __init__(
        self,
        console: Console,
        label: str,
        activity: Watched,
        names: Mapping[str, str] = NAMELESS,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._console = console
        self._label = label
        self._activity = activity
        self._names = names
        self._totals = Totals(clock)
        self._clock = clock
        self._now = now
        self._said = clock()

    def begin(self, planned: int, kept: Sequence[Standing]) -> None:
        for result in kept:
            self._totals.add(result)
        self._totals.begin(planned, len(kept))
        self._said = self._clock()
        self.note(f"{self._label}: {planned} episodes" + (f", {len(kept)} of them finished before" if kept else ""))

    def finished(self, result: Result) -> None:
        self._totals.add(result)
        self._activity.look()
        self.note(finished_line(self._totals, result, total_money(self._activity.spending), self._names))

    def again(self, failed: Sequence[Standing]) -> None:
        for result in failed:
            self._totals.remove(result)
        self.note(again_note(failed))

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def tick(self) -> None:
        """Say how far it is, if it is time to."""
        if self._clock() - self._said < _SAY_EVERY_S:
            return
        playing = self._activity.look()
        if not playing:
            return
        self._said = self._clock()
        totals, left = self._totals, self._totals.seconds_left()
        time_left = "" if left is None else f", {clock_time(left)} left"
        parts = [f"{clock_time(totals.seconds())}{time_left}", totals.text(), money(self._activity.spending)]
        so_far = "; ".join(filter(None, parts))
        self.note(f"[{totals.done}/{totals.planned}] {so_far}; running: {in_words(playing, self._now())}")


class LiveProgress:
    """Keeps the screen up to date; failures and notes scroll by above it."""

    def __init__(
        self,
        console: Console,
        totals: Totals,
        screen: Screen,
        activity: Watched,
        names: Mapping[str, str] = NAMELESS,
    ) -> None:
        self._console = console
        self._totals = totals
        self._screen = screen
        self._activity = activity
        self._names = names

    def begin(self, planned: int, kept: Sequence[Standing]) -> None:
        for result in kept:
            self._totals.add(result)
        self._totals.begin(planned, len(kept))

    def finished(self, result: Result) -> None:
        self._totals.add(result)
        self._screen.look()
        if result.status is not Status.COMPLETED:
            self.note(finished_line(self._totals, result, total_money(self._activity.spending), self._names))

    def again(self, failed: Sequence[Standing]) -> None:
        for result in failed:
            self._totals.remove(result)
        self.note(again_note(failed))

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


def finished_line(totals: Totals, result: Result, cost: str, names: Mapping[str, str] = NAMELESS) -> str:
    """`[3/5] mcr/s2/1 setup_failed 1.5 s $0.50: the repository is gone`. names: of runs, where there are several."""
    seconds = "" if result.timings.total_s is None else f" {result.timings.total_s:.1f} s"
    reason = (
        f": {result.error.message[:_REASON_WIDTH]}" if result.error and result.status is not Status.COMPLETED else ""
    )
    whose = names.get(result.run_id or "", "")
    episode = "/".join(map(str, result.key)) + (f" {whose}" if whose else "")
    spent = f" {cost}" if cost else ""
    return f"[{totals.done}/{totals.planned}] {episode} {result.status}{_verdict(result)}{seconds}{spent}{reason}"


def again_note(failed: Sequence[Standing]) -> str:
    """What is said when episodes that failed are tried again."""
    error = failed[0].error
    return f"trying again what failed ({len(failed)}): {error.message[:_REASON_WIDTH] if error else failed[0].status}"


def _verdict(result: Result) -> str:
    """Solved or not; where that is not known, whether the gates are met."""
    if result.solved is not None:
        return " solved" if result.solved else " not solved"
    missed = [name.replace("_", " ") for name, met in result.gates.items() if not met]
    if missed:
        return f" (gates missed: {', '.join(missed)})"
    return " (gates met)" if result.gates else ""


@contextmanager
def watching(
    console: Console,
    label: str,
    repositories: RepositoryProgress,
    activity: Watched,
    names: Mapping[str, str] = NAMELESS,
) -> Iterator[Observer]:
    """The observer that fits the console; on a terminal `repositories` are drawn below the episodes.

    names: what to call runs, by their ids, where several are played at once.
    """
    if not console.is_terminal:
        plain = PlainProgress(console, label, activity, names)
        with _now_and_then(plain.tick):
            yield plain
        return
    totals = Totals()
    screen = Screen(label, totals, activity)
    with repositories.shown(screen):
        yield LiveProgress(console, totals, screen, activity, names)
        screen.look()


@contextmanager
def _now_and_then(act: Callable[[], None]) -> Iterator[None]:
    over = threading.Event()

    def go_on() -> None:
        while not over.wait(_LOOK_EVERY_S):
            act()

    threading.Thread(target=go_on, name="progress", daemon=True).start()
    try:
        yield
    finally:
        over.set()
