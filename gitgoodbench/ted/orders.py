"""Trees as the fast kernel walks them: from the left or from the right, and how deep its forests nest.

The dynamic program runs once for every keyroot, over the keyroot's whole subtree; so a node costs as many rows as
keyroots contain it. Walked from the left, the keyroots are the nodes with a sibling on the left; walked from the right
(the mirrored tree), those with a sibling on the right. Source code nests at the right end, so that the right is mostly
better. A leaf is no keyroot here: what it is compared with needs no program.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled

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
    ids: NDArray[np.int16], first: NDArray[np.int32], depth: NDArray[np.int32], level: NDArray[np.int32]
) -> tuple[NDArray[np.int16], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Label ids, leftmost leaves and levels of the mirrored tree in its postorder, and each node's place there.

    That order is the preorder read backwards.
    """
    n = len(ids)
    new_ids = np.empty(n, np.int16)
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


@compiled
def groups(level: NDArray[np.int32]) -> int:
    """The cells of one row or column over the whole tree: nodes, as often as groups of keyroots contain them."""
    total = 0
    for node in range(len(level)):
        total += level[node] // LANES_OF_A_TREE + 1
    return total
