"""A rooted, ordered, labelled tree as two arrays in postorder: all that the kernels need to know of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Postorder:
    """A tree of n >= 1 nodes in postorder; the root is node n - 1.

    `labels`, shape (n,): ids of the nodes' labels. Two trees are compared by equal ids, so their ids must come from
    the same numbering. No id may stand for a leaf in one tree and for an inner node in the other if the fast kernel is
    to be used; where one does, the answer is the same, but comes from the plain kernel.

    `leftmost`, shape (n,): the postorder index of the leftmost leaf below each node (its own for a leaf), so that the
    subtree of node j is the nodes `leftmost[j]` to j.
    """

    labels: NDArray[np.int32]
    leftmost: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)

    def subtree(self, node: int) -> Postorder:
        """The tree rooted at `node`, as a copy of its own."""
        first = int(self.leftmost[node])
        inside = slice(first, node + 1)
        return Postorder(self.labels[inside].copy(), self.leftmost[inside] - np.int32(first))


def parents_of(leftmost: NDArray[np.int32]) -> NDArray[np.int64]:
    """The parent of each node: what follows the last of its siblings. The root is its own."""
    places = np.arange(len(leftmost))
    is_leaf = leftmost == places
    outermost = np.empty(len(leftmost), np.int64)  # of the nodes that begin with a leaf
    outermost[leftmost] = places
    last = places.copy()
    followed = np.flatnonzero(is_leaf[1:])  # by a sibling, which begins with the next node
    last[followed] = outermost[followed + 1]
    while not np.array_equal(further := last[last], last):
        last = further
    last[:-1] += 1
    return last
