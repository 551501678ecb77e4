"""How many nodes of a tree stay as they are when it becomes another one.

Of a mapping with the least number of edits, the nodes of the first tree that are neither deleted nor given another
label. Several mappings may have that number of edits; the one that leaves most nodes unchanged counts. With k pairs, u
of them of equal labels, the edits of trees of n and m nodes are n + m - k - u. So costs of 2B - 1 for a deletion or an
insertion and 2B for a relabelling, B > u, order mappings by edits first, and by -u among equals.

These costs are a metric, and an equal pair gains most, so what `trimming` says of unit costs is true of them as well.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import entry
from gitgoodbench.ted.limits import MAX_BYTES
from gitgoodbench.ted.plain import _keyroots, cells
from gitgoodbench.ted.postorder import Postorder
from gitgoodbench.ted.trimming import trimmed

_MAX_CELLS: Final = 4_000_000_000
_BYTES: Final = 16
"""Of the two tables, for each pair of nodes."""


def count_unchanged(first: Postorder, second: Postorder) -> int | None:
    """The unchanged nodes of the first tree; None where the trees are too large. Labels are of one numbering."""
    differing = trimmed(_flat(first), _flat(second))
    if differing is None:
        return len(first)
    a, b = differing
    if _BYTES * len(a) * len(b) > MAX_BYTES or cells(a, b) > _MAX_CELLS:
        return None
    base = len(a) + len(b) + 2
    cost = int(tree_costs(a.labels, a.leftmost, b.labels, b.leftmost, base)[-1, -1])
    nodes = len(a) + len(b)
    edits = -((nodes - cost) // (2 * base - 2))  # cost = nodes + (2B - 2) edits - 2u, and 2u < 2B - 2
    unchanged = (nodes + (2 * base - 2) * edits - cost) // 2
    return len(first) - len(a) + unchanged


def _flat(tree: Postorder) -> Postorder:
    """A tree whose arrays lie flat in memory, as the kernel was compiled for."""
    return Postorder(np.array(tree.labels, np.int32), np.array(tree.leftmost, np.int32))


@entry
def tree_costs(
    labels_a: NDArray[np.int32],
    leftmost_a: NDArray[np.int32],
    labels_b: NDArray[np.int32],
    leftmost_b: NDArray[np.int32],
    base: int,
) -> NDArray[np.int64]:
    """The costs between each subtree of a and each of b: the program of `plain` with these costs."""
    n, m = len(labels_a), len(labels_b)
    alone, other = 2 * base - 1, 2 * base
    trees = np.zeros((n, m), np.int64)
    forests = np.zeros((n + 1, m + 1), np.int64)
    for root_a in _keyroots(leftmost_a):
        first_a = leftmost_a[root_a]
        for root_b in _keyroots(leftmost_b):
            first_b = leftmost_b[root_b]
            for j in range(root_b - first_b + 2):
                forests[0, j] = j * alone
            for a in range(first_a, root_a + 1):
                i = a - first_a + 1
                forests[i, 0] = i * alone
                for b in range(first_b, root_b + 1):
                    j = b - first_b + 1
                    either = min(forests[i - 1, j], forests[i, j - 1]) + alone
                    if leftmost_a[a] == first_a and leftmost_b[b] == first_b:
                        relabel = 0 if labels_a[a] == labels_b[b] else other
                        forests[i, j] = min(either, forests[i - 1, j - 1] + relabel)
                        trees[a, b] = forests[i, j]
                    else:
                        before = forests[leftmost_a[a] - first_a, leftmost_b[b] - first_b]
                        forests[i, j] = min(either, before + trees[a, b])
    return trees
