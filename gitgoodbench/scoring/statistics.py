"""Rates with their denominators and intervals, means with their standard errors. Pure arithmetic on plain numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution: two-sided 95 % intervals."""


@dataclass(frozen=True)
class Proportion:
    """`hits` of `total`. Without a total there is no rate: None, never 0."""

    hits: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.total:
            raise ValueError(f"a proportion of {self.hits} of {self.total} cannot be")

    @property
    def rate(self) -> float | None:
        """Share in [0, 1]."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson score interval at 95 % (E. B. Wilson, JASA 22, 1927), without continuity correction.

        Keeps inside [0, 1] and has a width even at 0 and at `total` hits, where the textbook interval has none.
        """
        if not self.total:
            return None
        n, p, z2 = self.total, self.hits / self.total, Z_95**2
        scale = 1 / (1 + z2 / n)
        centre = scale * (p + z2 / (2 * n))
        half = scale * Z_95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        low = 0.0 if self.hits == 0 else centre - half
        high = 1.0 if self.hits == self.total else centre + half
        return low, high


@dataclass(frozen=True)
class Mean:
    """Mean of `count` values (None of none) and its standard error, s / sqrt(count) (None of fewer than two)."""

    mean: float | None
    standard_error: float | None
    count: int


def mean_of(values: Sequence[float]) -> Mean:
    """Mean and standard error of independent repetitions (epochs), or of a score over samples."""
    if not values:
        return Mean(None, None, 0)
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    return Mean(statistics.fmean(values), error, len(values))


def median_of(values: Sequence[float]) -> float | None:
    """Median, or None of nothing."""
    return statistics.median(values) if values else None
