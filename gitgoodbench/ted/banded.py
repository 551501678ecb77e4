"""The best mapping of two trees, by the dynamic program of `plain` inside a band, with the way back.

As in `lanes`, cells count what two forests share, and a pair of trees is looked up with the two roots paired; all else
is reached by leaving a root out. A point (p, q) stands for the first p nodes of a and the first q nodes of b. Only the
points of the band exist, `low[p] <= q <= high[p]`, and beyond it forests share nothing: less than they might, but
what a real mapping shares. So the program is exact if a best mapping stays inside (see `pairing`).

A program runs for each pair of keyroots whose first leaves are such a point: the best mapping pairs two subtrees only
where the two nodes before them are passed together. The way back keeps no program but the last. Where it comes to two
subtrees that were paired elsewhere, it runs their program once more; all those of one depth together have fewer cells
than the whole.

Pairs of equal labels count 2 w and other pairs w - 1. With w above the number of the other pairs, the mapping that
counts most is the one with the fewest edits, and of several the one with the fewest relabelled nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled, entry
from gitgoodbench.ted.vectors import at

_NEVER = -1
"""Two subtrees that no mapping within the band pairs."""


class Trees(NamedTuple):
    """Labels and leftmost leaves of two trees in postorder."""

    labels_a: NDArray[np.int32]
    first_a: NDArray[np.int32]
    labels_b: NDArray[np.int32]
    first_b: NDArray[np.int32]


class Band(NamedTuple):
    """The points of each row p, n + 1 rows, and where they lie in memory.

    rows: (n + 1,) the place of point (p, q) is rows[p] + q. inner: (m + 1,) how many inner nodes come before node q of
    b. pairs: (n,) of an inner node of a, the place of its pair with the inner node of b of rank r is pairs[a] + r.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    rows: NDArray[np.int64]
    inner: NDArray[np.int32]
    pairs: NDArray[np.int64]


@entry
def best_shared(trees: Trees, band: Band, weight: int, forests: NDArray[np.int32], pairs: NDArray[np.int32]) -> int:
    """What the two whole trees share; fills `forests` and `pairs`, which hold _NEVER everywhere, for `best_pairs`."""
    highest_a, highest_b = _highest(trees.first_a), _highest(trees.first_b)
    n, m = len(trees.first_a), len(trees.first_b)
    for first_a in range(n - 1, -1, -1):
        root_a = highest_a[first_a]
        if root_a <= first_a and root_a < n - 1:
            continue
        for first_b in range(min(band.high[first_a], m - 1), band.low[first_a] - 1, -1):
            root_b = highest_b[first_b]
            if root_b > first_b or root_b == m - 1:
                _run(trees, band, weight, first_a, first_b, root_a + 1, root_b + 1, forests, pairs)
    return int(forests[band.rows[n] + m])


@entry
def best_pairs(
    trees: Trees, band: Band, weight: int, forests: NDArray[np.int32], pairs: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The pairs of a best mapping, shape (k, 2), in no order, after `best_shared`.

    Roots of equal labels are paired, as they are in some best mapping (see `trimming`, which relies on it).
    """
    first_a, first_b = trees.first_a, trees.first_b
    most = min(len(first_a), len(first_b))
    found = np.empty((most, 2), np.int32)
    waiting = np.empty((most, 2), np.int32)
    count, left = 0, 0
    corner_a, corner_b, p, q = 0, 0, len(first_a), len(first_b)
    if trees.labels_a[p - 1] == trees.labels_b[q - 1]:
        p, q = p - 1, q - 1
        found[count] = p, q
        count += 1
    while True:
        while p > corner_a and q > corner_b and forests[band.rows[p] + q]:
            shared = forests[band.rows[p] + q]
            a, b = p - 1, q - 1
            if _at(band, forests, corner_b, p - 1, q) == shared:
                p -= 1
            elif _at(band, forests, corner_b, p, q - 1) == shared:
                q -= 1
            else:
                found[count] = a, b
                count += 1
                if first_a[a] == corner_a and first_b[b] == corner_b:
                    p, q = a, b
                    continue
                p, q = first_a[a], first_b[b]
                if p == a or q == b:  # a leaf
                    continue
                size = a - p
                if size == b - q and pairs[band.pairs[a] + band.inner[b]] == 2 * weight * (size + 1):
                    for step in range(size):
                        found[count + step] = p + step, q + step
                    count += size
                else:
                    waiting[left] = a, b
                    left += 1
        if not left:
            return found[:count]
        left -= 1
        p, q = waiting[left]
        corner_a, corner_b = first_a[p], first_b[q]
        _run(trees, band, weight, corner_a, corner_b, p, q, forests, pairs)


@compiled
def _at(band: Band, forests: NDArray[np.int32], corner_b: int, p: int, q: int) -> int:
    """What the forests of a point of the last program share."""
    inside = max(band.low[p], corner_b) <= q <= band.high[p]
    return forests[band.rows[p] + q] if inside else 0


@compiled
def _run(
    trees: Trees,
    band: Band,
    weight: int,
    corner_a: int,
    corner_b: int,
    end_a: int,
    end_b: int,
    forests: NDArray[np.int32],
    pairs: NDArray[np.int32],
) -> None:
    """The program of the nodes from a corner to the points end_a and end_b."""
    labels_a, first_a, labels_b, first_b = trees
    low, high, rows, inner, pair_rows = band
    equal, other = 2 * weight, weight - 1
    top = min(high[corner_a], end_b)
    for q in range(max(low[corner_a], corner_b), top + 1):
        forests[rows[corner_a] + q] = 0
    for p in range(corner_a + 1, end_a + 1):
        a = p - 1
        begin_a = first_a[a]
        here, above, corner, pair_row = rows[p], rows[a], rows[begin_a], pair_rows[a]
        corner_low, corner_high = low[begin_a], high[begin_a]
        is_leaf, outermost = begin_a == a, begin_a == corner_a
        start, end = max(low[p], corner_b), min(high[p], end_b)
        before = max(low[a], corner_b)
        left = 0
        if start == corner_b:
            forests[here + start] = 0
            start += 1
        label = labels_a[a]
        for q in range(start, end + 1):
            b = q - 1
            begin_b = at(first_b, b)
            best = left
            if q <= top:
                best = max(best, at(forests, above + q))
            if is_leaf or begin_b == b:
                if corner_low <= begin_b <= corner_high:
                    gain = equal if label == at(labels_b, b) else other
                    best = max(best, at(forests, corner + begin_b) + gain)
            else:
                place = pair_row + at(inner, b)
                if outermost and begin_b == corner_b:
                    if before <= b <= top:
                        pair = at(forests, above + b) + (equal if label == at(labels_b, b) else other)
                        pairs[np.uint64(place)] = pair
                        best = max(best, pair)
                else:
                    pair = at(pairs, place)
                    if pair >= 0:
                        best = max(best, at(forests, corner + begin_b) + pair)
            forests[np.uint64(here + q)] = best
            left = best
        top = end


@compiled
def _highest(first: NDArray[np.int32]) -> NDArray[np.int32]:
    """Of each leaf, the highest node that it is the leftmost leaf of; -1 of other nodes."""
    highest = np.full(len(first), -1, np.int32)
    for node in range(len(first)):
        highest[first[node]] = node
    return highest
