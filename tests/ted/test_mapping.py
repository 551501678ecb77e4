"""Which node became which: as cheap as the distance says, a mapping, and the one that keeps most."""

from __future__ import annotations

import random
from typing import Any

import pytest
import zss
from apted import APTED, Config
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.ted import Postorder, Tree, TreeTooLarge, closest_subtree, edit_mapping, pairing, parse
from gitgoodbench.ted.matching import aligned
from gitgoodbench.ted.pairing import count_unchanged
from gitgoodbench.ted.plain import subtree_distances
from tests.support.mappings import check_mapping, most_kept
from tests.support.random_trees import random_pair, random_tree
from tests.ted.test_kernel import nested, size
from tests.ted.test_real_pairs import pieces

SOURCES = (b"f(a)\n", b"g(a, b)\n")


def two_calls() -> tuple[Tree, Tree]:
    first, second = (parse(source, "python") for source in SOURCES)
    return first, second


def test_of_two_calls() -> None:
    """f(a) becomes g(a, b): f is relabelled, `,` and b are inserted, all else is kept."""
    first, second = two_calls()
    mapping = edit_mapping(first, second)
    assert repr(mapping) == "EditMapping(distance=3, kept=7, relabelled=1, deleted=0, inserted=2)"
    changed = [edit for edit in mapping.edits if edit.kind != "kept"]
    assert changed == [("relabelled", 0, 0), ("inserted", None, 3), ("inserted", None, 4)]
    assert [second.text(edit.after or 0) for edit in changed] == [b"g", b",", b"b"]
    kept = [(edit.before, edit.after) for edit in mapping.edits if edit.kind == "kept"]
    assert kept == [(1, 1), (2, 2), (3, 5), (4, 6), (5, 7), (6, 8), (7, 9)]
    before, after = mapping.marks()
    assert before == ["relabelled", *["kept"] * 7]
    assert after == ["relabelled", "kept", "kept", "inserted", "inserted", *["kept"] * 5]


def test_of_equal_trees_each_node_is_kept() -> None:
    tree = parse(b"def f(x):\n    return x + 1\n", "python")
    mapping = edit_mapping(tree, tree)
    assert mapping.pairs.tolist() == [[node, node] for node in range(len(tree))]
    assert [edit.kind for edit in mapping.edits] == ["kept"] * len(tree)


def test_deleted_and_inserted_nodes_stand_between_the_pairs_around_them() -> None:
    numbers: dict[Any, int] = {}
    first = Postorder.of(("r", [("a", []), ("x", []), ("b", [])]), numbers)
    second = Postorder.of(("r", [("a", []), ("y", [("b", [])])]), numbers)
    assert edit_mapping(first, second).edits == (
        ("kept", 0, 0), ("deleted", 1, None), ("kept", 2, 1), ("inserted", None, 2), ("kept", 3, 3),
    )  # fmt: skip


def test_of_all_mappings_with_the_fewest_edits_one_that_keeps_most_is_found() -> None:
    choice = random.Random(3)
    for _ in range(150):
        first, second = random_pair(choice, 5, shared=choice.random() < 0.5)
        assert edit_mapping(first, second).counts["kept"] == most_kept(first, second)
        assert count_unchanged(first, second) == most_kept(first, second)


def check(first: Postorder, second: Postorder) -> None:
    mapping = edit_mapping(first, second)
    check_mapping(mapping, int(subtree_distances(first, second)[-1]))
    assert mapping.counts["kept"] == count_unchanged(first, second)


@given(st.randoms(use_true_random=False), st.integers(1, 30), st.booleans())
def test_mappings_keep_order_and_ancestry_and_cost_the_distance(draw: random.Random, most: int, shared: bool) -> None:
    check(*random_pair(draw, most, shared=shared))


