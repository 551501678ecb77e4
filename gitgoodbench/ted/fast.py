"""Tree edit distance, fast: the numbers of `plain`, sooner.

numba is imported at the first call.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gitgoodbench.ted.limits import MAX_NEEDLE, refuse
from gitgoodbench.ted.postorder import Postorder, usual

_FEW_NODES: Final = 8
"""Subtrees up to which each is compared by itself."""


def distance(a: Postorder, b: Postorder) -> int:
    """The least number of nodes to delete, insert or relabel that turns one tree into the other.

    What is equal at both ends is settled first (see `trimming`), and does not count for the limits.

    Raises:
        TreeTooLarge: it would take too much memory or time.
    """
    from gitgoodbench.ted.trimming import trimmed

    differing = trimmed(usual(a), usual(b))
    if differing is None:
        return 0
    smaller, larger = sorted(differing, key=len)
    if len(smaller) == 1:
        return len(larger) - int(smaller.labels[0] in larger.labels)
    found = _search(smaller, larger, only_whole=True)
    if found is not None:
        return found[0]
    from gitgoodbench.ted.plain import subtree_distances

    return int(subtree_distances(smaller, larger)[-1])


def closest(needle: Postorder, haystack: Postorder) -> tuple[int, int]:
    """The least distance of the whole needle to the subtree at any node of the haystack, and the first such node.

    An equal subtree is found whatever its size.

    Raises:
        TreeTooLarge: it would take too much memory or time.
    """
    equal = first_equal(needle, haystack)
    if equal is not None:
        return 0, equal
    found = _search(usual(needle), usual(haystack), only_whole=False) if len(needle) > 1 else None
    if found is not None:
        return found
    from gitgoodbench.ted.plain import subtree_distances

    distances = subtree_distances(needle, haystack)
    node = int(distances.argmin())
    return int(distances[node]), node


def least_distance(needle: Postorder, haystack: Postorder) -> int:
    """A number that `closest` is not below, and mostly near (see `bounds`)."""
    from gitgoodbench.ted import bounds

    needle, haystack = usual(needle), usual(haystack)
    if len(needle) == 1:
        return int(needle.labels[0] not in haystack.labels)
    if len(needle) <= MAX_NEEDLE:
        return int(bounds.least_distance(needle.labels, needle.leftmost, haystack.labels, haystack.leftmost))
    total = 0
    for start in range(0, len(needle), MAX_NEEDLE):
        piece = slice(start, start + MAX_NEEDLE)
        leftmost = needle.leftmost[piece] - np.int32(start)
        total += bounds.least_part_distance(needle.labels[piece], leftmost, haystack.labels, haystack.leftmost)
    return total


def first_equal(needle: Postorder, haystack: Postorder) -> int | None:
    """The first node of the haystack whose subtree is equal to the needle."""
    n = len(needle)
    nodes = np.flatnonzero(haystack.labels == needle.labels[-1])
    nodes = nodes[nodes + 1 - haystack.leftmost[nodes] == n]
    for back in range(1, n):  # all at once, label by label, as long as there are many
        if len(nodes) <= _FEW_NODES:
            break
        nodes = nodes[haystack.labels[nodes - back] == needle.labels[-1 - back]]
    for node in nodes.tolist():
        inside = slice(node + 1 - n, node + 1)
        if np.array_equal(haystack.labels[inside], needle.labels) and np.array_equal(
            haystack.leftmost[inside] - np.int32(inside.start), needle.leftmost
        ):
            return int(node)
    return None


def _search(needle: Postorder, haystack: Postorder, *, only_whole: bool) -> tuple[int, int] | None:
    """What the fast kernel finds; None where only the plain one is right."""
    from gitgoodbench.ted.search import UNFIT, search

    if len(needle) > MAX_NEEDLE:
        return None
    try:
        found, node, _ = search(needle.labels, needle.leftmost, haystack.labels, haystack.leftmost, only_whole)
    except MemoryError:
        refuse(len(needle), len(haystack))
    return None if found == UNFIT else (int(found), int(node))
