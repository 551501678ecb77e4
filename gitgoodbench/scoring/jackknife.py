"""Intervals and tests where cases come in groups: each group is left out once (the cluster jackknife).

Cases of one repository are alike, so as many cases say less than they seem to. Leaving out a whole group at a time
measures how much estimates depend on which groups there are. With few groups this is more careful than formulas for the
standard error that are made of residuals (J. G. MacKinnon, M. O. Nielsen and M. D. Webb, Journal of Econometrics 232,
2023: "CV3").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval and the p-value of its being 0; None where groups are too few to tell."""

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None


def jackknifed(whole: Floats, without: Floats) -> list[Estimate]:
    """Estimates of all groups together, with Student's t of one degree of freedom less than there are groups.

    Args:
        whole: each estimate. without: a row for each group, of the same estimates with that group left out.
    """
    from scipy.special import stdtr, stdtrit

    count = len(without)
    if count < 2:
        return [Estimate(float(value)) for value in whole]
    variances = (count - 1) / count * ((without - whole) ** 2).sum(axis=0)
    t_95 = float(stdtrit(count - 1, 0.975))
    found = []
    for value, variance in zip(whole, variances, strict=True):
        error = math.sqrt(variance)
        p = 2 * float(stdtr(count - 1, -abs(value) / error)) if error else (0.0 if value else 1.0)
        found.append(Estimate(float(value), float(value) - t_95 * error, float(value) + t_95 * error, p))
    return found


def rank_correlation(values: Floats, outcomes: Floats) -> float:
    """Spearman's: the correlation of ranks, equal values with the mean of theirs; 0 where all of a side are equal."""
    from scipy.stats import rankdata

    a, b = rankdata(values) - (len(values) + 1) / 2, rankdata(outcomes) - (len(outcomes) + 1) / 2
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size else 0.0


def concordance(predictions: Floats, outcomes: Floats) -> float | None:
    """How often, of two cases with different outcomes, the better one has the higher prediction; equal ones count half.

    For yes and no this is the area under the ROC curve. None where no two outcomes differ.
    """
    higher = outcomes[:, None] > outcomes[None, :]
    pairs = int(higher.sum())
    if not pairs:
        return None
    ahead = (predictions[:, None] > predictions[None, :])[higher].sum()
    level = (predictions[:, None] == predictions[None, :])[higher].sum()
    return float((ahead + level / 2) / pairs)
