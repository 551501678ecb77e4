"""How many samples tell two agents apart, by what the samples in hand show.

With d_i the difference on sample i (the mean over its epochs), q the mean of d_i^2 and delta the mean of d_i,

    S = z_0.975 sqrt(q) + z_0.8 sqrt(q - delta^2)        n = (S / delta)^2

samples show a difference at the two-sided level of 5 % in 80 % of all runs. With one epoch q is the share of samples
that only one of them solved, and this is the formula of R. J. Connor (Biometrics 43, 1987) for McNemar's test without a
correction for continuity. The exact test is nearer to the corrected one (A. L. Edwards, Psychometrika 13, 1948), which
has n delta - 1 in place of n delta:

    n = ((S + sqrt(S^2 + 4 delta)) / (2 delta))^2

tests/comparing/test_power.py computes the power that the exact test has with so many samples: 80 % or more.
"""

from __future__ import annotations

import math
from typing import Final

from gitgoodbench.scoring.statistics import Z_95

Z_POWER: Final = 0.8416212335729143
"""The 80 % quantile of the standard normal distribution."""


def needed_samples(square: float, delta: float, *, whole: bool) -> int | None:
    """Samples that a true difference of `delta` needs; None where there is none.

    square: q, the mean of squares. whole: differences are whole numbers and the test is exact, so that it is corrected.
    """
    return math.ceil(_needed(square, abs(delta), whole)) if delta else None


def detectable(square: float, samples: int, *, whole: bool) -> float | None:
    """The difference that so many samples show in 80 % of all runs, q being what it is.

    None where it would be larger than any that q allows.
    """
    from scipy.optimize import brentq

    largest = math.sqrt(square)
    if not largest or _needed(square, largest, whole) > samples:
        return None
    smallest = min(largest, 1e-9)
    return float(brentq(lambda delta: _needed(square, delta, whole) - samples, smallest, largest))


def _needed(square: float, delta: float, whole: bool) -> float:
    spread = Z_95 * math.sqrt(square) + Z_POWER * math.sqrt(max(0.0, square - delta * delta))
    root = (spread + math.sqrt(spread**2 + 4 * delta * whole)) / 2
    return (root / delta) ** 2
