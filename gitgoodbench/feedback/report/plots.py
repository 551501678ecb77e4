"""Figures as shapes: places in percent of a plot's width and height, so that a page can draw them at any size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.feedback.report.groups import Group, value_of
from gitgoodbench.feedback.report.rows import EditRow
from gitgoodbench.feedback.report.statistics import Mean, mean_of

BINS: Final = 10
_MOST_POINTS: Final = 1_500
_MOST_WEEKS: Final = 52
_EDGE: Final = 1.5
"""Percent of the width that dots at either end need."""


@dataclass(frozen=True)
class Dot:
    """A mean and its interval on a line from 0 to 1, in percent of its width."""

    at: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Bar:
    """How many edits have a reward in one tenth. height: in percent of the plot's. label: of the tenth."""

    at: float
    width: float
    height: float
    count: int
    label: str


@dataclass(frozen=True)
class Point:
    """An edit: its size to the right (by its logarithm), its reward upwards, from the top in percent."""

    x: float
    y: float


@dataclass(frozen=True)
class Scatter:
    """Points, and the sizes at the marks of the lower axis with their places."""

    points: tuple[Point, ...]
    ticks: tuple[tuple[float, int], ...]
    left_out: int


@dataclass(frozen=True)
class Week:
    """The mean of one week. at: in percent from the left; y, low, high: from the top."""

    name: str
    mean: Mean
    at: float
    y: float
    low: float | None
    high: float | None


def dot_of(mean: Mean) -> Dot | None:
    """A mean on a line; None where there is none."""
    if mean.value is None:
        return None
    low, high = (None if end is None else _along(end) for end in (mean.low, mean.high))
    return Dot(_along(mean.value), low, high)


def bars_of(values: Sequence[float]) -> list[Bar]:
    """How often each tenth occurs; 1 is in the last."""
    counts = [0] * BINS
    for value in values:
        counts[min(int(value * BINS), BINS - 1)] += 1
    highest, width = max(counts, default=0) or 1, 100 / BINS
    return [
        Bar(
            _round(at * width + 0.5), _round(width - 1), _round(88 * count / highest), count,
            f"{at / BINS:.1f} to {(at + 1) / BINS:.1f}",
        )
        for at, count in enumerate(counts)
    ]  # fmt: skip


def scatter_of(rows: Iterable[EditRow]) -> Scatter | None:
    """Rewards by sizes in nodes; None where no edit has both. Of many edits, some at equal distances are drawn."""
    known = [(row.size, row.reward) for row in rows if row.counts and row.size and row.measure == "tree"]
    if not known:
        return None
    chosen = known[:: math.ceil(len(known) / _MOST_POINTS)]
    low = math.floor(math.log10(min(size for size, _ in known)))
    high = max(low + 1, math.ceil(math.log10(max(size for size, _ in known))))
    points = tuple(
        Point(_round(2 + 96 * (math.log10(size) - low) / (high - low)), _round(96 - 92 * (reward or 0.0)))
        for size, reward in chosen
    )
    ticks = tuple((_round(2 + 96 * (power - low) / (high - low)), int(10**power)) for power in range(low, high + 1))
    return Scatter(points, ticks, len(known) - len(chosen))


def weeks_of(rows: Iterable[EditRow]) -> list[Week]:
    """Mean rewards by week, of what people committed: the last year of them."""
    by_week: dict[str, list[tuple[str, float]]] = {}
    for row in rows:
        if row.counts and row.commit is not None and row.reward is not None and row.week is not None:
            by_week.setdefault(value_of(row, "week"), []).append((row.commit, row.reward))
    names = sorted(by_week)[-_MOST_WEEKS:]
    found = []
    for at, name in enumerate(names):
        mean = mean_of(by_week[name])
        low, high = (None if end is None else _up(end) for end in (mean.low, mean.high))
        found.append(Week(name, mean, _round(100 * (at + 0.5) / len(names)), _up(mean.value or 0.0), low, high))
    return found


def dots_of(groups: Iterable[Group]) -> list[tuple[Group, Dot | None, Dot | None]]:
    """Each group with its reward and what is kept, as dots."""
    return [(group, dot_of(group.reward), dot_of(group.kept)) for group in groups]


def _along(value: float) -> float:
    return _round(_EDGE + (100 - 2 * _EDGE) * value)


def _up(value: float) -> float:
    return _round(96 - 92 * value)


def _round(value: float) -> float:
    return round(value, 2)
