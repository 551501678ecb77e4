"""String edit distance of two trees' labels in postorder: a lower bound, and where the pairs of a good mapping lie.

The pairs of a mapping between trees never cross in postorder, so they are an alignment of the two strings of labels,
which costs at most as much. Where the best alignment through a point - the first i labels on this side, the first j on
that - costs more than a limit, no mapping within the limit passes. Distances are computed 64 rows at a time, as bits of
their differences (Myers, J. ACM 46(3), 1999; blocks as in Hyyrö 2003).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled
from gitgoodbench.ted.vectors import ones

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_TOP = np.uint64(63)


@compiled
def occurrences(count: int, ids: NDArray[np.int16]) -> NDArray[np.uint64]:
    """Where each of `count` labels stands in a string of label ids, as bits, shape (count + 1, words)."""
    places = np.zeros((count + 1, (len(ids) + 63) // 64), np.uint64)
    for node in range(len(ids)):
        places[ids[node] >> 1, node >> 6] |= _ONE << np.uint64(node & 63)
    return places


@compiled
def backwards(ids: NDArray[np.int16]) -> NDArray[np.int16]:
    """The string read from its end."""
    turned = np.empty(len(ids), np.int16)
    for place in range(len(ids)):
        turned[place] = ids[len(ids) - 1 - place]
    return turned


@compiled
def differences(places: NDArray[np.uint64], ids: NDArray[np.int16]) -> NDArray[np.uint64]:
    """The differences between neighbours in the table of edit distances of the prefixes of two strings.

    places: the `occurrences` of the first string, of n labels. Result, shape (m + 1, 4, words): bit i of [j, 0] is set
    where the distance from the first i labels to the first j is one less than that from the first i + 1, of [j, 1]
    where it is one more; [j, 2] and [j, 3] likewise from the first i + 1 to the first j as against the first j + 1.
    """
    words = places.shape[1]
    steps = np.empty((len(ids) + 1, 4, words), np.uint64)
    steps[0, 0] = _ALL
    steps[0, 1] = _NONE
    for j in range(len(ids)):
        equal_row = places[ids[j] >> 1]
        here = steps[j]
        there = steps[j + 1]
        up_in, down_in = _ONE, _NONE
        for word in range(words):
            up, down = here[0, word], here[1, word]
            equal = equal_row[word]
            diagonal = equal | down
            equal |= down_in
            across = (((equal & up) + up) ^ up) | equal
            grows = down | ~(across | up)
            falls = up & across
            here[2, word] = grows
            here[3, word] = falls
            up_out, down_out = grows >> _TOP, falls >> _TOP
            grows = (grows << _ONE) | up_in
            falls = (falls << _ONE) | down_in
            there[0, word] = falls | ~(diagonal | grows)
            there[1, word] = grows & diagonal
            up_in, down_in = up_out, down_out
    return steps


@compiled
def edit_distance(steps: NDArray[np.uint64], n: int) -> int:
    """The distance between the two whole strings, the first one of n labels."""
    last = len(steps) - 1
    distance = last
    for word in range(n >> 6):
        distance += ones(steps[last, 0, word]) - ones(steps[last, 1, word])
    rest = n & 63
    if rest:
        inside = (_ONE << np.uint64(rest)) - _ONE
        distance += ones(steps[last, 0, n >> 6] & inside) - ones(steps[last, 1, n >> 6] & inside)
    return distance


@compiled
def _down(steps: NDArray[np.uint64], i: int, j: int) -> int:
    """How much farther the first i + 1 labels are from the first j than the first i are."""
    bit = np.uint64(i & 63)
    word = i >> 6
    return int(np.int64((steps[j, 0, word] >> bit) & _ONE) - np.int64((steps[j, 1, word] >> bit) & _ONE))


@compiled
def _across(steps: NDArray[np.uint64], i: int, j: int) -> int:
    """How much farther the first i labels are from the first j + 1 than from the first j."""
    if i == 0:
        return 1
    bit = np.uint64((i - 1) & 63)
    word = (i - 1) >> 6
    return int(np.int64((steps[j, 2, word] >> bit) & _ONE) - np.int64((steps[j, 3, word] >> bit) & _ONE))


@compiled
def corridor(
    forward: NDArray[np.uint64], backward: NDArray[np.uint64], n: int, limit: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For each i from 0 to n, the first and last j so that an alignment through (i, j) costs at most `limit`.

    forward, backward: the `differences` of the two strings and of the two read backwards. limit: not below their
    distance. Neither end ever falls with i.
    """
    m = len(forward) - 1
    low = np.empty(n + 1, np.int32)
    high = np.empty(n + 1, np.int32)
    i = n
    done = n + 1
    cost = edit_distance(forward, n)
    for j in range(m, -1, -1):  # the largest i of each column, which falls from right to left
        if j < m:
            cost += _across(backward, n - i, m - j - 1) - _across(forward, i, j)
        while cost > limit:
            i -= 1
            cost += _down(backward, n - i - 1, m - j) - _down(forward, i, j)
        while done > i + 1:  # the rows beyond begin further right
            done -= 1
            low[done] = j + 1
    for row in range(done):
        low[row] = 0
    i = 0
    done = -1
    cost = edit_distance(forward, n)
    for j in range(m + 1):  # the smallest i of each column
        if j > 0:
            cost += _across(forward, i, j - 1) - _across(backward, n - i, m - j)
        while cost > limit:
            cost += _down(forward, i, j) - _down(backward, n - i - 1, m - j)
            i += 1
        while done < i - 1:
            done += 1
            high[done] = j - 1
    for row in range(done + 1, n + 1):
        high[row] = m
    return low, high
