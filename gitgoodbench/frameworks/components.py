"""What a reward is made of, for frameworks that show each part."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from gitgoodbench.api.scored import MOST_UNSOLVED, Scored

GRADED_WEIGHT: Final = MOST_UNSOLVED
EXACT_WEIGHT: Final = 1 - GRADED_WEIGHT


@dataclass(frozen=True)
class Components:
    """`EXACT_WEIGHT * exact + GRADED_WEIGHT * graded` is the reward that `Bench.score` gives.

    exact: 1 where the sample is solved. graded: 1 where it is solved, 0 where a gate is not met, else the mean of the
    scores, an unknown one as 0.
    """

    exact: float
    graded: float

    @classmethod
    def of(cls, scored: Scored) -> Components:
        if scored.solved:
            return cls(1.0, 1.0)
        return cls(0.0, min(1.0, scored.reward / GRADED_WEIGHT))


def metrics_of(scored: Scored) -> dict[str, float]:
    """Everything in a verdict that is a number: what is unknown is left out, so means stay means of what is known."""
    named = {"solved": scored.solved, "solved_paper": scored.solved_paper}
    found = {name: float(value) for name, value in named.items() if value is not None}
    found |= {f"gate_{name}": float(met) for name, met in scored.gates.items()}
    found |= {name: score for name, score in scored.scores.items() if score is not None and math.isfinite(score)}
    return {**found, "answered": float(scored.status.is_answer)}
