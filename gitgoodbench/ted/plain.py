"""Tree edit distance by the dynamic program of Zhang and Shasha (SIAM J. Comput. 18(6), 1989), unit costs.

The distance of two trees is the least number of nodes to delete, insert or relabel to turn one into the other. A
deleted node's children take its place among its siblings.

This is the specification of the fast kernel: as short as it can be. One pass holds the distances between all subtrees
of one tree and all subtrees of the other, so that the needle need not be compared with one haystack subtree after
another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled, entry
from gitgoodbench.ted.limits import MAX_BYTES, MAX_CELLS, refuse
from gitgoodbench.ted.postorder import Postorder


def subtree_distances(needle: Postorder, haystack: Postorder) -> NDArray[np.int32]:
    """The distance of the whole needle to the subtree at each of the haystack's m nodes, shape (m,), in one pass.

    Raises:
        TreeTooLarge: it would take too much memory or time.
    """
    if 8 * len(needle) * len(haystack) > MAX_BYTES or cells(needle, haystack) > MAX_CELLS:
        refuse(len(needle), len(haystack))
    return _last_row(needle.labels, needle.leftmost, haystack.labels, haystack.leftmost)


def subtree_distances_one_by_one(needle: Postorder, haystack: Postorder) -> NDArray[np.int32]:
    """The same by a dynamic program of its own for each subtree, as a measure of what the one pass saves."""
    return _last_cells(needle.labels, needle.leftmost, haystack.labels, haystack.leftmost)


def cells(needle: Postorder, haystack: Postorder) -> int:
    """How many cells of the dynamic program the one pass computes."""
    return _rows(needle.leftmost) * _rows(haystack.leftmost)


@entry
def _rows(leftmost: NDArray[np.int32]) -> int:
    """The nodes below all keyroots."""
    total = 0
    for root in _keyroots(leftmost):
        total += root - leftmost[root] + 1
    return total


@compiled
def _keyroots(leftmost: NDArray[np.int32]) -> NDArray[np.int32]:
    """The nodes that are no first child: the highest node, for each leaf, of which it is the leftmost leaf."""
    highest = np.full(len(leftmost), -1, np.int32)
    for node in range(len(leftmost)):
        highest[leftmost[node]] = node
    return np.sort(highest[highest >= 0])


@compiled
def _tree_distances(
    labels_a: NDArray[np.int32],
    leftmost_a: NDArray[np.int32],
    labels_b: NDArray[np.int32],
    leftmost_b: NDArray[np.int32],
) -> NDArray[np.int32]:
    """The distance between each subtree of a and each of b, shape (n, m)."""
    n, m = len(labels_a), len(labels_b)
    trees = np.zeros((n, m), np.int32)
    forests = np.zeros((n + 1, m + 1), np.int32)  # [i, j]: first i nodes of a's keyroot against first j of b's
    for root_a in _keyroots(leftmost_a):
        first_a = leftmost_a[root_a]
        for root_b in _keyroots(leftmost_b):
            first_b = leftmost_b[root_b]
            for j in range(root_b - first_b + 2):
                forests[0, j] = j
            for a in range(first_a, root_a + 1):
                i = a - first_a + 1
                forests[i, 0] = i
                for b in range(first_b, root_b + 1):
                    j = b - first_b + 1
                    either = min(forests[i - 1, j], forests[i, j - 1]) + 1
                    if leftmost_a[a] == first_a and leftmost_b[b] == first_b:
                        relabel = 0 if labels_a[a] == labels_b[b] else 1
                        forests[i, j] = min(either, forests[i - 1, j - 1] + relabel)
                        trees[a, b] = forests[i, j]
                    else:
                        before = forests[leftmost_a[a] - first_a, leftmost_b[b] - first_b]
                        forests[i, j] = min(either, before + trees[a, b])
    return trees


@entry
def _last_row(
    labels_a: NDArray[np.int32],
    leftmost_a: NDArray[np.int32],
    labels_b: NDArray[np.int32],
    leftmost_b: NDArray[np.int32],
) -> NDArray[np.int32]:
    distances: NDArray[np.int32] = _tree_distances(labels_a, leftmost_a, labels_b, leftmost_b)[-1].copy()
    return distances


@entry
def _last_cells(
    labels_a: NDArray[np.int32],
    leftmost_a: NDArray[np.int32],
    labels_b: NDArray[np.int32],
    leftmost_b: NDArray[np.int32],
) -> NDArray[np.int32]:
    distances = np.zeros(len(labels_b), np.int32)
    for node in range(len(labels_b)):
        first = leftmost_b[node]
        inside = slice(first, node + 1)
        subtree = leftmost_b[inside] - np.int32(first)
        distances[node] = _tree_distances(labels_a, leftmost_a, labels_b[inside], subtree)[-1, -1]
    return distances
