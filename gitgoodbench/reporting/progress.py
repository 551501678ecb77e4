"""Watching a run: a live bar on a terminal, one plain line for each finished episode elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from gitgoodbench.errors import Status
from gitgoodbench.reporting.money import in_dollars
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.runs.execute import Observer
from gitgoodbench.runs.ledger import Spent
from gitgoodbench.runs.result import Result

_ESTIMATE_OVER_S = 3600.0
"""The time left is estimated from the episodes of the last hour: one of them may take many minutes."""


class _Totals:
    """Counts and cost so far, earlier sessions included. solved: None while no episode is known to be solved or not."""

    def __init__(self) -> None:
        self.planned = 0
        self.done = 0
        self.solved: int | None = None
        self.statuses: Counter[Status] = Counter()
        self.spent = Spent()

    def add(self, result: Result) -> None:
        self.done += 1
        if result.solved is not None:
            self.solved = (self.solved or 0) + result.solved
        self.statuses[result.status] += 1

    def remove(self, result: Result) -> None:
        """Of an episode that is tried again."""
        self.done -= 1
        self.statuses[result.status] -= 1

    def text(self) -> str:
        counts = [] if self.solved is None else [f"{self.solved} solved"]
        counts += [f"{count} {status}" for status, count in sorted(self.statuses.items()) if count]
        return ", ".join([*counts, *self.money()])

    def money(self) -> list[str]:
        """What was spent, if anything."""
        return [in_dollars(self.spent)] if self.spent.cost_usd else []


class PlainProgress:
    """One line for every finished episode."""

    def __init__(self, console: Console, label: str) -> None:
        self._console = console
        self._label = label
        self._totals = _Totals()

    def begin(self, planned: int, kept: Sequence[Result]) -> None:
        self._totals.planned = planned
        for result in kept:
            self._totals.add(result)
        self.note(f"{self._label}: {planned} episodes" + (f", {len(kept)} of them finished before" if kept else ""))

    def paid(self, spent: Spent) -> None:
        self._totals.spent = spent

    def finished(self, result: Result) -> None:
        totals = self._totals
        totals.add(result)
        verdict = _verdict(result)
        seconds = "" if result.timings.total_s is None else f" {result.timings.total_s:.1f} s"
        money = "".join(f" {spent}" for spent in totals.money())
        reason = f": {result.error.message[:120]}" if result.error and not result.status.is_success else ""
        episode = "/".join(map(str, result.key))
        self.note(f"[{totals.done}/{totals.planned}] {episode} {result.status}{verdict}{seconds}{money}{reason}")

    def again(self, failed: Sequence[Result]) -> None:
        for result in failed:
            self._totals.remove(result)
        self.note(again_note(failed))

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


class LiveProgress:
    """A bar with counts by status, cost and time left."""

    def __init__(self, progress: Progress, label: str) -> None:
        self._progress = progress
        self._label = label
        self._totals = _Totals()
        self._task = progress.add_task(label, total=None, counts="")

    def begin(self, planned: int, kept: Sequence[Result]) -> None:
        for result in kept:
            self._totals.add(result)
        self._progress.reset(self._task, total=planned, completed=len(kept), counts=self._totals.text())

    def paid(self, spent: Spent) -> None:
        self._totals.spent = spent

    def finished(self, result: Result) -> None:
        self._totals.add(result)
        self._progress.update(self._task, advance=1, counts=self._totals.text())

    def again(self, failed: Sequence[Result]) -> None:
        for result in failed:
            self._totals.remove(result)
        self._progress.update(self._task, advance=-len(failed), counts=self._totals.text())
        self.note(again_note(failed))

    def note(self, text: str) -> None:
        self._progress.console.print(text, markup=False, soft_wrap=True)


def again_note(failed: Sequence[Result]) -> str:
    """What is said when episodes that failed are tried again."""
    error = failed[0].error
    return f"trying again what failed ({len(failed)}): {error.message[:120] if error else failed[0].status}"


def _verdict(result: Result) -> str:
    """Solved or not; where that is not known, whether the gates are met."""
    if result.solved is not None:
        return " solved" if result.solved else " not solved"
    missed = [name.replace("_", " ") for name, met in result.gates.items() if not met]
    if missed:
        return f" (gates missed: {', '.join(missed)})"
    return " (gates met)" if result.gates else ""


@contextmanager
def watching(console: Console, label: str, repositories: RepositoryProgress) -> Iterator[Observer]:
    """The observer that fits the console; on a terminal `repositories` are drawn below its bar."""
    if not console.is_terminal:
        yield PlainProgress(console, label)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[counts]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    progress = Progress(*columns, console=console, speed_estimate_period=_ESTIMATE_OVER_S)
    with repositories.shown(progress):
        yield LiveProgress(progress, label)