def test_trees_beyond_the_fast_kernel_have_the_same_mappings(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = random.Random(8)
    pairs = [random_pair(choice, 40, shared=choice.random() < 0.3) for _ in range(200)]
    expected = [edit_mapping(*pair).counts for pair in pairs]
    monkeypatch.setattr(pairing, "MAX_NEEDLE", 0)
    for pair, counts in zip(pairs, expected, strict=True):
        check(*pair)
        assert edit_mapping(*pair).counts == counts


@pytest.mark.parametrize("shape", ["chain", "star", "left comb", "right comb", "zigzag"])
def test_trees_of_one_shape(shape: str) -> None:
    choice = random.Random(2)
    check(random_tree(choice, 200, shape, 3), random_tree(choice, 170, shape, 3))


def test_real_trees_cost_what_other_implementations_say() -> None:
    """zss gives operations, apted a mapping; neither must be the same one, but all must cost the same.

    Of several nodes deleted (inserted) at the start of a tree zss 1.2 lists only the last, so its pairs are counted.
    """
    draw = random.Random(7)
    trees = pieces()
    for _ in range(100):
        first, second = draw.choice(trees), draw.choice(trees)
        mapping = edit_mapping(first, second)
        own = nested(aligned(first, second)), nested(second.nodes)
        assert mapping.distance == cost_of_zss(*own) == cost_of_apted(*own)
        check_mapping(mapping, mapping.distance)


def cost_of_zss(first: Any, second: Any) -> int:
    def children(node: Any) -> list[Any]:
        return list(node[1])

    def differ(one: Any, other: Any) -> int:
        return int(one != other)

    def label(node: Any) -> Any:
        return node[0]

    cost, operations = zss.simple_distance(first, second, children, label, differ, return_operations=True)
    kinds = [one.type for one in operations]
    pairs = 2 * kinds.count(zss.Operation.match) + kinds.count(zss.Operation.update)
    assert cost == size((first,)) + size((second,)) - pairs
    return int(cost)


class Labels(Config):  # type: ignore[misc]
    def rename(self, a: Any, b: Any) -> int:
        return int(a[0] != b[0])

    def children(self, node: Any) -> list[Any]:
        return list(node[1])


def cost_of_apted(first: Any, second: Any) -> int:
    pairs = APTED(first, second, Labels()).compute_edit_mapping()
    return sum(a is None or b is None or a[0] != b[0] for a, b in pairs)


def test_a_match_tells_its_mapping() -> None:
    needle = parse(b"f(a)\n", "python").subtree(5)
    haystack = parse(b"x = 1\ny = f(b)\n", "python")
    match = closest_subtree(needle, haystack)
    mapping = match.mapping
    check_mapping(mapping, match.distance)
    assert mapping is match.mapping
    (edit,) = (edit for edit in mapping.edits if edit.kind != "kept")
    assert (edit.kind, needle.node(edit.before or 0).text) == ("relabelled", b"a")
    node = mapping.second.node(edit.after or 0)
    assert (node.text, node.start, node.end) == (b"b", 12, 13)
    assert haystack.node(int(haystack.nodes.leftmost[match.node]) + (edit.after or 0)).text == b"b"


@pytest.mark.parametrize("limit", ["MAX_BYTES", "MAX_CELLS"])
def test_trees_that_differ_in_too_much_are_refused(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    first, second = two_calls()
    monkeypatch.setattr(pairing, limit, 1)
    assert edit_mapping(first, first).distance == 0
    with pytest.raises(TreeTooLarge, match="compare smaller pieces"):
        edit_mapping(first, second)


def test_unchanged_nodes_are_counted_within_a_limit() -> None:
    """f(a) is 8 nodes with its module; g(a, b) has f relabelled, `,` and b inserted."""
    first, second = two_calls()
    assert count_unchanged(aligned(first, second), second.nodes) == 7
    assert count_unchanged(aligned(second, first), first.nodes) == 7, "of ten, three are deleted or relabelled"
    assert count_unchanged(first.nodes, first.nodes, cells=0) == 8
    with pytest.raises(TreeTooLarge):
        count_unchanged(aligned(first, second), second.nodes, cells=1)
