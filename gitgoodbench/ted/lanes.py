"""The dynamic program of the fast kernel: sixteen forests of the needle and the haystack at a time.

It is that of `plain`, turned around and cut down:

- It counts what two forests share, S = a + b - distance for a and b nodes: 2 for a pair of equal labels, 1 for another
  pair. S is 0 beside an empty forest and never falls from row to row or column to column. So any number that was right
  for a smaller forest is a safe stand-in, and 16 bits do for 16,383 nodes.
- Leaves pair only with leaves, inner nodes with inner nodes. That loses nothing if no label is common to a leaf of one
  tree and an inner node of the other: where a leaf pairs with an inner node, it could as well pair with a leaf below.
- A node of the needle is a row for every keyroot that contains it, a node of the haystack a column. They nest, so that
  one vector holds the cell of row and column for four of the needle's keyroots and four of the haystack's. The
  similarity of two trees is the same number in all lanes; it is found beforehand from the row before, where the lowest
  keyroots of both hold the forests below the two nodes.
- Rows compute only the columns of their window, `low` to `high`; see `corridor`.

Lane 4 a + b stands for the needle's keyroot of level 4 g + a and the haystack's of level 4 h + b. A lane without such a
keyroot holds nothing of use, and is cleared where one begins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.columns import NEVER, Columns
from gitgoodbench.ted.compiled import compiled
from gitgoodbench.ted.orders import LANES_OF_A_TREE
from gitgoodbench.ted.vectors import WIDTH, add, at, both, equal, larger, load, splat, store, subtract


@compiled
def similarities(
    ids: NDArray[np.int16],
    first: NDArray[np.int32],
    level: NDArray[np.int32],
    columns: Columns,
    low: NDArray[np.int32],
    high: NDArray[np.int32],
) -> tuple[NDArray[np.int16], int]:
    """What the whole needle (an inner node at its root) shares with the tree at each inner node of the haystack.

    low, high: (n + 1,) the first and last point of each row that counts: after how many nodes of the haystack, when
    that many of the needle's have been walked. Neither may fall. A similarity whose best pairing leaves the windows
    comes out as that of a worse one. Second result: the cells computed.
    """
    n = len(ids)
    starts = np.empty(n, np.int32)  # the level of the keyroot whose leftmost leaf this is
    rank = np.empty(n, np.int32)  # of the inner nodes
    inners = 0
    vectors = 0
    top = 0
    for node in range(n):
        top = max(top, level[node])
        rank[node] = inners
        if first[node] == node:
            starts[node] = -1
        else:
            starts[first[node]] = level[node]
            inners += 1

    m = len(columns.ids)
    before, mask, base, entry_ids = columns.before, columns.mask, columns.base, columns.entry_ids
    inner_before, starts_before = columns.inner_before, columns.starts_before
    row = np.empty(len(mask), np.int16)
    paired = np.empty(len(base), np.int16)
    corners = np.zeros((top + 1, len(columns.start_entry) * WIDTH), np.int16)  # the row before each open keyroot
    trees = np.empty((inners, len(columns.inner)), np.int16)  # with the two roots paired
    alive = np.empty((LANES_OF_A_TREE, WIDTH), np.int16)  # all lanes but those of one of the needle's keyroots
    for lane in range(LANES_OF_A_TREE):
        for place in range(WIDTH):
            alive[lane, place] = 0 if place // LANES_OF_A_TREE == lane else -1
    for group in range(top // LANES_OF_A_TREE, -1, -1):
        lowest = group * LANES_OF_A_TREE
        for place in range(len(row)):
            row[place] = 0
        for node in range(n):
            if level[node] < lowest:
                continue
            from_, to = max(low[node + 1] - 1, 0), high[node + 1]
            if first[node] == node:
                for others in range(len(before)):
                    begin, end = before[others, from_], before[others, to]
                    vectors += end - begin
                    if starts[node] >= lowest:
                        kept = corners[starts[node] - lowest]
                        edge = before[others, max(low[node] - 1, 0)] - 1
                        if starts[node] - lowest < LANES_OF_A_TREE:
                            _clear(edge, before[others, high[node]], alive[starts[node] - lowest], row)
                        first_start = starts_before[before[others, low[node]]]
                        end_start = starts_before[before[others, min(high[node] + 1, m)]]
                        _keep(first_start, end_start, columns.start_entry, mask, row, kept)
                    _walk_leaf(ids[node], begin, end, entry_ids, base, mask, paired, row)
            else:
                below = level[node] - lowest
                similar = trees[rank[node]]
                if below < LANES_OF_A_TREE:
                    begin, end = inner_before[before[0, from_]], inner_before[before[0, to]]
                    window = low[first[node]], high[first[node]]
                    place = below * LANES_OF_A_TREE
                    _pair_roots(
                        begin,
                        end,
                        ids[node],
                        window,
                        place,
                        columns.ids,
                        columns.first,
                        columns.inner,
                        columns.below,
                        row,
                        similar,
                    )
                for others in range(len(before)):
                    begin, end = before[others, from_], before[others, to]
                    vectors += end - begin
                    _pair_trees(
                        inner_before[begin],
                        inner_before[end],
                        columns.inner_entry,
                        columns.inner_start,
                        columns.inner_rank,
                        similar,
                        corners[below],
                        row,
                    )
                    _spread(begin, end, mask, row)
    return row, WIDTH * vectors


@compiled
def _clear(begin: int, end: int, alive: NDArray[np.int16], row: NDArray[np.int16]) -> None:
    """Make the lanes empty that are not alive."""
    keep = load(alive, 0)
    for entry in range(begin, end):
        store(row, entry * WIDTH, both(load(row, entry * WIDTH), keep))


@compiled
def _keep(
    begin: int,
    end: int,
    start_entry: NDArray[np.int64],
    mask: NDArray[np.int16],
    row: NDArray[np.int16],
    corners: NDArray[np.int16],
) -> None:
    """Keep the row at the columns before which a keyroot of the haystack begins, empty in that keyroot's lanes."""
    for start in range(begin, end):
        entry = at(start_entry, start)
        corner = both(load(row, (entry - 1) * WIDTH), load(mask, entry * WIDTH))
        store(corners, start * WIDTH, corner)


