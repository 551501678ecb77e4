"""Which node became which: pairs that make a mapping, as cheap as the distance says and as unchanged as counted."""

from __future__ import annotations

import random

import pytest

from gitgoodbench.ted import mapping, parse, tree_edit_distance
from gitgoodbench.ted.mapping import find_mapping
from gitgoodbench.ted.matching import aligned
from gitgoodbench.ted.postorder import Postorder
from gitgoodbench.ted.unchanged import count_unchanged
from tests.ted.test_unchanged import random_tree


def test_of_two_calls() -> None:
    """f(a) becomes g(a, b): f is relabelled, `,` and b are inserted, all else is kept."""
    first, second = parse(b"f(a)\n", "python"), parse(b"g(a, b)\n", "python")
    pairs = find_mapping(aligned(first, second), second.nodes)
    assert pairs is not None
    texts = [(first.text(a), second.text(b)) for a, b in pairs if first.nodes.leftmost[a] == a]
    assert texts == [(b"f", b"g"), (b"(", b"("), (b"a", b"a"), (b")", b")")]
    left = set(range(len(second))) - {b for _, b in pairs}
    assert sorted(second.text(node) for node in left) == [b",", b"b"]


def test_mappings_keep_order_and_ancestry_and_cost_what_they_must() -> None:
    choice = random.Random(5)
    for _ in range(300):
        first, second = (random_tree(choice, choice.randrange(1, 12)) for _ in range(2))
        pairs = find_mapping(first, second)
        assert pairs is not None
        assert pairs == sorted(pairs)
        for at, (a, b) in enumerate(pairs):
            for c, d in pairs[at + 1 :]:
                assert b < d
                assert inside(first, a, c) == inside(second, b, d)
        kept = sum(1 for a, b in pairs if first.labels[a] == second.labels[b])
        assert kept == count_unchanged(first, second)
        edits = len(first) + len(second) - len(pairs) - kept
        assert edits == least_edits(first, second)


def test_trees_that_are_too_large_are_not_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = parse(b"f(a)\n", "python").nodes
    assert find_mapping(tree, tree) == [(node, node) for node in range(len(tree))]
    monkeypatch.setattr(mapping, "_MAX_PAIRS", 10)
    assert find_mapping(tree, tree) is None


def inside(tree: Postorder, node: int, other: int) -> bool:
    """Whether a node lies below another one that comes after it."""
    return bool(tree.leftmost[other] <= node)


def least_edits(first: Postorder, second: Postorder) -> int:
    from gitgoodbench.ted.plain import subtree_distances

    return int(subtree_distances(first, second)[-1])


def test_equal_sources_are_paired_node_by_node() -> None:
    tree = parse(b"def f(x):\n    return x + 1\n", "python")
    assert tree_edit_distance(tree, tree) == 0
    assert find_mapping(tree.nodes, tree.nodes) == [(node, node) for node in range(len(tree))]
