"""Rates with their denominators and intervals, means with their standard errors. Pure arithmetic on plain numbers.

Several epochs of one sample are not independent: they form a cluster. `proportion_of` and `clustered_mean` take each
value with its cluster; with one value per cluster they are the plain estimates.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution: two-sided 95 % intervals."""


@dataclass(frozen=True)
class Proportion:
    """`hits` of `total`. Without a total there is no rate: None, never 0.

    effective: as many independent cases say as much as these do (effective sample size); None: all of them.
    """

    hits: int
    total: int
    effective: float | None = None

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

        Keeps inside [0, 1] and has a width even at 0 and at `total` hits, where the textbook interval has none. The
        effective sample size stands for `total` where there is one (C. Franco, R. Little, T. Louis and E. Slud, Journal
        of Survey Statistics and Methodology 7, 2019).
        """
        if not self.total:
            return None
        n = self.total if self.effective is None else self.effective
        p, z2 = self.hits / self.total, Z_95**2
        scale = 1 / (1 + z2 / n)
        centre = scale * (p + z2 / (2 * n))
        half = scale * Z_95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        low = 0.0 if self.hits == 0 else centre - half
        high = 1.0 if self.hits == self.total else centre + half
        return low, high


def proportion_of(cases: Iterable[tuple[Hashable, bool]]) -> Proportion:
    """Share of the cases that hit; each case comes with its cluster."""
    clusters: dict[Hashable, tuple[int, int]] = {}
    for cluster, hit in cases:
        hits, total = clusters.get(cluster, (0, 0))
        clusters[cluster] = hits + hit, total + 1
    sizes = list(clusters.values())
    return Proportion(sum(hits for hits, _ in sizes), sum(total for _, total in sizes), _effective_size(sizes))


def _effective_size(clusters: Sequence[tuple[int, int]]) -> float | None:
    """Effective sample size of clusters (hits, total); None where no cluster has more than one case.

    It is the number of cases over the design effect: the variance of the rate, as clusters differ, over that of as
    many independent cases (L. Kish, Survey Sampling, 1965). It is at most the number of cases. Few clusters show this
    variance badly, so it is multiplied by (t of the cases / t of the clusters)^2, Student's t with one degree of
    freedom less than there are of each (E. L. Korn and B. I. Graubard, Survey Methodology 24, 1998).

    It is at least Kish's N^2 / sum n^2, which is right when all cases of a cluster are alike: the number of clusters,
    if they have one size. This is also the answer where nothing shows how alike they are: no case hit, all did, or
    there is only one cluster.
    """
    hits, total = sum(cluster[0] for cluster in clusters), sum(cluster[1] for cluster in clusters)
    if total == len(clusters):
        return None
    least = total**2 / sum(size**2 for _, size in clusters)
    if hits in (0, total) or len(clusters) == 1:
        return least
    between = sum((hit * total - hits * size) ** 2 for hit, size in clusters)
    plain = hits * (total - hits) * total**2
    effective = total if between * total <= plain else plain / between
    return max(least, effective * (_t_95(total - 1) / _t_95(len(clusters) - 1)) ** 2)


def _t_95(degrees: int) -> float:
    """The 97.5 % quantile of Student's t."""
    from scipy.special import stdtrit  # takes 0.2 s to load, and most runs have one epoch

    return float(stdtrit(degrees, 0.975))


@dataclass(frozen=True)
class Mean:
    """Mean of `count` values (None of none) and its standard error (None of fewer than two values or clusters)."""

    mean: float | None
    standard_error: float | None
    count: int


NOTHING: Final = Mean(None, None, 0)
"""The mean of no values."""


def mean_of(values: Sequence[float]) -> Mean:
    """Mean and standard error, s / sqrt(count), of independent values."""
    return clustered_mean(enumerate(values))


def clustered_mean(values: Iterable[tuple[Hashable, float]]) -> Mean:
    """Mean of all values, each with its cluster, and its cluster-robust standard error.

    With m clusters and N values it is sqrt(m / (m - 1) * sum of (sum of a cluster's deviations)^2) / N (K.-Y. Liang and
    S. L. Zeger, Biometrika 73, 1986; for evaluations of models E. Miller, arXiv 2411.00640); with one value per cluster
    that is s / sqrt(N).
    """
    clusters: dict[Hashable, list[float]] = {}
    for cluster, value in values:
        clusters.setdefault(cluster, []).append(value)
    every = [value for members in clusters.values() for value in members]
    if not every:
        return NOTHING
    mean, m = statistics.fmean(every), len(clusters)
    if m == 1:
        return Mean(mean, None, len(every))
    between = math.fsum(math.fsum(value - mean for value in members) ** 2 for members in clusters.values())
    return Mean(mean, math.sqrt(m / (m - 1) * between) / len(every), len(every))


def median_of(values: Sequence[float]) -> float | None:
    """Median, or None of nothing."""
    return statistics.median(values) if values else None


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several tests, adjusted so that their level holds for all of them together.

    The k-th smallest of m is multiplied by m - k + 1; none is below the one before it, nor above 1 (S. Holm,
    Scandinavian Journal of Statistics 6, 1979).
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        largest = max(largest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = largest
    return adjusted
