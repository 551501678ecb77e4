"""Tree edit distance, fast: the numbers of `plain`, sooner.

numba is imported at the first call.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.limits import MAX_NEEDLE, refuse
from gitgoodbench.ted.postorder import Postorder


def distance(a: Postorder, b: Postorder) -> int:
    """The least number of nodes to delete, insert or relabel that turns one tree into the other.

    Raises:
        TreeTooLarge: it would take too much memory or time.
    """
    smaller, larger = (a, b) if len(a) <= len(b) else (b, a)
    if len(smaller) == 1:
        return len(larger) - int(smaller.labels[0] in larger.labels)
    found = _search(smaller, larger, only_whole=True)
    if found is not None:
        return found[0]
    from gitgoodbench.ted.plain import subtree_distances

    return int(subtree_distances(smaller, larger)[-1])


def closest(needle: Postorder, haystack: Postorder) -> tuple[int, int]:
    """The least distance of the whole needle to the subtree at any node of the haystack, and the first such node.

    Raises:
        TreeTooLarge: it would take too much memory or time.
    """
    found = _search(needle, haystack, only_whole=False) if len(needle) > 1 else None
    if found is not None:
        return found
    from gitgoodbench.ted.plain import subtree_distances

    distances = subtree_distances(needle, haystack)
    node = int(distances.argmin())
    return int(distances[node]), node


def _search(needle: Postorder, haystack: Postorder, *, only_whole: bool) -> tuple[int, int] | None:
    """What the fast kernel finds; None where only the plain one is right."""
    from gitgoodbench.ted.search import UNFIT, search

    if len(needle) > MAX_NEEDLE:
        return None
    labels_a, first_a = _usual(needle.labels), _usual(needle.leftmost)
    labels_b, first_b = _usual(haystack.labels), _usual(haystack.leftmost)
    try:
        found, node, _ = search(labels_a, first_a, labels_b, first_b, only_whole)
    except MemoryError:
        refuse(len(needle), len(haystack))
    return None if found == UNFIT else (int(found), int(node))


def _usual(array: NDArray[np.int32]) -> NDArray[np.int32]:
    """A copy of an array that is read-only or not flat in memory: numba would compile everything again for it."""
    return array if array.flags.carray and array.dtype == np.int32 else np.array(array, np.int32)
