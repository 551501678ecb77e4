"""What needs no dynamic program: equal trees, and equal subtrees at both ends of two nodes' children.

Two trees whose roots have the same label are as far apart as what is left of them without an equal first child, or an
equal last one. For unit costs a distance is n + m less the gain of the best mapping: 1 for a pair of nodes, 2 for one
of equal labels. Let A be the common first subtree.

- Some best mapping pairs the roots: the pair gains 2, the most there is, so it may take the place of whatever else the
  two roots were paired with. What is left is a mapping of the forests of their children.
- Of the forests A F and A G, some best mapping pairs A with A node by node. A pair from the first A into G and one
  from F into the second A would cross, so one of the two kinds is missing. Without the latter, all pairs that touch an
  A have another node of the first A each: they gain 2 |A| at most, as the pairs of A with itself do.

Roots with different labels must stay: of r(A F) and q(A r(F)) only 1 would be left, where the distance is 2. Where one
child is left on both sides, the distance is that of these two, and the same goes for them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled, entry
from gitgoodbench.ted.postorder import Postorder


class Part(NamedTuple):
    """Of a tree, a node `root` with the subtrees at nodes `first` to `end` - 1 as its children."""

    first: int
    end: int
    root: int


def trimmed(a: Postorder, b: Postorder) -> tuple[Postorder, Postorder] | None:
    """Two trees, mostly smaller ones, with the same distance; None where the trees are equal. In linear time."""
    parts = differing(a, b)
    return None if parts is None else (part_of(a, parts[0]), part_of(b, parts[1]))


def differing(a: Postorder, b: Postorder) -> tuple[Part, Part] | None:
    """Where these two trees lie in a and b.

    Some best mapping of a and b pairs all other nodes: those before the parts with the ones in the same places, those
    after them with the ones in the same places from the end.
    """
    first, last, root, first_b, last_b, root_b = _differing(a.labels, a.leftmost, b.labels, b.leftmost)
    return None if root < 0 else (Part(first, last, root), Part(first_b, last_b, root_b))


def part_of(tree: Postorder, part: Part) -> Postorder:
    """A part as a tree of its own."""
    first, last, root = part
    if first == 0 and last == root == len(tree) - 1:
        return tree
    labels = np.append(tree.labels[first:last], tree.labels[root])
    leftmost = np.append(tree.leftmost[first:last] - np.int32(first), np.int32(0))
    return Postorder(labels, leftmost)


@entry
def _differing(
    labels_a: NDArray[np.int32], first_a: NDArray[np.int32], labels_b: NDArray[np.int32], first_b: NDArray[np.int32]
) -> tuple[int, int, int, int, int, int]:
    """Of either tree: first node and end of the children that are left, and their parent; -1 for equal trees.

    On the way down, all before and after the two parents is equal, but for the nodes above them. So a node's place from
    the start, and from the end, is the same in both trees, and each node is compared once from either end.
    """
    n, m = len(labels_a), len(labels_b)
    before = 0  # nodes at the start that are equal
    while before < min(n, m) and labels_a[before] == labels_b[before] and first_a[before] == first_b[before]:
        before += 1
    if before == n == m:
        return -1, -1, -1, -1, -1, -1
    after = 0  # nodes at the end that are equal, parents aside
    root_a, root_b = n - 1, m - 1
    while labels_a[root_a] == labels_b[root_b]:
        begin, end_a, end_b = first_a[root_a], root_a, root_b
        after = max(after, n - root_a)
        while (
            after < min(n, m)
            and labels_a[n - 1 - after] == labels_b[m - 1 - after]
            and n - after - first_a[n - 1 - after] == m - after - first_b[m - 1 - after]
        ):
            after += 1
        while end_a > begin and end_b > begin and n - first_a[end_a - 1] <= after:  # equal last children
            end_a, end_b = first_a[end_a - 1], first_b[end_b - 1]
        begin = _common_start(first_a, end_a, first_b, end_b, before)
        one_left = begin < end_a and begin < end_b and first_a[end_a - 1] == begin == first_b[end_b - 1]
        if not one_left:
            return begin, end_a, root_a, begin, end_b, root_b
        root_a, root_b = end_a - 1, end_b - 1
    return first_a[root_a], root_a, root_a, first_b[root_b], root_b, root_b


@compiled
def _common_start(first_a: NDArray[np.int32], end_a: int, first_b: NDArray[np.int32], end_b: int, before: int) -> int:
    """The end of the equal trees with which two sequences of trees begin: those before node `end` of either.

    The sequences are walked from their last trees on. They have a common start: it may be where both begin.
    """
    while end_a != end_b or end_a > before:
        if end_a >= end_b:
            end_a = first_a[end_a - 1]
        else:
            end_b = first_b[end_b - 1]
    return end_a