@compiled
def _walk_leaf(
    label: int,
    begin: int,
    end: int,
    entry_ids: NDArray[np.int16],
    base: NDArray[np.int16],
    mask: NDArray[np.int16],
    paired: NDArray[np.int16],
    row: NDArray[np.int16],
) -> None:
    """The row of a leaf: it is left out, or pairs with the leaf of its column, or the column is left out."""
    wanted = splat(label)
    for entry in range(begin, end, WIDTH):
        store(paired, entry, subtract(load(base, entry), equal(load(entry_ids, entry), wanted)))
    left = load(row, (begin - 1) * WIDTH)
    before = left
    for entry in range(begin, end):
        place = entry * WIDTH
        alive = load(mask, place)
        above = load(row, place)
        either = larger(above, add(both(before, alive), splat(at(paired, entry))))
        left = larger(either, both(left, alive))
        before = above
        store(row, place, left)


@compiled
def _pair_roots(
    begin: int,
    end: int,
    label: int,
    window: tuple[int, int],
    lane: int,
    ids: NDArray[np.int16],
    first: NDArray[np.int32],
    inner: NDArray[np.int32],
    below: NDArray[np.int64],
    row: NDArray[np.int16],
    trees: NDArray[np.int16],
) -> None:
    """The similarity of a tree of the needle to each of the haystack's, their roots paired."""
    low, high = window
    for rank in range(begin, end):
        node = at(inner, rank)
        if low <= at(first, node) <= high:
            trees[rank] = at(row, at(below, rank) + lane) + 1 + (at(ids, node) == label)
        else:
            trees[rank] = NEVER


@compiled
def _pair_trees(
    begin: int,
    end: int,
    inner_entry: NDArray[np.int64],
    inner_start: NDArray[np.int64],
    inner_rank: NDArray[np.int64],
    trees: NDArray[np.int16],
    corners: NDArray[np.int16],
    row: NDArray[np.int16],
) -> None:
    """First half of the row of an inner node: it is left out, or pairs with the inner node of its column."""
    for inner in range(begin, end):
        place = at(inner_entry, inner) * WIDTH
        corner = load(corners, at(inner_start, inner) * WIDTH)
        paired = add(corner, splat(at(trees, at(inner_rank, inner))))
        store(row, place, larger(load(row, place), paired))


@compiled
def _spread(begin: int, end: int, mask: NDArray[np.int16], row: NDArray[np.int16]) -> None:
    """The other half: or the column's node is left out."""
    left = load(row, (begin - 1) * WIDTH)
    for entry in range(begin, end):
        place = entry * WIDTH
        left = larger(load(row, place), both(left, load(mask, place)))
        store(row, place, left)
