"""The corridor of two strings of labels of any length, in little memory.

As `corridor`, but only diagonals are looked at that a distance within the limit can reach (E. Ukkonen, Algorithms for
approximate string matching, Information and Control 64, 1985), and of the rows from the start only some are kept: those
between two of them are computed again when the rows from the end arrive there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled, entry
from gitgoodbench.ted.vectors import at

_FAR = 2**30


@entry
def string_distance(labels_a: NDArray[np.int32], labels_b: NDArray[np.int32], limit: int) -> int:
    """The edit distance of two strings; a number above `limit` where it is above."""
    n, m = len(labels_a), len(labels_b)
    first, width = diagonals(n, m, limit)
    if width <= 0:
        return limit + 1
    row, following = _first_row(first, width), np.empty(width + 2, np.int32)
    for p in range(n):
        _step(labels_a[p], labels_b, p + 1 + first, row, following)
        row, following = following, row
    return int(row[m - n - first + 1])


@entry
def string_corridor(
    labels_a: NDArray[np.int32], labels_b: NDArray[np.int32], limit: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For each i from 0 to n, the first and last j so that an alignment through (i, j) costs at most `limit`.

    limit: not below the distance. Neither end ever falls with i.
    """
    n, m = len(labels_a), len(labels_b)
    first, width = diagonals(n, m, limit)
    turned_a, turned_b = labels_a[::-1].copy(), labels_b[::-1].copy()
    turned_first = m - n - first - width + 1
    block = max(1, int(np.sqrt(n)))
    kept = np.empty((n // block + 1, width + 2), np.int32)  # every `block`th row
    rows = np.empty((block + 1, width + 2), np.int32)
    rows[0] = _first_row(first, width)
    for p in range(n + 1):
        if p % block == 0:
            kept[p // block] = rows[p % 2]
        if p < n:
            _step(labels_a[p], labels_b, p + 1 + first, rows[p % 2], rows[(p + 1) % 2])
    low, high = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    row, following = _first_row(turned_first, width), np.empty(width + 2, np.int32)
    for start in range(n // block, -1, -1):
        begin, end = start * block, min(n, start * block + block - 1)
        rows[0] = kept[start]
        for p in range(begin, end):
            _step(labels_a[p], labels_b, p + 1 + first, rows[p - begin], rows[p - begin + 1])
        for p in range(end, begin - 1, -1):
            low[p], high[p] = _ends(rows[p - begin], row, limit, p + first)
            if p:
                _step(turned_a[n - p], turned_b, n - p + 1 + turned_first, row, following)
                row, following = following, row
    return low, high


@compiled
def diagonals(n: int, m: int, limit: int) -> tuple[int, int]:
    """The first of the differences j - i within the limit, and how many there are."""
    either_way = (limit - abs(m - n)) // 2
    return min(0, m - n) - either_way, abs(m - n) + 2 * either_way + 1


@compiled
def _first_row(first: int, width: int) -> NDArray[np.int32]:
    """The distances of nothing to the first j labels; a row has a place more at either end, which is far."""
    row = np.full(width + 2, _FAR, np.int32)
    for place in range(width):
        if first + place >= 0:
            row[place + 1] = first + place
    return row


@compiled
def _step(
    label: int, labels: NDArray[np.int32], begin: int, row: NDArray[np.int32], following: NDArray[np.int32]
) -> None:
    """The next row, whose first place is that of `begin` labels of the other string."""
    width = len(row) - 2
    following[0] = following[width + 1] = _FAR
    left = _FAR
    for place in range(1, width + 1):
        j = begin + place - 1
        if 0 < j <= len(labels):
            best = min(left, at(row, place + 1)) + 1
            left = min(best, at(row, place) + (at(labels, j - 1) != label))
        elif j == 0:
            left = at(row, place + 1) + 1
        else:
            left = _FAR
        following[place] = left


@compiled
def _ends(forward: NDArray[np.int32], backward: NDArray[np.int32], limit: int, begin: int) -> tuple[int, int]:
    """The first and last place of a row through which an alignment within the limit goes, as numbers of labels."""
    width = len(forward) - 2
    first, last = -1, -1
    for place in range(1, width + 1):
        if forward[place] + backward[width + 1 - place] <= limit:
            if first < 0:
                first = begin + place - 1
            last = begin + place - 1
    return first, last
