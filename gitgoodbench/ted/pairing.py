"""Which node became which where one tree becomes another one, and how many nodes stay as they are.

Of the mappings with the least number of edits, one that leaves most nodes unchanged. Nodes of the first tree that it
does not pair are deleted, those of the second inserted; pairs of different labels are relabelled.

What is equal at both ends is settled first (`trimming`). What is left is walked from the better side (`orders`), inside
a band of points that a best mapping cannot leave: the corridor of the labels' strings at the distance that the fast
kernel finds (`corridor`). For trees that it does not take, the corridor is that of a guess (`strings`), which is
doubled until what is found is within it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.banded import Band, Trees, best_pairs, best_shared
from gitgoodbench.ted.limits import MAX_BYTES, MAX_CELLS, MAX_NEEDLE, refuse
from gitgoodbench.ted.orders import walked
from gitgoodbench.ted.postorder import Postorder, usual
from gitgoodbench.ted.search import UNFIT, whole_corridor
from gitgoodbench.ted.strings import string_corridor, string_distance
from gitgoodbench.ted.trimming import Part, differing, part_of

_SLACK: Final = 8
"""The first guess of a distance is this part above a bound from below."""

_MAX_STRING_CELLS: Final = 8_000_000_000
"""Cells of the distance of two strings of labels: some seconds. Where there are more, the band is too wide anyway."""


def pair_nodes(first: Postorder, second: Postorder) -> NDArray[np.int32]:
    """The pairs of a best mapping, shape (k, 2), ascending. Labels are of one numbering.

    Raises:
        TreeTooLarge: what differs would take too much memory or time.
    """
    n, m = len(first), len(second)
    a, b = usual(first), usual(second)
    parts = differing(a, b)
    if parts is None:
        return np.repeat(np.arange(n, dtype=np.int32), 2).reshape(n, 2)
    part_a, part_b = parts
    own_a, own_b = _program(part_of(a, part_a), part_of(b, part_b), MAX_CELLS).pairs()
    inside = np.stack([_outside(part_a, own_a), _outside(part_b, own_b)], axis=1)
    before = np.arange(part_a.first, dtype=np.int32)
    after = np.arange(part_a.end, n, dtype=np.int32)
    after = after[after != part_a.root]
    pairs = np.concatenate([np.stack([before, before], axis=1), inside, np.stack([after, after + (m - n)], axis=1)])
    return pairs[np.argsort(pairs[:, 0], kind="stable")]


def count_unchanged(first: Postorder, second: Postorder, cells: int = MAX_CELLS) -> int:
    """The nodes of the first tree that a best mapping neither deletes nor relabels. Labels are of one numbering.

    Args:
        cells: of the dynamic program, beyond which the trees are too large.

    Raises:
        TreeTooLarge: what differs would take too much memory or time.
    """
    a, b = usual(first), usual(second)
    parts = differing(a, b)
    if parts is None:
        return len(first)
    part_a, part_b = parts
    inner = part_of(a, part_a)
    return len(first) - len(inner) + _program(inner, part_of(b, part_b), cells).unchanged


@dataclass(frozen=True)
class _Program:
    """The dynamic program of two trees, done. shared: what they share, in units of `weight`; see `banded`."""

    sides: _Sides
    band: Band
    weight: int
    forests: NDArray[np.int32]
    table: NDArray[np.int32]
    shared: int

    @property
    def _gain(self) -> int:
        """Pairs, those of equal labels twice."""
        return -(-self.shared // self.weight)

    @property
    def edits(self) -> int:
        n, m = len(self.sides.trees.first_a), len(self.sides.trees.first_b)
        return n + m - self._gain

    @property
    def unchanged(self) -> int:
        relabelled = self._gain * self.weight - self.shared
        return (self._gain - relabelled) // 2

    def pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Nodes of the first tree and those of the second that they become, in no order."""
        found = best_pairs(self.sides.trees, self.band, self.weight, self.forests, self.table)
        a, b = self.sides.nodes_a[found[:, 0]], self.sides.nodes_b[found[:, 1]]
        return (b, a) if self.sides.turned else (a, b)


class _Sides(NamedTuple):
    """Two trees walked from the better side, the smaller one as `a`, which is the second if they are `turned`.

    level: how many programs each node is in, less one. nodes: the node at each place.
    """

    trees: Trees
    level_a: NDArray[np.int32]
    level_b: NDArray[np.int32]
    nodes_a: NDArray[np.int32]
    nodes_b: NDArray[np.int32]
    turned: bool


