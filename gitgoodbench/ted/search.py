"""The closest subtree by bounds first and the fast kernel where they leave a doubt."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.columns import columns
from gitgoodbench.ted.compiled import compiled, entry
from gitgoodbench.ted.corridor import backwards, corridor, differences, edit_distance, occurrences
from gitgoodbench.ted.labels import MIXED, UNBOUNDED, bag_bounds, numbered
from gitgoodbench.ted.lanes import similarities
from gitgoodbench.ted.limits import MAX_BYTES, MAX_CELLS
from gitgoodbench.ted.orders import groups, mirrored, nesting

UNFIT = -1
"""Instead of a distance: the trees' labels are such that only the plain kernel is right."""


class Needle(NamedTuple):
    """A tree walked from the better side, how many labels it has, and their `occurrences`, also read backwards."""

    ids: NDArray[np.int16]
    first: NDArray[np.int32]
    level: NDArray[np.int32]
    alphabet: int
    forward: NDArray[np.uint64]
    backward: NDArray[np.uint64]


class Tree(NamedTuple):
    """A tree of the haystack, by itself."""

    ids: NDArray[np.int16]
    first: NDArray[np.int32]
    level: NDArray[np.int32]


class Haystack(NamedTuple):
    """A tree of m nodes walked from the same side; `places` of its nodes in that order, and `nodes` of the places."""

    ids: NDArray[np.int16]
    first: NDArray[np.int32]
    level: NDArray[np.int32]
    places: NDArray[np.int32]
    nodes: NDArray[np.int32]


@entry
def search(
    labels_a: NDArray[np.int32],
    first_a: NDArray[np.int32],
    labels_b: NDArray[np.int32],
    first_b: NDArray[np.int32],
    only_whole: bool,
) -> tuple[int, int, int]:
    """The least distance of a, of at least two nodes, to a tree in b, and the first node with it; or UNFIT.

    only_whole: only to all of b, also of at least two nodes. The third number is how many cells of the dynamic program
    were computed, sixteen at a time.
    """
    count, ids_a, ids_b = numbered(labels_a, first_a, labels_b, first_b)
    if count == MIXED:
        return UNFIT, 0, 0
    needle, haystack = _walked(count, ids_a, first_a, ids_b, first_b)
    n, m = len(labels_a), len(labels_b)
    if only_whole:
        tree = _tree_at(haystack, m - 1)
        _check(needle, tree)
        distance, cells = _distance_within(needle, tree, differences(needle.forward, tree.ids), n + m)
        return distance, m - 1, cells
    return _closest(needle, haystack)


@entry
def whole_corridor(
    labels_a: NDArray[np.int32],
    first_a: NDArray[np.int32],
    labels_b: NDArray[np.int32],
    first_b: NDArray[np.int32],
    level_a: NDArray[np.int32],
    level_b: NDArray[np.int32],
) -> tuple[int, NDArray[np.int32], NDArray[np.int32]]:
    """The distance of two trees as they are walked, both of at least two nodes, or UNFIT; and the `corridor` at it."""
    count, ids_a, ids_b = numbered(labels_a, first_a, labels_b, first_b)
    if count == MIXED:
        return UNFIT, first_a, first_b
    n, m = len(ids_a), len(ids_b)
    forward, backward = occurrences(count, ids_a), occurrences(count, backwards(ids_a))
    needle, tree = Needle(ids_a, first_a, level_a, count, forward, backward), Tree(ids_b, first_b, level_b)
    _check(needle, tree)
    steps = differences(forward, ids_b)
    distance, _ = _distance_within(needle, tree, steps, n + m)
    low, high = corridor(steps, differences(backward, backwards(ids_b)), n, distance)
    return distance, low, high


