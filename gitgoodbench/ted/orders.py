"""Trees as the fast kernel walks them: from the left or from the right, and how deep its forests nest.

The dynamic program runs once for every keyroot, over the keyroot's whole subtree; so a node costs as many rows as
keyroots contain it. Walked from the left, the keyroots are the nodes with a sibling on the left; walked from the right
(the mirrored tree), those with a sibling on the right. Source code nests at the right end, so that the right is mostly
better. A leaf is no keyroot here: what it is compared with needs no program.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled, entry

Id = TypeVar("Id", np.int16, np.int32)

LANES_OF_A_TREE = 4
"""The keyroots of one tree that the kernel walks abreast."""


@compiled
def nesting(first: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """How many nodes are above each node; and how many keyroots are above the lowest one that contains it, walked from
    the left and walked from the right.
    """
    n = len(first)
    depth = np.empty(n, np.int32)
    left = np.empty(n, np.int32)
    right = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    depth[n - 1] = left[n - 1] = right[n - 1] = 0
    path[0] = n - 1
    above = 1
    for node in range(n - 2, -1, -1):
        while first[path[above - 1]] > node:
            above -= 1
        parent = path[above - 1]
        is_inner = first[node] != node
        depth[node] = above
        left[node] = left[parent] + (is_inner and first[node] != first[parent])
        right[node] = right[parent] + (is_inner and node != parent - 1)
        path[above] = node
        above += 1
    return depth, left, right


@compiled
def mirrored(
    ids: NDArray[Id], first: NDArray[np.int32], depth: NDArray[np.int32], level: NDArray[np.int32]
) -> tuple[NDArray[Id], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Label ids, leftmost leaves and levels of the mirrored tree in its postorder, and each node's place there.

    That order is the preorder read backwards.
    """
    n = len(ids)
    new_ids = np.empty_like(ids)
    new_first = np.empty(n, np.int32)
    new_level = np.empty(n, np.int32)
    places = np.empty(n, np.int32)
    for node in range(n):
        place = n - 1 - first[node] - depth[node]
        new_ids[place] = ids[node]
        new_first[place] = place - (node - first[node])
        new_level[place] = level[node]
        places[node] = place
    return new_ids, new_first, new_level, places


@entry
def is_postorder(first: NDArray[np.int32]) -> bool:
    """Whether these are the leftmost leaves of a tree: each node's subtree is itself after whole trees before it."""
    for node in range(len(first)):
        begin = node
        while begin > first[node] >= 0:
            begin = first[begin - 1]
        if begin != first[node]:
            return False
    return bool(first[-1] == 0)


@compiled
def groups(level: NDArray[np.int32]) -> int:
    """The cells of one row or column over the whole tree: nodes, as often as groups of keyroots contain them."""
    total = 0
    for node in range(len(level)):
        total += level[node] // LANES_OF_A_TREE + 1
    return total


@entry
def walked(
    labels_a: NDArray[np.int32], first_a: NDArray[np.int32], labels_b: NDArray[np.int32], first_b: NDArray[np.int32]
) -> tuple[
    NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32],
    NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32],
]:  # fmt: skip
    """Both trees from the side with fewer cells: labels, leftmost leaves, levels, and the node at each place.

    A node's level: how many keyroots are above the lowest one that contains it.
    """
    depth_a, left_a, right_a = nesting(first_a)
    depth_b, left_b, right_b = nesting(first_b)
    nodes_a, nodes_b = np.arange(len(first_a)).astype(np.int32), np.arange(len(first_b)).astype(np.int32)
    if right_a.sum() * right_b.sum() >= left_a.sum() * left_b.sum():
        return labels_a, first_a, left_a, nodes_a, labels_b, first_b, left_b, nodes_b
    new_a, leaves_a, level_a, places_a = mirrored(labels_a, first_a, depth_a, right_a)
    new_b, leaves_b, level_b, places_b = mirrored(labels_b, first_b, depth_b, right_b)
    nodes_a[places_a], nodes_b[places_b] = np.arange(len(first_a)), np.arange(len(first_b))
    return new_a, leaves_a, level_a, nodes_a, new_b, leaves_b, level_b, nodes_b
