"""Paired differences by cluster, and the interval of their mean.

Where nearly all clusters have the same difference, most often none, the bootstrap has little to draw, and its interval
is too narrow: there the score interval stands in its place (bench/comparing.py: coverage of both).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from gitgoodbench.comparing.bootstrap import FEWEST, Floats, ratio_interval
from gitgoodbench.comparing.exact import Interval, score_interval

FEWEST_APART: Final = 10
"""Clusters apart from the commonest difference, below which there is no bootstrap; where clusters are few, all."""
_DIGITS: Final = 12


@dataclass(frozen=True)
class Differences:
    """Differences in [-1, 1], summed by cluster.

    above, below: sums of those above and below 0, both as positive numbers. counts: how many there are.
    """

    above: Floats
    below: Floats
    counts: Floats

    @classmethod
    def of(cls, differences: Iterable[tuple[Hashable, float]]) -> Differences:
        """Sum differences by their clusters, in the order in which clusters come first."""
        clusters: dict[Hashable, list[float]] = {}
        for cluster, value in differences:
            entry = clusters.setdefault(cluster, [0.0, 0.0, 0.0])
            entry[0] += max(value, 0.0)
            entry[1] += max(-value, 0.0)
            entry[2] += 1
        above, below, counts = np.array(list(clusters.values()), dtype=np.float64).reshape(-1, 3).T
        return cls(above, below, counts)

    @property
    def clusters(self) -> int:
        return len(self.counts)

    @property
    def mean(self) -> float | None:
        """Over all differences; None of none."""
        return float((self.above.sum() - self.below.sum()) / self.counts.sum()) if self.clusters else None

    @property
    def means(self) -> Floats:
        """The mean of each cluster."""
        return np.round((self.above - self.below) / self.counts, _DIGITS)

    @property
    def sums(self) -> list[int]:
        """The sum of each cluster, where differences are whole numbers."""
        return [round(total) for total in self.above - self.below]

    @property
    def _apart(self) -> int:
        """Clusters whose mean is not the commonest one."""
        return self.clusters - int(np.unique(self.means, return_counts=True)[1].max())

    def interval(self) -> tuple[Interval | None, Literal["bootstrap", "score"] | None]:
        """95 % interval of the mean, and how it was made; none of no differences.

        The score interval takes the sums above and below 0 as numbers of pairs, which is at least as wide as it must
        be, and N^2 / sum n^2 as their number, which is right if all differences of a cluster are alike.
        """
        if not self.clusters:
            return None, None
        if self._apart >= min(FEWEST_APART, max(FEWEST, self.clusters) - 1):
            return ratio_interval(self.above - self.below, self.counts), "bootstrap"
        total = self.counts.sum()
        effective = float(total**2 / (self.counts**2).sum())
        scale = effective / total
        return score_interval(float(self.above.sum() * scale), float(self.below.sum() * scale), effective), "score"
