"""Whether the edits of two groups differ: a bootstrap interval and a permutation test, both over commits.

- Interval: commits are drawn with all their edits, 2,000 times; percentiles of the difference of the means over edits.
- Test: commits that hold edits of one group are dealt out anew between the groups; commits that hold both exchange
  theirs or do not. All ways are tried where there are at most 10,000, else 10,000 by lot. Of several pairs, p is
  adjusted by Holm's method.
- Effect: Cliff's delta of the means of commits: how much more often one of A is above one of B than below.
- Commits needed: the standard error of the bootstrap shrinks with the root of their number. To see 0.05 with a power
  of 80 % at the level of 5 %, it has to be 0.05 / (1.96 + 0.84).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.feedback.report.groups import METRICS, value_of
from gitgoodbench.feedback.report.rows import EditRow
from gitgoodbench.feedback.report.statistics import SEED, Clusters, Floats, Mean, clusters_of, draws_of, mean_of

FEWEST_COMMITS: Final = 8
"""Commits of each group, below which nothing is compared. With 8, p can be as low as 0.0002; with 3, only 0.1."""
LEVEL: Final = 0.05
WORTH_SEEING: Final = 0.05
"""A difference of rewards that matters."""

_ARRANGEMENTS: Final = 10_000
_ERRORS: Final = 1.959964 + 0.841621
_ROUNDING: Final = 1e-12
_AT_ONCE: Final = 4_000_000

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Difference:
    """A's mean less B's.

    p: of the permutation test; adjusted: by Holm's method over all pairs. exact: all ways were tried. delta: Cliff's.
    more_commits: how many more would be needed to see `WORTH_SEEING`, the groups' shares being what they are; 0 where
    there are enough. refused: why nothing is said; the figures are then None.
    """

    first: str
    second: str
    of_first: Mean
    of_second: Mean
    refused: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    exact: bool = False
    delta: float | None = None
    more_commits: int | None = None

    @property
    def is_one(self) -> bool:
        """Whether a difference is seen."""
        return self.adjusted is not None and self.adjusted < LEVEL


@dataclass(frozen=True)
class Cells:
    """Sums and counts of each commit's edits: column 0 of A, 1 of B."""

    sums: Floats
    counts: Floats

    def only(self, wanted: Bools) -> Cells:
        """Some of the commits."""
        return Cells(self.sums[wanted], self.counts[wanted])

    def difference(self, draws: Floats | None = None) -> Floats:
        """The difference of the means, or one for each row of draws of commits; NaN where a group is empty."""
        weights = np.ones(len(self.sums)) if draws is None else draws
        with np.errstate(invalid="ignore"):
            means = (weights @ self.sums) / (weights @ self.counts)
        return np.asarray(means[..., 0] - means[..., 1])


def compare_groups(rows: Iterable[EditRow], by: str, metric: str, names: Sequence[str] = ()) -> list[Difference]:
    """All pairs of groups, or the pair that is named; only edits that people committed.

    Groups come in the order of their numbers of commits, the largest first.
    """
    values: dict[str, list[tuple[str, float]]] = {name: [] for name in names}
    for row in rows:
        value = METRICS[metric](row)
        if row.counts and row.commit is not None and value is not None and (not names or value_of(row, by) in values):
            values.setdefault(value_of(row, by), []).append((row.commit, value))
    order = list(names) or sorted(values, key=lambda name: (-len({commit for commit, _ in values[name]}), name))
    pairs = itertools.combinations(order, 2)
    return adjusted([difference(first, values[first], second, values[second]) for first, second in pairs])


