"""How close any subtree can be at most: lower bounds of `fast.closest`, in a tenth of its time and less."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled, entry
from gitgoodbench.ted.corridor import occurrences
from gitgoodbench.ted.labels import MIXED, bag_bounds, numbered

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_TOP = np.uint64(63)


@entry
def least_distance(
    labels_a: NDArray[np.int32], first_a: NDArray[np.int32], labels_b: NDArray[np.int32], first_b: NDArray[np.int32]
) -> int:
    """A number that is not above the distance of a, a tree of 2 to `MAX_NEEDLE` nodes, to any subtree of b.

    Each subtree has two bounds, of which the greater one counts: what the labels in common leave (`labels.bag_bounds`),
    and the edit distance of a's string of labels to the closest part of b's that ends with the subtree.
    """
    count, ids_a, ids_b = numbered(labels_a, first_a, labels_b, first_b)
    if count == MIXED:
        return 0
    bags = bag_bounds(count, ids_a, ids_b, first_b)
    parts = part_distances(occurrences(count, ids_a), len(ids_a), ids_b)
    least = len(ids_a) - 1  # a leaf
    for node in range(len(ids_b)):
        least = min(least, max(bags[node], parts[node]))
    return least


@entry
def least_part_distance(
    labels_a: NDArray[np.int32], first_a: NDArray[np.int32], labels_b: NDArray[np.int32], first_b: NDArray[np.int32]
) -> int:
    """The least edit distance of up to `MAX_NEEDLE` labels of a tree in postorder to any part of those of b.

    Cut a tree's labels into pieces: the sum of these numbers is not above its distance to any subtree of b, for an
    alignment of the whole is one of each piece, to parts that do not overlap. first_a: counted from the piece's start.
    """
    count, ids_a, ids_b = numbered(labels_a, first_a, labels_b, first_b)
    if count == MIXED:
        return 0
    least = len(ids_a)
    for distance in part_distances(occurrences(count, ids_a), len(ids_a), ids_b):
        least = min(least, distance)
    return least


@compiled
def part_distances(places: NDArray[np.uint64], n: int, ids: NDArray[np.int16]) -> NDArray[np.int32]:
    """The least edit distance of a string to a part of another that ends at each of its labels, or to nothing.

    places: the `occurrences` of the first string, of n labels. As `corridor.differences`, but a part may begin anywhere
    (Myers, J. ACM 46(3), 1999).
    """
    words = places.shape[1]
    up, down = np.full(words, _ALL), np.zeros(words, np.uint64)
    last = np.uint64((n - 1) & 63)
    distances = np.empty(len(ids), np.int32)
    distance = n
    for j in range(len(ids)):
        equal_row = places[ids[j] >> 1]
        grows = falls = _NONE
        up_in = down_in = _NONE
        for word in range(words):
            equal = equal_row[word]
            diagonal = equal | down[word]
            equal |= down_in
            across = (((equal & up[word]) + up[word]) ^ up[word]) | equal
            grows = down[word] | ~(across | up[word])
            falls = up[word] & across
            higher, lower = (grows << _ONE) | up_in, (falls << _ONE) | down_in
            up_in, down_in = grows >> _TOP, falls >> _TOP
            up[word] = lower | ~(diagonal | higher)
            down[word] = higher & diagonal
        distance += int(np.int64((grows >> last) & _ONE) - np.int64((falls >> last) & _ONE))
        distances[j] = distance
    return distances
