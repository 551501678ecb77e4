"""The figures of a comparison as text. Differences of rates and scores are in percentage points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitgoodbench.comparing.records import ComparedRun, Effort, Interval, Pair
from gitgoodbench.reporting.layout import UNKNOWN, percent, proportion
from gitgoodbench.scoring.statistics import Proportion

LEVEL = 0.05
_SMALLEST_P = 0.0001


def labels_for(runs: Sequence[ComparedRun]) -> Mapping[str, str]:
    """Name -> agent and model; with the name where that alone would be ambiguous."""
    plain = [run.label for run in runs]
    return {run.name: run.label if plain.count(run.label) == 1 else f"{run.label} {run.name}" for run in runs}


def points(value: float | None) -> str:
    """A difference in [-1, 1] as `+12.3`."""
    return UNKNOWN if value is None else f"{100 * value:+.1f}" if round(100 * value, 1) else "0.0"


def with_ends(value: float | None, interval: Interval | None) -> str:
    """`+12.3 [1.0, 23.6]`."""
    return points(value) + ("" if interval is None else f" {ends(interval)}")


def ends(interval: Interval | None) -> str:
    """`[1.0, 23.6]`, in percentage points."""
    return UNKNOWN if interval is None else f"[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"


def p_value(p: float | None) -> str:
    """Four digits, or a bound."""
    return UNKNOWN if p is None else f"< {_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.4f}"


def whole(count: int | None) -> str:
    """`1,234`."""
    return UNKNOWN if count is None else f"{count:,}"


def mean(pair: Pair, value: float | None) -> str:
    """Of a verdict with its count, of a graded score alone."""
    if value is None or pair.both is None:
        return percent(value)
    return proportion(Proportion(round(value * pair.n), pair.n))


def by_repository(pair: Pair) -> str:
    """The interval, and of how many repositories it is."""
    if pair.interval_by_repository is None:
        return UNKNOWN
    return f"{ends(pair.interval_by_repository)} ({pair.repositories})"


def amount(effort: Effort, value: float) -> str:
    """A value of a measure, with its unit."""
    if effort.measure == "cost_usd":
        return f"${value:,.4f}" if abs(value) < 1 else f"${value:,.2f}"
    return f"{value:,.0f}" if effort.measure == "tokens" else f"{value:,.2f}"


def amount_with_ends(effort: Effort) -> str:
    """The difference of an episode, and its interval."""
    low_high = effort.interval
    shown = amount(effort, effort.difference)
    return shown if low_high is None else f"{shown} [{amount(effort, low_high[0])}, {amount(effort, low_high[1])}]"


def ratio(effort: Effort) -> str:
    """`1.52 [1.10, 2.03]`."""
    if effort.ratio is None:
        return UNKNOWN
    low_high = effort.ratio_interval
    return f"{effort.ratio:.2f}" + ("" if low_high is None else f" [{low_high[0]:.2f}, {low_high[1]:.2f}]")
