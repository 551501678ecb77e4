"""Tests and intervals of paired outcomes that need no drawing: they are computed, not simulated."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from gitgoodbench.scoring.statistics import Z_95

Interval = tuple[float, float]

_EDGE: Final = 1e-9


def exchange_p(sums: Sequence[int]) -> float:
    """Two-sided p of the hypothesis that A and B could be exchanged within every cluster.

    `sums[i]`: how many episodes of cluster i only A solved, less those that only B did. Under the hypothesis each sum
    keeps or changes its sign with chance 1/2, independently; p is the share of all 2^m ways whose total is at least as
    far from 0 as the one seen. With one episode to a cluster this is McNemar's exact test (Q. McNemar, Psychometrika
    12, 1947): the binomial of the episodes that only one of them solved. With several it stays exact, and McNemar's
    test of single episodes does not.
    """
    steps = [abs(total) for total in sums if total]
    reach = sum(steps)
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for step in steps:
        chances = (np.roll(chances, step) + np.roll(chances, -step)) / 2
    far = np.abs(np.arange(-reach, reach + 1)) >= abs(sum(sums))
    return min(1.0, float(chances[far].sum()))


def score_interval(only_a: float, only_b: float, n: float) -> Interval:
    """95 % interval of the difference of two paired rates, (only_a - only_b) / n.

    Score interval with the constrained estimate (T. Tango, Statistics in Medicine 17, 1998). It has a width also where
    the two never differ, or always: there a bootstrap has nothing to draw from. `n` may be an effective size.
    """
    from scipy.optimize import brentq

    def beyond(side: int) -> Callable[[float], float]:
        return lambda delta: only_a - only_b - n * delta - side * Z_95 * math.sqrt(_variance(only_a, only_b, n, delta))

    seen = (only_a - only_b) / n
    low = -1.0 if seen - _EDGE <= -1 else float(brentq(beyond(1), -1.0, seen - _EDGE))
    high = 1.0 if seen + _EDGE >= 1 else float(brentq(beyond(-1), seen + _EDGE, 1.0))
    return low, high


def _variance(only_a: float, only_b: float, n: float, delta: float) -> float:
    """Of only_a - only_b, where the true difference is delta (Tango's equations 5 to 7)."""
    b = (2 * n - only_a + only_b) * delta - only_a - only_b
    c = -only_b * delta * (1 - delta)
    second = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
    return max(0.0, n * (2 * second + delta * (1 - delta)))
