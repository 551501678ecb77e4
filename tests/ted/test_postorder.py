"""Trees of one's own nodes: made of pairs, of any objects, of counts; told apart from what is none."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

import gitgoodbench.ted
from gitgoodbench.ted import Postorder, Tree, closest_subtree, edit_mapping, equal_trees, parse, tree_edit_distance


def made(root: Any, numbers: dict[Hashable, int]) -> Postorder:
    return Postorder.of(root, numbers)


def test_a_tree_of_pairs() -> None:
    numbers: dict[Hashable, int] = {}
    tree = made(("f", [("a", []), ("g", [("a", []), ("b", [])])]), numbers)
    assert tree.labels.tolist() == [numbers[label] for label in "aabgf"]
    assert tree.leftmost.tolist() == [0, 1, 2, 1, 0]
    assert tree.parents().tolist() == [4, 3, 3, 4, 4]
    assert repr(tree) == "Postorder(5 nodes)"


def test_a_tree_of_other_objects_and_as_deep_as_it_likes() -> None:
    numbers: dict[Hashable, int] = {}
    first, second = (
        Postorder.of(ast.parse(source), numbers, label=type, children=ast.iter_child_nodes)
        for source in ("f(a, b)", "f(a)")
    )
    assert tree_edit_distance(first, second) == 2, "a name and its context"
    deep: Any = ("x", [])
    for _ in range(50_000):
        deep = ("x", [deep])
    assert tree_edit_distance(made(deep, numbers), made(("x", [deep]), numbers)) == 1


def test_nodes_in_postorder_with_the_number_of_their_children() -> None:
    numbers: dict[Hashable, int] = {}
    counted = Postorder.from_counts([("a", 0), ("b", 0), ("f", 2)], numbers)
    assert equal_trees(counted, made(("f", [("a", []), ("b", [])]), numbers))
    with pytest.raises(ValueError, match="node 1 has 2 children, but 1 trees are before it"):
        Postorder.from_counts([("a", 0), ("f", 2)], numbers)
    with pytest.raises(ValueError, match="of 2 trees, not of one"):
        Postorder.from_counts([("a", 0), ("b", 0)], numbers)
    with pytest.raises(ValueError, match="of 0 trees"):
        Postorder.from_counts([], numbers)


def test_searched_in_another_one() -> None:
    numbers: dict[Hashable, int] = {}
    haystack = made(("r", [("a", []), ("f", [("x", []), ("b", [])])]), numbers)
    match = closest_subtree(made(("f", [("x", []), ("y", [])]), numbers), haystack)
    assert (match.distance, match.node) == (1, 3)
    assert match.mapping.edits == (("kept", 0, 0), ("relabelled", 1, 1), ("kept", 2, 2))
    assert repr(match) == "NodeMatch(distance=1, node=3)"


@pytest.mark.parametrize("leftmost", [[0, 9], [-4, 0], [0, 1], [0], [1, 0]])
def test_arrays_that_are_no_tree_are_refused(leftmost: list[int]) -> None:
    tree = made(("f", [("a", [])]), {})
    wrong = Postorder(np.array([0, 1], np.int32), np.array(leftmost, np.int32))
    for compare in (tree_edit_distance, edit_mapping, closest_subtree, equal_trees):
        with pytest.raises(ValueError, match=r"Postorder\.of\(\)"):
            compare(wrong, tree)
    with pytest.raises(ValueError, match="int32"):
        tree_edit_distance(Postorder(np.array([0, 1]), np.array([0, 0])), tree)


def test_what_is_no_tree_is_named() -> None:
    tree, own = parse(b"f(a)\n", "python"), made(("f", []), {})
    pairs: list[tuple[Any, Any]] = [(tree, own), (own, tree), ("f(a)", tree), (None, own), (tree, tree.source)]
    for first, second in pairs:
        given = f"not {type(first).__name__} and {type(second).__name__}: "
        for compare in (tree_edit_distance, edit_mapping, closest_subtree, equal_trees):
            with pytest.raises(TypeError, match=given):
                compare(first, second)


def test_a_node_is_told_by_its_number() -> None:
    tree = parse(b"x = 'a\\n'\n", "python")
    found = [tree.node(number) for number in range(len(tree))]
    assert [(one.kind, one.text, one.start, one.end, one.parent) for one in found] == [
        ("identifier", b"x", 0, 1, 7), ("=", b"=", 2, 3, 7), ("string_start", b"'", 4, 5, 6),
        ("escape_sequence", b"\\n", 6, 8, 4), ("string_content", b"a", 5, 8, 6), ("string_end", b"'", 8, 9, 6),
        ("string", None, 4, 9, 7), ("assignment", None, 0, 9, 8), ("expression_statement", None, 0, 9, 9),
        ("module", None, 0, 10, None),
    ]  # fmt: skip
    with pytest.raises(IndexError, match="0 to"):
        tree.node(len(tree))


def test_all_names_are_there() -> None:
    assert sorted(gitgoodbench.ted.__all__) == sorted(dir(gitgoodbench.ted))
    for name in gitgoodbench.ted.__all__:
        assert getattr(gitgoodbench.ted, name) is not None
    assert gitgoodbench.ted.Tree is Tree
