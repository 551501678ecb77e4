"""Means over edits, with commits as what is drawn: edits of one commit are alike, so they count as one observation.

Intervals are percentiles (2.5 and 97.5 %) of 2,000 bootstrap samples of commits; with few commits they are too narrow,
and with fewer than `FEWEST` there is none. The seed is fixed: the same data give the same figures.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

SAMPLES: Final = 2_000
SEED: Final = 20_251_130
FEWEST: Final = 5
"""Commits below which no interval is given."""
_AT_ONCE: Final = 4_000_000
"""Draws that are in memory at once."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Mean:
    """A mean over `edits` in `commits`. low, high: its interval; None where there are too few commits."""

    value: float | None
    low: float | None = None
    high: float | None = None
    edits: int = 0
    commits: int = 0


@dataclass(frozen=True)
class Clusters:
    """Values of edits, summed by commit: `sums[i] / counts[i]` is the mean of one."""

    sums: Floats
    counts: Floats

    @property
    def mean(self) -> float | None:
        """The mean over edits."""
        edits = self.counts.sum()
        return float(self.sums.sum() / edits) if edits else None


def clusters_of(values: Iterable[tuple[Hashable, float]]) -> Clusters:
    """Sum values by commit, in the order in which commits come first."""
    sums: dict[Hashable, list[float]] = {}
    for commit, value in values:
        entry = sums.setdefault(commit, [0.0, 0.0])
        entry[0] += value
        entry[1] += 1
    table = np.array(list(sums.values()), dtype=np.float64).reshape(-1, 2)
    return Clusters(table[:, 0], table[:, 1])


def mean_of(values: Iterable[tuple[Hashable, float]]) -> Mean:
    """The mean over edits with its interval over commits."""
    clusters = clusters_of(values)
    size, edits = len(clusters.sums), int(clusters.counts.sum())
    if size < FEWEST:
        return Mean(clusters.mean, None, None, edits, size)
    drawn = np.concatenate([draws @ clusters.sums / (draws @ clusters.counts) for draws in draws_of(size)])
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Mean(clusters.mean, float(low), float(high), edits, size)


def draws_of(size: int, samples: int = SAMPLES) -> Iterator[Floats]:
    """Bootstrap samples of `size` commits: how often each is drawn, a row for each sample, some rows at a time."""
    generator = np.random.default_rng(SEED)
    rows = max(1, _AT_ONCE // max(size, 1))
    for start in range(0, samples, rows):
        number = min(rows, samples - start)
        yield generator.multinomial(size, np.full(size, 1 / size), size=number).astype(np.float64)


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation of two properties of `edits`; None where one of them never changes."""

    first: str
    second: str
    rho: float | None
    edits: int


def correlation(first: str, second: str, pairs: Sequence[tuple[float, float]]) -> Correlation:
    """Rank correlation over edits."""
    from scipy.stats import rankdata

    if len(pairs) < FEWEST:
        return Correlation(first, second, None, len(pairs))
    ranks = [rankdata([pair[side] for pair in pairs]) for side in (0, 1)]
    if any(float(np.ptp(one)) == 0 for one in ranks):
        return Correlation(first, second, None, len(pairs))
    return Correlation(first, second, float(np.corrcoef(ranks[0], ranks[1])[0, 1]), len(pairs))