def _program(first: Postorder, second: Postorder, cells: int) -> _Program:
    turned = len(first) > len(second)
    a, b = (second, first) if turned else (first, second)
    labels_a, first_a, level_a, nodes_a, labels_b, first_b, level_b, nodes_b = walked(
        a.labels, a.leftmost, b.labels, b.leftmost
    )
    trees = Trees(labels_a, first_a, labels_b, first_b)
    sides = _Sides(trees, level_a, level_b, nodes_a, nodes_b, turned)
    for limit, low, high in _windows(sides, cells):
        done = _within(sides, limit, low, high, cells)
        if done.edits <= limit:
            return done
    raise AssertionError("a distance is above the number of nodes")


def _windows(sides: _Sides, cells: int) -> Iterator[tuple[int, NDArray[np.int32], NDArray[np.int32]]]:
    """Distances, and the first and last point of each row that a mapping within that distance can pass."""
    n, m = len(sides.trees.first_a), len(sides.trees.first_b)
    if 1 < n <= MAX_NEEDLE:
        try:
            limit, low, high = whole_corridor(*sides.trees, sides.level_a, sides.level_b)
        except MemoryError:
            limit = UNFIT
        if limit != UNFIT:
            yield limit, low, high
            return
    limit = _string_distance(sides.trees, min(cells, _MAX_STRING_CELLS))
    while True:
        limit = min(n + m, limit + limit // _SLACK + 1)
        yield limit, *string_corridor(sides.trees.labels_a, sides.trees.labels_b, limit)
        if limit == n + m:
            return
        limit *= 2


def _string_distance(trees: Trees, cells: int) -> int:
    """The edit distance of the two strings of labels; no mapping of the trees costs less."""
    n, m = len(trees.labels_a), len(trees.labels_b)
    limit = _least_edits(trees)
    while True:
        limit = min(n + m, limit + limit // _SLACK + 1)
        if (n + 1) * (limit + 1) > cells:
            refuse(n, m)
        distance = string_distance(trees.labels_a, trees.labels_b, limit)
        if distance <= limit:
            return int(distance)
        limit *= 2


def _least_edits(trees: Trees) -> int:
    """A bound from below: all nodes, less those that can be paired, less those that can be paired with equal ones."""
    n, m = len(trees.labels_a), len(trees.labels_b)
    ids = np.unique(np.concatenate([trees.labels_a, trees.labels_b]), return_inverse=True)[1]
    counts = (np.bincount(labels, minlength=n + m) for labels in (ids[:n], ids[n:]))
    return max(n, m) - int(np.minimum(*counts).sum())


def _within(sides: _Sides, limit: int, low: NDArray[np.int32], high: NDArray[np.int32], cells: int) -> _Program:
    """The program in a band. Raises TreeTooLarge where it would take too much."""
    trees = sides.trees
    n, m = len(trees.first_a), len(trees.first_b)
    inner = np.zeros(m + 1, np.int32)
    np.cumsum(trees.first_b != np.arange(m), out=inner[1:])
    widths = high.astype(np.int64) - low + 1
    first_rank = inner[np.maximum(low[1:] - 1, 0)].astype(np.int64)
    is_inner = trees.first_a != np.arange(n)
    ranks = np.where(is_inner, inner[high[1:]] - first_rank, 0)
    points, places = int(widths.sum()), int(ranks.sum())
    columns = np.zeros(m + 1, np.int64)
    np.cumsum(sides.level_b + 1, out=columns[1:])
    todo = ((sides.level_a + 1) * (columns[high[1:]] - columns[np.maximum(low[1:] - 1, 0)])).sum()
    if 4 * (points + places) > MAX_BYTES or todo > cells:
        refuse(n, m)
    band = Band(low, high, np.cumsum(widths) - widths - low, inner, np.cumsum(ranks) - ranks - first_rank)
    weight = min(limit, n, m) + 1
    forests, table = np.zeros(points, np.int32), np.full(places, -1, np.int32)
    shared = best_shared(trees, band, weight, forests, table)
    return _Program(sides, band, weight, forests, table, int(shared))


def _outside(part: Part, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The nodes of a part as those of its tree."""
    return np.where(nodes < part.end - part.first, nodes + np.int32(part.first), np.int32(part.root))
