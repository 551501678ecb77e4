"""The bootstrap of a ratio of sums over clusters: all episodes of a sample, or of a repository, are drawn together.

As many clusters are drawn as there are, with replacement, `RESAMPLES` times. The interval has the percentiles of what
comes out. Where clusters are few they are taken further out: at Phi(-t sqrt(m / (m - 1))) in place of 2.5 %, for m
clusters and the 97.5 % quantile t of Student's t with m - 1 degrees of freedom (T. C. Hesterberg, The American
Statistician 69, 2015, section 5.3). The seed is fixed: the same runs give the same figures.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

RESAMPLES: Final = 5_000
SEED: Final = 20_251_201
FEWEST: Final = 5
"""Clusters below which there is no interval."""

Floats = NDArray[np.float64]

_FEW_KINDS: Final = 12
_AT_ONCE: Final = 2_000_000


def ratio_interval(sums: Floats, counts: Floats) -> tuple[float, float] | None:
    """95 % interval of sum(sums) / sum(counts), one entry for each cluster; None with fewer than `FEWEST` clusters."""
    size = len(sums)
    if size < FEWEST:
        return None
    clusters = np.column_stack([sums, counts])
    drawn: NDArray[np.floating[Any]]
    kinds, alike = np.unique(clusters, axis=0, return_counts=True)
    if len(kinds) <= _FEW_KINDS:  # how often each kind is drawn says as much, in a fraction of the time
        drawn = np.random.default_rng(SEED).multinomial(size, alike / size, size=RESAMPLES) @ kinds
    else:
        drawn = _draws(size) @ clusters.astype(np.float32)
    whole = drawn[drawn[:, 1] != 0]
    tail = 100 * tail_of(size)
    low, high = np.percentile(whole[:, 0] / whole[:, 1], [tail, 100 - tail])
    return float(low), float(high)


def tail_of(clusters: int) -> float:
    """The share of resamples beyond each end of the interval."""
    from scipy.special import ndtr, stdtrit

    return float(ndtr(-math.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, 0.975)))


@lru_cache(maxsize=4)
def _draws(size: int) -> NDArray[np.float32]:
    """How often each of `size` clusters is drawn, a row for each resample; many questions are about the same number."""
    generator = np.random.default_rng(SEED)
    rows = max(1, _AT_ONCE // size)
    parts = []
    for start in range(0, RESAMPLES, rows):
        number = min(rows, RESAMPLES - start)
        drawn = generator.integers(size, size=(number, size)) + size * np.arange(number)[:, np.newaxis]
        parts.append(np.bincount(drawn.ravel(), minlength=number * size).reshape(number, size).astype(np.float32))
    return np.concatenate(parts)
