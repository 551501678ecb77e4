"""Distances between trees: of one to another, and of one to the subtree of another that is most like it.

Unit costs: deleting a node, inserting one, and changing a label cost 1 each (K. Zhang and D. Shasha, Simple fast
algorithms for the editing distance between trees and related problems, SIAM J. Comput. 18, 1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from gitgoodbench.ted.limits import MAX_NEEDLE
from gitgoodbench.ted.postorder import Postorder
from gitgoodbench.ted.tree import Tree

_PLAIN: Final = 16


@dataclass(frozen=True)
class Match:
    """The subtree of a haystack that is closest to a needle.

    distance: edits from one to the other. node: its root, in the haystack. start, end: bytes in the haystack's source.
    """

    distance: int
    node: int
    start: int
    end: int


def tree_edit_distance(first: Tree, second: Tree) -> int:
    """How many nodes must be deleted, inserted or given another label to make one tree of the other.

    Raises:
        TreeTooLarge: what differs would take too much memory or time (see docs/ted.md).
    """
    from gitgoodbench.ted.fast import distance

    return distance(aligned(first, second), second.nodes)


def closest_subtree(needle: Tree, haystack: Tree) -> Match:
    """The subtree of the haystack with the least edit distance to the whole needle; of several, the first in postorder.

    Raises:
        TreeTooLarge: there is no equal one, and it would take too much memory or time (see docs/ted.md).
    """
    from gitgoodbench.ted.fast import closest

    distance, node = closest(aligned(needle, haystack), haystack.nodes)
    return Match(distance, node, *haystack.span(node))


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


def equal_trees(first: Tree, second: Tree) -> bool:
    """Whether the trees have the same shape and labels: their distance is 0."""
    return np.array_equal(first.nodes.leftmost, second.nodes.leftmost) and np.array_equal(
        aligned(first, second).labels, second.nodes.labels
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
