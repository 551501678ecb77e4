"""Distances of real trees are those that an independent implementation finds (zss, by T. Henderson and S. Johnson)."""

from __future__ import annotations

import inspect
import random
import textwrap
from types import ModuleType

import zss

from gitgoodbench.ted import Tree, closest_subtree, parse, tree_edit_distance

MODULES: tuple[ModuleType, ...] = (inspect, random, textwrap)
PAIRS = 250
SIZES = range(3, 26)


def pieces() -> list[Tree]:
    """Subtrees of the standard library's own sources: as many small ones as larger ones."""
    draw = random.Random(5)
    found = []
    for module in MODULES:
        tree = parse(inspect.getsource(module).encode(), "python")
        by_size: dict[int, list[int]] = {}
        for node, size in enumerate(tree.sizes.tolist()):
            by_size.setdefault(size, []).append(node)
        found += [tree.subtree(draw.choice(by_size[size])) for size in SIZES if size in by_size for _ in range(4)]
    return found


def as_zss(tree: Tree) -> zss.Node:
    made: list[zss.Node] = []
    for node in range(len(tree)):
        children = [made[child] for child in tree.children(node)]
        made.append(zss.Node(tree.vocabulary[tree.nodes.labels[node]], children))
    return made[-1]


def test_distances_of_real_trees_are_those_of_zss() -> None:
    draw = random.Random(7)
    trees = pieces()
    pairs = [(draw.choice(trees), draw.choice(trees)) for _ in range(PAIRS)]
    for first, second in pairs:
        expected = zss.simple_distance(as_zss(first), as_zss(second))
        assert tree_edit_distance(first, second) == expected
        assert tree_edit_distance(second, first) == expected


def test_the_closest_subtree_is_that_of_an_exhaustive_search() -> None:
    draw = random.Random(11)
    trees = pieces()
    for _ in range(60):
        needle, haystack = draw.choice(trees), draw.choice(trees)
        each = [tree_edit_distance(needle, haystack.subtree(node)) for node in range(len(haystack))]
        match = closest_subtree(needle, haystack)
        assert (match.distance, match.node) == (min(each), each.index(min(each)))
