"""A small regularised logistic regression, for shares as for yes and no."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PRIOR: Final = 2.5
"""Standard deviation of the normal prior of a coefficient, in logits for a standard deviation of its feature.

It shrinks little, and keeps coefficients finite where a feature separates the outcomes (A. Gelman and others, Annals of
Applied Statistics 2, 2008, who take a Cauchy prior of this scale).
"""

_STEPS: Final = 100
_CLOSE: Final = 1e-10


def ridge_logistic(features: Floats, outcomes: Floats, weights: Floats, prior: float = PRIOR) -> Floats:
    """The intercept, which is not shrunk, and a coefficient for each feature.

    Maximises the weighted sum of y log p + (1 - y) log(1 - p), less sum(b^2) / (2 prior^2), by Newton's method with
    steps that are halved until they help. The function is concave, so there is one maximum.

    Args:
        features: one row per case; standardised ones are shrunk alike.
        outcomes: in [0, 1]. weights: of the cases; 1 for each answer that a share was counted of.
    """
    design = np.column_stack([np.ones(len(features)), features])
    penalty = np.full(design.shape[1], prior**-2)
    penalty[0] = 1e-9  # an intercept without a maximum, where all outcomes are alike, ends somewhere
    found = np.zeros(design.shape[1])
    best = _objective(design, outcomes, weights, penalty, found)
    for _ in range(_STEPS):
        chance = _chances(design @ found)
        gradient = design.T @ (weights * (outcomes - chance)) - penalty * found
        curvature = (design * (weights * chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        scale = 1.0
        while (value := _objective(design, outcomes, weights, penalty, found + scale * step)) < best and scale > _CLOSE:
            scale /= 2
        found = found + scale * step
        if abs(value - best) < _CLOSE * (1 + abs(best)):
            return found
        best = value
    return found


def predicted(features: Floats, coefficients: Floats) -> Floats:
    """The chance of success of each case."""
    return _chances(coefficients[0] + features @ coefficients[1:])


def _chances(logits: Floats) -> Floats:
    from scipy.special import expit

    chances: Floats = expit(logits)
    return chances


def _objective(design: Floats, outcomes: Floats, weights: Floats, penalty: Floats, coefficients: Floats) -> float:
    logits = design @ coefficients
    likelihood = weights @ (outcomes * logits - np.logaddexp(0, logits))
    return float(likelihood - penalty @ coefficients**2 / 2)
