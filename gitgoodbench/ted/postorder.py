"""A rooted, ordered, labelled tree as two arrays in postorder: all that the kernels need to know of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
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

    @classmethod
    def of(
        cls,
        root: Any,
        numbers: dict[Hashable, int],
        *,
        label: Callable[[Any], Hashable] = itemgetter(0),
        children: Callable[[Any], Iterable[Any]] = itemgetter(1),
    ) -> Postorder:
        """The tree of one's own nodes, however deep; as they stand, a node is a pair of its label and its children.

        Args:
            numbers: the id of each label, filled by this; trees to be compared take the same one.
            label, children: of a node; the children from left to right.
        """
        counted: list[tuple[Hashable, int]] = []
        waiting = [root]
        while waiting:  # the postorder backwards: a node before its children, from right to left
            node = waiting.pop()
            below = list(children(node))
            counted.append((label(node), len(below)))
            waiting += below
        return cls.from_counts(reversed(counted), numbers)

    @classmethod
    def from_counts(cls, nodes: Iterable[tuple[Hashable, int]], numbers: dict[Hashable, int]) -> Postorder:
        """The tree of nodes in postorder, each given by its label and the number of its children.

        Args:
            numbers: the id of each label, filled by this; trees to be compared take the same one.

        Raises:
            ValueError: the nodes are not those of one tree.
        """
        labels: list[int] = []
        leftmost: list[int] = []
        begins: list[int] = []  # of the trees that have no parent yet
        for label, count in nodes:
            if not 0 <= count <= len(begins):
                raise ValueError(f"node {len(labels)} has {count} children, but {len(begins)} trees are before it")
            first = begins[len(begins) - count] if count else len(labels)
            del begins[len(begins) - count :]
            begins.append(first)
            labels.append(numbers.setdefault(label, len(numbers)))
            leftmost.append(first)
        if len(begins) != 1:
            raise ValueError(f"the nodes are those of {len(begins)} trees, not of one")
        return cls(np.array(labels, np.int32), np.array(leftmost, np.int32))

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} nodes)"

    def parents(self) -> NDArray[np.int64]:
        """The parent of each node; the root is its own."""
        return parents_of(self.leftmost)

    def subtree(self, node: int) -> Postorder:
        """The tree rooted at `node`, as a copy of its own."""
        first = int(self.leftmost[node])
        inside = slice(first, node + 1)
        return Postorder(self.labels[inside].copy(), self.leftmost[inside] - np.int32(first))


def usual(tree: Postorder) -> Postorder:
    """A tree whose arrays can be written and are flat in memory: numba would compile everything again for others."""
    return Postorder(_flat(tree.labels), _flat(tree.leftmost))


def _flat(array: NDArray[np.int32]) -> NDArray[np.int32]:
    return array if array.flags.carray and array.dtype == np.int32 else np.array(array, np.int32)


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
