"""The haystack's side of the fast kernel: its nodes as entries in one list for each group of four nested keyroots.

List g holds the nodes that lie in at least 4 g + 1 nested keyroots; lane l of it stands for the keyroot of level
4 g + l that contains the node. All lists lie behind one another, each after one entry that is always zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled
from gitgoodbench.ted.orders import LANES_OF_A_TREE
from gitgoodbench.ted.vectors import WIDTH

NEVER = -32768
"""Added to a similarity, it makes a number that no similarity is below."""


class Columns(NamedTuple):
    """m nodes, k of them inner, in `entries` entries of g lists.

    ids, first, level: (m,) of the nodes. inner: (k,) the inner nodes.
    before: (g, m + 1) the entry of the first listed node that is not before a node.
    inner_before, starts_before: (entries + 1,) how many inner entries, and starts of keyroots, come before an entry.
    entry_ids, base: (entries + 16,) the label, and for leaves 1, the similarity of any two; else NEVER.
    mask: (entries * 16,) zero in the lane of the keyroot that starts here, ones elsewhere.
    inner_entry, inner_start, inner_rank: of the inner entries: the entry, the start of its keyroot among all starts,
    and its place in `inner`.
    start_entry: of the starts: the entry.
    below: (k,) where in a row lies the similarity to the forest below each inner node.
    last: (m,) where in a row lies the similarity to the tree at each node.
    """

    ids: NDArray[np.int16]
    first: NDArray[np.int32]
    level: NDArray[np.int32]
    inner: NDArray[np.int32]
    before: NDArray[np.int64]
    inner_before: NDArray[np.int64]
    starts_before: NDArray[np.int64]
    entry_ids: NDArray[np.int16]
    base: NDArray[np.int16]
    mask: NDArray[np.int16]
    inner_entry: NDArray[np.int64]
    inner_start: NDArray[np.int64]
    inner_rank: NDArray[np.int64]
    start_entry: NDArray[np.int64]
    below: NDArray[np.int64]
    last: NDArray[np.int64]


@compiled
def columns(ids: NDArray[np.int16], first: NDArray[np.int32], level: NDArray[np.int32]) -> Columns:
    """The lists of a tree's nodes, given each node's label, leftmost leaf and level."""
    m = len(ids)
    lists = 0
    size = 0
    for node in range(m):
        lists = max(lists, level[node] // LANES_OF_A_TREE + 1)
        size += level[node] // LANES_OF_A_TREE + 1
    size += lists
    inner = np.empty(m, np.int32)
    rank = np.empty(m, np.int32)
    inners = 0
    starts_here = np.zeros(m, np.bool_)
    for node in range(m):
        rank[node] = inners
        if first[node] != node:
            inner[inners] = node
            inners += 1
            starts_here[first[node]] = True

    before = np.empty((lists, m + 1), np.int64)
    inner_before = np.empty(size + 1, np.int64)
    starts_before = np.empty(size + 1, np.int64)
    entry_ids = np.zeros(size + WIDTH, np.int16)
    base = np.full(size + WIDTH, NEVER, np.int16)
    mask = np.full(size * WIDTH, -1, np.int16)
    inner_entry = np.empty(size, np.int64)
    inner_start = np.empty(size, np.int64)
    inner_rank = np.empty(size, np.int64)
    start_entry = np.empty(size, np.int64)
    below = np.empty(inners, np.int64)
    last = np.empty(m, np.int64)
    start_at = np.empty(m, np.int32)

    entry = 0
    inner_entries = 0
    starts = 0
    for group in range(lists):
        inner_before[entry] = inner_entries
        starts_before[entry] = starts
        entry += 1
        for node in range(m):
            before[group, node] = entry
            if level[node] < group * LANES_OF_A_TREE:
                continue
            inner_before[entry] = inner_entries
            starts_before[entry] = starts
            lane = level[node] - group * LANES_OF_A_TREE
            entry_ids[entry] = ids[node]
            if first[node] == node:
                base[entry] = 1
                if starts_here[node]:
                    if lane < LANES_OF_A_TREE:
                        for place in range(lane, WIDTH, LANES_OF_A_TREE):
                            mask[entry * WIDTH + place] = 0
                    start_at[node] = starts
                    start_entry[starts] = entry
                    starts += 1
            else:
                inner_entry[inner_entries] = entry
                inner_start[inner_entries] = start_at[first[node]]
                inner_rank[inner_entries] = rank[node]
                inner_entries += 1
                if lane < LANES_OF_A_TREE:
                    below[rank[node]] = (entry - 1) * WIDTH + lane
            if lane < LANES_OF_A_TREE:
                last[node] = entry * WIDTH + lane
            entry += 1
        before[group, m] = entry
    inner_before[entry] = inner_entries
    starts_before[entry] = starts
    return Columns(
        ids,
        first,
        level,
        inner[:inners],
        before,
        inner_before,
        starts_before,
        entry_ids,
        base,
        mask,
        inner_entry,
        inner_start,
        inner_rank,
        start_entry[:starts],
        below,
        last,
    )
