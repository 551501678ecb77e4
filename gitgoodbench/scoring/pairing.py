"""One-to-one pairs of trees by how much of each is in the other, comparing as few of them as possible.

Bags of labels bound every pair from above. An assignment is solved on the bounds; the pairs that it chose are compared,
their bounds give way to what was found, and so on until an assignment holds only pairs that were compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.scoring.assignment import best_assignment
from gitgoodbench.ted import Tree


def common_labels(first: Sequence[Tree], second: Sequence[Tree]) -> NDArray[np.int64]:
    """How many labels each tree has in common with each other one, counted as often as both have them: (n, m).

    The trees share one vocabulary (see `matching.unified`). No edit mapping keeps more nodes as they are, so for a in
    `first` and t in `second`, |a| less the distance of a to any subtree of t is at most this.
    """
    from scipy.sparse import csr_matrix

    counted = [np.concatenate([_occurrences(tree) for tree in trees]) for trees in (first, second)]
    distinct, columns = np.unique(np.concatenate(counted), axis=0, return_inverse=True)
    columns = columns.reshape(-1)
    split = len(counted[0])
    bags = []
    for trees, places in ((first, columns[:split]), (second, columns[split:])):
        ends = np.cumsum([0, *map(len, trees)])
        bags.append(csr_matrix((np.ones(len(places), np.int64), places, ends), (len(trees), len(distinct))))
    common: NDArray[np.int64] = (bags[0] @ bags[1].T).toarray()
    return common


def _occurrences(tree: Tree) -> NDArray[np.int64]:
    """Of each node its label and how many of that label are before it, in some order: two bags share such pairs."""
    labels = np.sort(tree.nodes.labels).astype(np.int64)
    starts = np.flatnonzero(np.append(True, labels[1:] != labels[:-1]))
    return np.stack([labels, np.arange(len(labels)) - np.repeat(starts, np.diff(np.append(starts, len(labels))))], 1)


def pair_up(bounds: NDArray[Any], value: Callable[[int, int], float]) -> dict[tuple[int, int], float]:
    """Pairs of a row and a column whose values add up to the most, with these; pairs worth nothing are left out.

    Args:
        bounds: at least the value of each pair, which is at least 0.
        value: of a row and a column; asked only where the bounds leave a doubt.
    """
    values = bounds.astype(np.float64)
    known = values <= 0
    while True:
        pairs = best_assignment(values)
        in_doubt = [pair for pair in pairs if not known[pair]]
        for pair in in_doubt:
            values[pair], known[pair] = value(*pair), True
        if not in_doubt:
            return {pair: float(values[pair]) for pair in pairs if values[pair]}