def difference(
    first: str, of_first: Sequence[tuple[str, float]], second: str, of_second: Sequence[tuple[str, float]]
) -> Difference:
    """Compare the commits and values of two groups."""
    found = Difference(first, second, mean_of(of_first), mean_of(of_second))
    for name, mean in ((first, found.of_first), (second, found.of_second)):
        if mean.commits < FEWEST_COMMITS:
            few = f"{name} has {mean.commits} commit{'' if mean.commits == 1 else 's'}"
            return replace(found, refused=f"too few commits: {few}, at least {FEWEST_COMMITS} are needed")
    cells = _cells(of_first, of_second)
    drawn = np.concatenate([cells.difference(draws) for draws in draws_of(len(cells.sums))])
    drawn = drawn[np.isfinite(drawn)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    p, exact = permutation_test(cells)
    needed = len(cells.sums) * (float(drawn.std(ddof=1)) * _ERRORS / WORTH_SEEING) ** 2
    return replace(
        found, value=float(cells.difference()), low=float(low), high=float(high), p=p, exact=exact,
        delta=cliffs_delta(clusters_of(of_first), clusters_of(of_second)),
        more_commits=max(0, math.ceil(needed) - len(cells.sums)),
    )  # fmt: skip


def adjusted(found: Sequence[Difference]) -> list[Difference]:
    """Holm's method: the k-th smallest of m p-values times m - k + 1, none below the one before it."""
    tested = sorted((one for one in found if one.p is not None), key=lambda one: one.p or 0.0)
    largest, by_pair = 0.0, {}
    for rank, one in enumerate(tested):
        largest = max(largest, min(1.0, (one.p or 0.0) * (len(tested) - rank)))
        by_pair[one.first, one.second] = largest
    return [replace(one, adjusted=by_pair.get((one.first, one.second))) for one in found]


def cliffs_delta(first: Clusters, second: Clusters) -> float:
    """How much more often a commit of the first is above one of the second than below, by their means: -1 to 1."""
    ours, theirs = first.sums / first.counts, np.sort(second.sums / second.counts)
    below = np.searchsorted(theirs, ours - _ROUNDING, "left").sum()
    above = (len(theirs) - np.searchsorted(theirs, ours + _ROUNDING, "right")).sum()
    return float(below - above) / (len(ours) * len(theirs))


def permutation_test(cells: Cells) -> tuple[float, bool]:
    """The share of arrangements whose difference is at least as large, two-sided; and whether all were tried."""
    both = np.asarray((cells.counts > 0).all(1))
    alone, mixed = cells.only(~both), cells.only(both)
    of_first = alone.counts[:, 0] > 0
    ways = math.comb(len(of_first), int(of_first.sum())) * 2 ** int(both.sum())
    exact = ways <= _ARRANGEMENTS
    arranged = _all_ways(of_first, len(mixed.sums)) if exact else _some_ways(of_first, len(mixed.sums))
    seen = abs(float(cells.difference())) - _ROUNDING
    hits = tried = 0
    for labels, swaps in arranged:
        hits += int((np.abs(_arranged(alone, mixed, labels, swaps)) >= seen).sum())
        tried += len(labels)
    return (hits / tried, True) if exact else ((hits + 1) / (tried + 1), False)


def _all_ways(of_first: Bools, mixed: int) -> Iterator[tuple[Bools, Bools]]:
    swaps = np.array(list(itertools.product((False, True), repeat=mixed)), dtype=bool).reshape(2**mixed, mixed)
    for chosen in itertools.combinations(range(len(of_first)), int(of_first.sum())):
        labels = np.zeros(len(of_first), dtype=bool)
        labels[list(chosen)] = True
        yield np.tile(labels, (len(swaps), 1)), swaps


def _some_ways(of_first: Bools, mixed: int) -> Iterator[tuple[Bools, Bools]]:
    generator = np.random.default_rng(SEED)
    rows = max(1, _AT_ONCE // max(1, len(of_first) + mixed))
    for start in range(0, _ARRANGEMENTS, rows):
        number = min(rows, _ARRANGEMENTS - start)
        labels = generator.permuted(np.tile(of_first, (number, 1)), axis=1)
        yield labels, generator.random((number, mixed)) < 0.5


def _arranged(alone: Cells, mixed: Cells, labels: Bools, swaps: Bools) -> Floats:
    """The differences of means where commits are dealt out so."""

    def mean(ours: Bools, theirs: Bools) -> Floats:
        sums = ours @ alone.sums.sum(1) + theirs @ mixed.sums[:, 0] + ~theirs @ mixed.sums[:, 1]
        counts = ours @ alone.counts.sum(1) + theirs @ mixed.counts[:, 0] + ~theirs @ mixed.counts[:, 1]
        return np.asarray(sums / counts)

    return mean(labels, ~swaps) - mean(~labels, swaps)


def _cells(first: Sequence[tuple[str, float]], second: Sequence[tuple[str, float]]) -> Cells:
    place = {commit: number for number, commit in enumerate(dict.fromkeys(commit for commit, _ in [*first, *second]))}
    sums, counts = np.zeros((len(place), 2)), np.zeros((len(place), 2))
    for side, values in enumerate((first, second)):
        for commit, value in values:
            sums[place[commit], side] += value
            counts[place[commit], side] += 1
    return Cells(sums, counts)