@compiled
def _closest(needle: Needle, haystack: Haystack) -> tuple[int, int, int]:
    """Bounds refined and trees compared, the most promising first, until no other can be closer."""
    n, m = len(needle.ids), len(haystack.ids)
    cells = 0
    bounds = bag_bounds(needle.alphabet, needle.ids, haystack.ids, haystack.first)
    best, best_node = _closest_leaf(needle, haystack)
    refined = np.zeros(m, np.bool_)
    kept = -1  # the place whose `steps` are at hand
    steps = needle.forward.reshape(1, needle.forward.shape[0], needle.forward.shape[1])
    compared = False
    while True:
        node, bound = _next(bounds, haystack, needle.ids[n - 1], best)
        if bound > best or (bound == best and node > best_node):
            return best, best_node, cells
        place = haystack.places[node]
        if compared or bound > n // 2:
            top, cost = _alternative(bounds, refined, haystack.first, place, best, n)
            if cost > n * (top - haystack.first[top] + 1):
                best, best_node, more = _compare_all(needle, haystack, top, bounds, best, best_node)
                cells += more
                continue
        tree = _tree_at(haystack, place)
        if _relabelled(needle, tree) == bound:
            best, best_node = bound, node
            bounds[place] = UNBOUNDED
            continue
        if kept != place:
            _check(needle, tree)
            steps = differences(needle.forward, tree.ids)
            kept = place
        if not refined[place]:
            bounds[place] = max(bound, edit_distance(steps, n))
            refined[place] = True
            continue
        bounds[place] = UNBOUNDED
        compared = True
        distance, more = _distance_within(needle, tree, steps, best if node < best_node else best - 1)
        cells += more
        if distance < best or (distance == best and node < best_node):
            best, best_node = distance, node


@compiled
def _next(bounds: NDArray[np.int32], haystack: Haystack, root: int, best: int) -> tuple[int, int]:
    """A node with the least bound, and the bound: the first one, or better one with the needle's `root` label.

    Where it is the best distance so far, only an earlier node can still count: then it is the first one.
    """
    least = UNBOUNDED
    for bound in bounds:
        least = min(least, bound)
    first = -1
    for node in range(len(bounds)):
        place = haystack.places[node]
        if bounds[place] == least:
            if least == best or haystack.ids[place] == root:
                return node, least
            if first < 0:
                first = node
    return first, least


@compiled
def _walked(
    count: int,
    ids_a: NDArray[np.int16],
    first_a: NDArray[np.int32],
    ids_b: NDArray[np.int16],
    first_b: NDArray[np.int32],
) -> tuple[Needle, Haystack]:
    """Both trees from the side from which the dynamic program has fewer cells."""
    depth_a, level_a, right_a = nesting(first_a)
    depth_b, level_b, right_b = nesting(first_b)
    m = len(ids_b)
    if groups(right_a) * groups(right_b) < groups(level_a) * groups(level_b):
        ids_a, first_a, level_a, _ = mirrored(ids_a, first_a, depth_a, right_a)
        ids_b, first_b, level_b, places_b = mirrored(ids_b, first_b, depth_b, right_b)
    else:
        places_b = np.empty(m, np.int32)
        for node in range(m):
            places_b[node] = node
    nodes_b = np.empty(m, np.int32)
    for node in range(m):
        nodes_b[places_b[node]] = node
    forward = occurrences(count, ids_a)
    backward = occurrences(count, backwards(ids_a))
    needle = Needle(ids_a, first_a, level_a, count, forward, backward)
    return needle, Haystack(ids_b, first_b, level_b, places_b, nodes_b)


@compiled
def _closest_leaf(needle: Needle, haystack: Haystack) -> tuple[int, int]:
    """The leaf of the haystack that is closest, and its distance: a leaf pairs with a leaf, or with an equal one."""
    has = np.zeros(needle.alphabet + 1, np.bool_)
    for node in range(len(needle.ids)):
        if needle.ids[node] & 1:
            has[needle.ids[node] >> 1] = True
    for node in range(len(haystack.ids)):
        label = haystack.ids[haystack.places[node]]
        if label & 1 and has[label >> 1]:
            return len(needle.ids) - 1, node
    return len(needle.ids), 0


