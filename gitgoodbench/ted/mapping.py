"""Which node became which, where one tree becomes another one: a mapping as `unchanged` counts it.

Of the mappings with the least number of edits, one that leaves most nodes unchanged. Nodes of the first tree that it
does not pair are deleted, those of the second inserted; pairs of different labels are relabelled.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import entry
from gitgoodbench.ted.plain import cells
from gitgoodbench.ted.postorder import Postorder
from gitgoodbench.ted.unchanged import tree_costs

_MAX_CELLS: Final = 200_000_000
_MAX_PAIRS: Final = 4_000_000


def find_mapping(first: Postorder, second: Postorder) -> list[tuple[int, int]] | None:
    """Pairs of nodes, ascending; None where the trees are too large. Labels are of one numbering."""
    if len(first) * len(second) > _MAX_PAIRS or cells(first, second) > _MAX_CELLS:
        return None
    a = np.array(first.labels, np.int32), np.array(first.leftmost, np.int32)
    b = np.array(second.labels, np.int32), np.array(second.leftmost, np.int32)
    base = len(first) + len(second) + 2
    trees = tree_costs(*a, *b, base)
    pairs: list[tuple[int, int]] = []
    waiting = [(len(first) - 1, len(second) - 1)]
    while waiting:
        roots = waiting.pop()
        forests = _forest_costs(*a, *b, base, *roots, trees)
        _trace(forests, a[1], b[1], roots, 2 * base - 1, pairs, waiting)
    return sorted(pairs)


def _trace(
    forests: NDArray[np.int64],
    leftmost_a: NDArray[np.int32],
    leftmost_b: NDArray[np.int32],
    roots: tuple[int, int],
    alone: int,
    pairs: list[tuple[int, int]],
    waiting: list[tuple[int, int]],
) -> None:
    """Walk a cheapest way back through the costs of two subtrees; pairs of subtrees inside wait for their own."""
    first_a, first_b = int(leftmost_a[roots[0]]), int(leftmost_b[roots[1]])
    i, j = roots[0] - first_a + 1, roots[1] - first_b + 1
    while i and j:
        a, b = first_a + i - 1, first_b + j - 1
        if forests[i, j] == forests[i - 1, j] + alone:
            i -= 1
        elif forests[i, j] == forests[i, j - 1] + alone:
            j -= 1
        elif leftmost_a[a] == first_a and leftmost_b[b] == first_b:
            pairs.append((a, b))
            i, j = i - 1, j - 1
        else:
            waiting.append((a, b))
            i, j = int(leftmost_a[a]) - first_a, int(leftmost_b[b]) - first_b


@entry
def _forest_costs(
    labels_a: NDArray[np.int32],
    leftmost_a: NDArray[np.int32],
    labels_b: NDArray[np.int32],
    leftmost_b: NDArray[np.int32],
    base: int,
    root_a: int,
    root_b: int,
    trees: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The costs between all beginnings of two subtrees, as in `tree_costs`; [i, j]: of i nodes and of j nodes."""
    alone, other = 2 * base - 1, 2 * base
    first_a, first_b = leftmost_a[root_a], leftmost_b[root_b]
    forests = np.zeros((root_a - first_a + 2, root_b - first_b + 2), np.int64)
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
            else:
                before = forests[leftmost_a[a] - first_a, leftmost_b[b] - first_b]
                forests[i, j] = min(either, before + trees[a, b])
    return forests
