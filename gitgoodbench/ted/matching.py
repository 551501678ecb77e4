"""Distances between trees: of one to another, and of one to the subtree of another that is most like it.

Unit costs: deleting a node, inserting one, and changing a label cost 1 each (K. Zhang and D. Shasha, Simple fast
algorithms for the editing distance between trees and related problems, SIAM J. Comput. 18, 1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Generic, TypeVar, overload

import numpy as np

from gitgoodbench.ted.limits import MAX_NEEDLE
from gitgoodbench.ted.postorder import Postorder, usual
from gitgoodbench.ted.tree import Tree

if TYPE_CHECKING:
    from gitgoodbench.ted.mapping import EditMapping

_PLAIN: Final = 16

T = TypeVar("T", Tree, Postorder)


@dataclass(frozen=True)
class NodeMatch(Generic[T]):
    """The subtree of a haystack that is closest to a needle.

    distance: edits from one to the other. node: its root, in the haystack. needle, haystack: what was searched in what.
    """

    distance: int
    node: int
    needle: T = field(repr=False, compare=False)
    haystack: T = field(repr=False, compare=False)

    @cached_property
    def mapping(self) -> EditMapping[T]:
        """Which node of the needle became which of the subtree, computed when it is first asked for.

        The subtree is a tree of its own, whose node 0 is node `haystack.nodes.leftmost[node]` of the haystack; spans
        are those of the whole source.

        Raises:
            TreeTooLarge: it would take too much memory or time (see docs/ted.md).
        """
        from gitgoodbench.ted.mapping import edit_mapping

        return edit_mapping(self.needle, self.haystack.subtree(self.node))


@dataclass(frozen=True, repr=False)
class Match(NodeMatch[Tree]):
    """The closest subtree in a source. start, end: its bytes in the haystack's source."""

    @property
    def start(self) -> int:
        return self.haystack.span(self.node)[0]

    @property
    def end(self) -> int:
        return self.haystack.span(self.node)[1]

    def __repr__(self) -> str:
        return f"Match(distance={self.distance}, node={self.node}, start={self.start}, end={self.end})"


def tree_edit_distance(first: T, second: T) -> int:
    """How many nodes must be deleted, inserted or given another label to make one tree of the other.

    Args:
        first, second: two `Tree`s, or two `Postorder`s whose labels are of one numbering.

    Raises:
        TypeError: they are something else, or one of each.
        TreeTooLarge: what differs would take too much memory or time (see docs/ted.md).
    """
    a, b = comparable(first, second)
    from gitgoodbench.ted.fast import distance

    return distance(a, b)


@overload
def closest_subtree(needle: Tree, haystack: Tree) -> Match: ...
@overload
def closest_subtree(needle: Postorder, haystack: Postorder) -> NodeMatch[Postorder]: ...
def closest_subtree(needle: Tree | Postorder, haystack: Tree | Postorder) -> Match | NodeMatch[Postorder]:
    """The subtree of the haystack with the least edit distance to the whole needle; of several, the first in postorder.

    Args:
        needle, haystack: two `Tree`s, or two `Postorder`s whose labels are of one numbering.

    Raises:
        TypeError: they are something else, or one of each.
        TreeTooLarge: there is no equal one, and it would take too much memory or time (see docs/ted.md).
    """
    a, b = comparable(needle, haystack)
    from gitgoodbench.ted.fast import closest

    distance, node = closest(a, b)
    if isinstance(needle, Tree) and isinstance(haystack, Tree):
        return Match(distance, node, needle, haystack)
    return NodeMatch(distance, node, a, b)


def least_distance(needle: Tree, haystack: Tree) -> int:
    """A lower bound of the distance that `closest_subtree` finds, in a tenth of its time or less."""
    from gitgoodbench.ted import fast

    return fast.least_distance(aligned(needle, haystack), haystack.nodes)


def contains(haystack: Tree, needle: Tree) -> bool:
    """Whether a subtree of the haystack is equal to the needle."""
    from gitgoodbench.ted.fast import first_equal

    return first_equal(aligned(needle, haystack), haystack.nodes) is not None


def count_cells(needle: Tree, haystack: Tree) -> int:
    """The cells of the dynamic program from the better side: at most so much has to be computed, mostly far less.

    Needles too large for the fast kernel count as many times more as the plain one is slower.
    """
    cells = min(one * other for one, other in zip(needle.nesting, haystack.nesting, strict=True))
    return cells if len(needle) <= MAX_NEEDLE else _PLAIN * cells


def equal_trees(first: T, second: T) -> bool:
    """Whether the trees have the same shape and labels: their distance is 0. Raises TypeError as the others do."""
    a, b = comparable(first, second)
    return np.array_equal(a.leftmost, b.leftmost) and np.array_equal(a.labels, b.labels)


def comparable(first: Tree | Postorder, second: Tree | Postorder) -> tuple[Postorder, Postorder]:
    """Two trees with their labels in one numbering.

    Raises:
        TypeError: they are neither two `Tree`s nor two `Postorder`s.
        ValueError: a `Postorder` is none.
    """
    if isinstance(first, Tree) and isinstance(second, Tree):
        return aligned(first, second), second.nodes
    if isinstance(first, Postorder) and isinstance(second, Postorder):
        for one in (first, second):
            _check(one)
        return first, second
    given = f"{type(first).__name__} and {type(second).__name__}"
    raise TypeError(
        f"two Trees or two Postorders are compared, not {given}: parse() and parse_fragment() make a Tree of source "
        "(bytes), Postorder.of() a Postorder of your own nodes"
    )


def _check(tree: Postorder) -> None:
    """Refuse arrays that are no tree: the kernels would read beyond their ends."""
    from gitgoodbench.ted.orders import is_postorder

    labels, leftmost = tree.labels, tree.leftmost
    flat = all(isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype == np.int32 for one in (labels, leftmost))
    if not flat or not 0 < len(labels) == len(leftmost) or not is_postorder(usual(tree).leftmost):
        raise ValueError(
            "the arrays of a Postorder are int32, of one length, and `leftmost` is the first node of each subtree in "
            "postorder; Postorder.of() makes them of nodes"
        )


def unified(trees: Sequence[Tree]) -> list[Tree]:
    """The trees with their labels numbered in one way: so many of them can be compared without any more of that."""
    numbers: dict[bytes, int] = {}
    places = {
        id(tree.vocabulary): np.array([numbers.setdefault(label, len(numbers)) for label in tree.vocabulary], np.int32)
        for tree in {id(tree.vocabulary): tree for tree in trees}.values()
    }
    vocabulary = tuple(numbers)
    return [
        replace(
            tree,
            nodes=Postorder(places[id(tree.vocabulary)][tree.nodes.labels], tree.nodes.leftmost),
            vocabulary=vocabulary,
        )
        for tree in trees
    ]


def aligned(tree: Tree, onto: Tree) -> Postorder:
    """The tree with its labels numbered as in another one; labels that are not there get numbers beyond its own."""
    if tree.vocabulary is onto.vocabulary:
        return tree.nodes
    vocabulary, labels = tree.vocabulary, tree.nodes.labels
    if len(vocabulary) > len(tree):  # a small part of a large tree
        used, places = np.unique(labels, return_inverse=True)
        vocabulary, labels = tuple(vocabulary[label] for label in used.tolist()), places.astype(np.int32)
    new, known = len(onto.vocabulary), onto.ids
    numbers = [known.get(label, new + at) for at, label in enumerate(vocabulary)]
    return Postorder(np.array(numbers, np.int32)[labels], tree.nodes.leftmost)
