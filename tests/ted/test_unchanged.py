"""Nodes that stay: counted by hand, and by looking at every mapping there is."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gitgoodbench.ted import parse, tree_edit_distance, unchanged
from gitgoodbench.ted.matching import aligned
from gitgoodbench.ted.postorder import Postorder
from gitgoodbench.ted.unchanged import count_unchanged


def test_of_two_calls_the_name_is_another_and_an_argument_is_more() -> None:
    """f(a) is 8 nodes with its module; g(a, b) has f relabelled, `,` and b inserted."""
    first, second = parse(b"f(a)\n", "python"), parse(b"g(a, b)\n", "python")
    assert (len(first), tree_edit_distance(first, second)) == (8, 3)
    assert count_unchanged(aligned(first, second), second.nodes) == 7
    assert count_unchanged(aligned(second, first), first.nodes) == 7, "of ten, three are deleted or relabelled"


def test_equal_trees_are_unchanged_and_too_large_ones_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = parse(b"f(a)\n", "python"), parse(b"g(a, b)\n", "python")
    monkeypatch.setattr(unchanged, "MAX_BYTES", 1)
    assert count_unchanged(first.nodes, first.nodes) == 8
    assert count_unchanged(aligned(first, second), second.nodes) is None


def test_of_all_mappings_with_the_fewest_edits_the_one_that_keeps_most_counts() -> None:
    choice = random.Random(3)
    for _ in range(150):
        first, second = (random_tree(choice, choice.randrange(1, 6)) for _ in range(2))
        assert count_unchanged(first, second) == most_kept(first, second)


def random_tree(choice: random.Random, size: int) -> Postorder:
    children: dict[int, list[int]] = {node: [] for node in range(size)}
    for node in range(1, size):
        children[choice.randrange(node)].append(node)
    labels: list[int] = []
    leftmost: list[int] = []

    def visit(node: int) -> None:
        first = len(labels)
        for child in children[node]:
            visit(child)
        labels.append(choice.randrange(3))
        leftmost.append(first)

    visit(0)
    return Postorder(np.array(labels, np.int32), np.array(leftmost, np.int32))


def most_kept(first: Postorder, second: Postorder) -> int:
    best = (len(first) + len(second), 0)
    waiting: list[tuple[int, list[tuple[int, int]]]] = [(0, [])]
    while waiting:
        node, pairs = waiting.pop()
        if node == len(first):
            kept = sum(first.labels[a] == second.labels[b] for a, b in pairs)
            best = min(best, (len(first) + len(second) - len(pairs) - int(kept), -int(kept)))
            continue
        waiting.append((node + 1, pairs))
        for other in range(len(second)):
            if all(fits(first, second, (node, other), pair) for pair in pairs):
                waiting.append((node + 1, [*pairs, (node, other)]))
    return -best[1]


def fits(first: Postorder, second: Postorder, one: tuple[int, int], pair: tuple[int, int]) -> bool:
    """Two pairs of a mapping keep left and right, above and below."""
    (a, b), (p, q) = one, pair
    return q != b and (p < a) == (q < b) and (first.leftmost[a] <= p < a) == (second.leftmost[b] <= q < b)