@compiled
def _alternative(
    bounds: NDArray[np.int32], refined: NDArray[np.bool_], first: NDArray[np.int32], place: int, best: int, n: int
) -> tuple[int, int]:
    """The highest tree around `place` that may be as close as `best`; what looking at all such trees in it one by one
    may cost, in cells of the dynamic program.
    """
    top = place
    other = place + 1
    while other < len(first) and other - first[place] < 2 * n:
        if first[other] <= first[place] and bounds[other] <= best:
            top = other
        other += 1
    cost = 0
    for other in range(first[top], top + 1):
        if bounds[other] <= best:
            size = other - first[other] + 1
            if refined[other]:
                cost += 8000 + n * min(size, 3 * (best - bounds[other]) + 8)
            else:
                cost += 1000 + n * size // 8
    return top, cost


@compiled
def _tree_at(haystack: Haystack, root: int) -> Tree:
    begin = haystack.first[root]
    inside = slice(begin, root + 1)
    return Tree(haystack.ids[inside], haystack.first[inside] - begin, haystack.level[inside] - haystack.level[root])


@compiled
def _relabelled(needle: Needle, tree: Tree) -> int:
    """How many labels differ between two trees of one shape; UNBOUNDED if the shapes differ."""
    if len(needle.ids) != len(tree.ids):
        return UNBOUNDED
    different = 0
    for node in range(len(tree.ids)):
        if needle.first[node] != tree.first[node]:
            return UNBOUNDED
        different += needle.ids[node] != tree.ids[node]
    return different


@compiled
def _distance_within(needle: Needle, tree: Tree, steps: NDArray[np.uint64], limit: int) -> tuple[int, int]:
    """The distance of the needle to a tree, or some number above `limit` if it is above; and the cells it took.

    steps: the `differences` of the labels. A guess of how much farther than its string of labels the tree is makes the
    corridor, and what is found there is right if it is within the guess, and else a better one.
    """
    n, m = len(needle.ids), len(tree.ids)
    cells = 0
    least = edit_distance(steps, n)
    if least > limit:
        return limit + 1, cells
    if _relabelled(needle, tree) == least:
        return least, cells
    backward = differences(needle.backward, backwards(tree.ids))
    entries = columns(tree.ids, tree.first, tree.level)
    slack = 2 + least // 8
    allowed = limit if limit <= least + 2 * slack else least + slack
    while True:
        low, high = corridor(steps, backward, n, allowed)
        shared, more = similarities(needle.ids, needle.first, needle.level, entries, low, high)
        cells += more
        distance = n + m - shared[entries.last[m - 1]]
        if distance <= allowed:
            return distance, cells
        if allowed == limit:
            return limit + 1, cells
        allowed = min(limit, distance)


@compiled
def _check(needle: Needle, tree: Tree) -> None:
    """Refuse a comparison that would take too much memory or time, by a MemoryError."""
    rows, columns = groups(needle.level), groups(tree.level)
    deepest = 0
    for level in needle.level:
        deepest = max(deepest, level)
    strings = 64 * len(tree.ids) * needle.forward.shape[1]
    vectors = 32 * (2 * columns + (deepest + 1) * columns // 2)
    pairs = 2 * _inner_nodes(needle.ids) * _inner_nodes(tree.ids)
    if strings + vectors + pairs > MAX_BYTES or rows * columns > MAX_CELLS:
        raise MemoryError


@compiled
def _inner_nodes(ids: NDArray[np.int16]) -> int:
    count = 0
    for label in ids:
        count += (label & 1) == 0
    return count


@compiled
def _compare_all(
    needle: Needle, haystack: Haystack, root: int, bounds: NDArray[np.int32], best: int, best_node: int
) -> tuple[int, int, int]:
    """The best so far or in the tree at `root`: all its subtrees are compared at once, and get no bound any more."""
    tree = _tree_at(haystack, root)
    _check(needle, tree)
    n, m = len(needle.ids), len(tree.ids)
    entries = columns(tree.ids, tree.first, tree.level)
    low, high = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    for row in range(n + 1):
        low[row], high[row] = 0, m
    shared, cells = similarities(needle.ids, needle.first, needle.level, entries, low, high)
    begin = haystack.first[root]
    for place in range(m):
        if tree.first[place] != place:
            node = haystack.nodes[begin + place]
            distance = n + place - tree.first[place] + 1 - shared[entries.last[place]]
            if distance < best or (distance == best and node < best_node):
                best, best_node = distance, node
            bounds[begin + place] = UNBOUNDED
    return best, best_node, cells
