"""Items: the parts of a file that keep their meaning wherever they stand among their siblings.

What stands directly in a file is an item: a function, a statement, a paragraph. So is what stands in something that
holds others together: a member of a type or namespace, an entry of an object or list, a declaration of a style rule, a
block of a section. `Language.members` says where these stand, and is all that differs between languages.

What holds others is an item, too, without them: of a class remain its name, its bases and its brackets. Where nothing
with text remains (a section, a block of statements), it is none, as the root is none. So every node belongs to exactly
one item, except those that only hold items together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.languages import find_language, named_kinds
from gitgoodbench.ted.postorder import Postorder, parents_of
from gitgoodbench.ted.tree import Tree, has_text

_ANY: Final = "*"
_NAME: Final = "identifier"
_EMPTIED: Final = b"\2"
"""Ends the label of a node all of whose children are items: a leaf must not have the label of an inner node."""


def items(tree: Tree) -> list[Tree]:
    """The items of a tree, outer ones before inner ones, each without the items inside it; none of a root alone."""
    flat = itemized(tree)
    return [flat.subtree(node) for node in flat.children(flat.root)]


def itemized(tree: Tree) -> Tree:
    """The tree's nodes with all of its items as children of the root, so that each of them is a subtree.

    The haystack for items must have this form: what remains of a class without its
    members is no subtree of the file.
    """
    parents = parents_of(tree.nodes.leftmost)
    is_item = _items(tree, parents)
    if np.count_nonzero(is_item) == np.count_nonzero(parents[:-1] == tree.root):
        return tree
    return _flattened(tree, _owners(parents, is_item))


def _items(tree: Tree, parents: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which nodes are items; the root is none."""
    kinds = {name: number for number, name in enumerate(tree.kind_names)}
    language = find_language(tree.language)
    named = named_kinds(language.name) - {_NAME}
    is_member = np.array([name in named for name in tree.kind_names])[tree.kinds]
    found: NDArray[np.bool_] = parents == tree.root
    found[tree.root] = False
    anchored: list[NDArray[np.int64]] = []
    for path in language.members:
        *holders, member = path.removeprefix("/").split("/")
        nodes = np.flatnonzero(is_member if member == _ANY else tree.kinds == kinds.get(member, -1))
        above = parents[nodes]
        for holder in reversed(holders):
            fits = tree.kinds[above] == kinds.get(holder, -1)
            nodes, outermost = nodes[fits], above[fits]
            above = parents[outermost]
        if path.startswith("/"):
            anchored.append(np.stack([nodes, outermost]))
        else:
            found[nodes] = True
    count = -1
    while count != (count := int(np.count_nonzero(found))):
        for nodes, outermost in anchored:
            found[nodes[found[outermost]]] = True
    return found


def _owners(parents: NDArray[np.int64], is_item: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Of each node the innermost item that it belongs to; the root is its own."""
    owners = np.where(is_item, np.arange(len(parents)), parents)
    owners[-1] = len(parents) - 1
    while not np.array_equal(further := owners[owners], owners):
        owners = further
    return owners


def _flattened(tree: Tree, owners: NDArray[np.int64]) -> Tree:
    size = len(tree)
    roots = np.unique(owners[_has_text(tree)])
    roots = roots[np.lexsort((-roots, tree.nodes.leftmost[roots]))]  # preorder: outer ones first
    ranks = np.full(size, -1)
    ranks[roots] = np.arange(len(roots))
    ranks[tree.root] = len(roots)
    kept = np.flatnonzero(ranks[owners] >= 0)
    keys = ranks[owners[kept]] * size + kept  # by item, then in postorder
    order, keys = kept[np.argsort(keys)], np.sort(keys)
    leftmost = np.searchsorted(keys, ranks[owners[order]] * size + tree.nodes.leftmost[order]).astype(np.int32)
    leftmost[-1] = 0
    labels, vocabulary = _relabelled(tree, order, leftmost)
    return replace(
        tree,
        nodes=Postorder(labels, leftmost),
        starts=tree.starts[order],
        ends=tree.ends[order],
        kinds=tree.kinds[order],
        vocabulary=vocabulary,
    )


def _has_text(tree: Tree) -> NDArray[np.bool_]:
    """Which nodes below the root have text of their own; leaves have, even an empty one."""
    found = np.array([has_text(label) for label in tree.vocabulary])[tree.nodes.labels]
    found[tree.root] = False
    return found


def _relabelled(
    tree: Tree, order: NDArray[np.int64], leftmost: NDArray[np.int32]
) -> tuple[NDArray[np.int32], tuple[bytes, ...]]:
    """Labels and vocabulary in the new order, with labels of their own for the nodes that have become leaves."""
    labels = tree.nodes.labels[order]
    emptied = (leftmost == np.arange(len(order))) & (tree.nodes.leftmost[order] != order)
    old, places = np.unique(labels[emptied], return_inverse=True)
    labels[emptied] = len(tree.vocabulary) + places
    return labels, tree.vocabulary + tuple(tree.vocabulary[label] + _EMPTIED for label in old.tolist())
