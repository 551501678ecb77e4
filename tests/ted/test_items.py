"""Items: what they are, the same in all languages, and that every node is in one of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gitgoodbench
from gitgoodbench.ted import Tree, closest_subtree, equal_trees, parse
from gitgoodbench.ted.fragments import excerpt
from gitgoodbench.ted.items import itemized, items
from gitgoodbench.ted.languages import LANGUAGES, grammar, language_of_file
from gitgoodbench.ted.tree import has_text
from tests.support.reorderings import REORDERINGS, Reordering


def described(source: bytes, language: str) -> list[tuple[str, int]]:
    return [(item.kind(item.root), len(item)) for item in items(parse(source, language))]


def labels(tree: Tree, nodes: range) -> Counter[bytes]:
    return Counter(tree.vocabulary[tree.nodes.labels[node]].removesuffix(b"\2") for node in nodes)


def check_whole(tree: Tree) -> None:
    """Every node is in one item, but for the root and those that only hold items together; and it stays so."""
    found = items(tree)
    inside = sum((labels(item, range(len(item))) for item in found), Counter())
    left = labels(tree, range(tree.root)) - inside
    assert not inside - labels(tree, range(tree.root))
    assert not any(has_text(label) for label in left)
    assert len(tree) == 1 + sum(map(len, found)) + left.total()
    flat = itemized(tree)
    assert flat.children(flat.root) == sorted(flat.children(flat.root))
    assert len(flat) == 1 + sum(map(len, found))
    assert itemized(flat) is flat
    assert all(closest_subtree(item, flat).distance == 0 for item in found[:5])


def test_a_class_is_what_remains_of_it_and_its_members() -> None:
    source = b"@final\nclass A(B):\n    x = 1\n\n    def f(self):\n        return 1\n"
    found = items(parse(source, "python"))
    assert [(item.kind(item.root), len(item)) for item in found] == [
        ("decorated_definition", 13),  # final @, decorator, class A ( B ) argument_list : block, class_definition
        ("expression_statement", 5),
        ("function_definition", 12),
    ]
    assert equal_trees(found[2], items(parse(b"def f(self):\n    return 1\n", "python"))[0])


def test_members_of_an_inner_class_are_items_after_it() -> None:
    source = b"class A { int x; class B { void f() { } } int y; }"
    assert described(source, "java") == [
        ("class_declaration", 6),
        ("field_declaration", 5 + 1),
        ("class_declaration", 6),
        ("method_declaration", 9),
        ("field_declaration", 5 + 1),
    ]


def test_a_function_is_one_item_however_much_it_holds() -> None:
    source = b"def f():\n    if a:\n        x = {'b': 1}\n    def g():\n        pass\n"
    assert [kind for kind, _ in described(source, "python")] == ["function_definition"]
    members = b"def f():\n    class A:\n        x = 1\n    return A\n"
    assert [kind for kind, _ in described(members, "python")] == ["function_definition", "expression_statement"]


def test_entries_are_items_at_every_level() -> None:
    source = b'[build]\na = [1, "x"]\nb = {c = 2}\n'
    assert described(source, "toml") == [
        ("table", 4), ("pair", 3 + 4), ("integer", 1), ("string", 3), ("pair", 3 + 3), ("pair", 4),
    ]  # fmt: skip


def test_what_only_holds_items_is_none() -> None:
    assert [kind for kind, _ in described(b"# A\n\ntext\n\n## B\n\n- x\n", "markdown")] == [
        "atx_heading", "paragraph", "atx_heading", "list_item",
    ]  # fmt: skip
    tree = parse(b"if a:\n    x = 1\n    y = 2\n", "python")
    assert [item.kind(item.root) for item in items(excerpt(tree, [(6, 100)]))] == ["expression_statement"] * 2
    assert items(parse(b"", "python")) == []


def test_declarations_behind_a_guard_are_items_but_not_statements_behind_a_condition() -> None:
    pytest.importorskip("tree_sitter_c")
    guard = b"#ifndef A\n#ifdef B\nint x;\n#else\nint y;\n#endif\n#endif\n"
    assert [kind for kind, _ in described(guard, "c")] == [
        "preproc_ifdef", "preproc_ifdef", "declaration", "preproc_else", "declaration",
    ]  # fmt: skip
    assert [kind for kind, _ in described(b"int f(void)\n{\n#ifdef B\n    g();\n#endif\n}\n", "c")] == [
        "function_definition"
    ]


@pytest.mark.parametrize("name", [language.name for language in LANGUAGES])
def test_paths_to_members_are_made_of_the_kinds_of_the_grammar(name: str) -> None:
    language = next(one for one in LANGUAGES if one.name == name)
    if not language.core:
        pytest.importorskip(language.module)
    kinds = grammar(name)
    known = {kinds.node_kind_for_id(kind) for kind in range(kinds.node_kind_count)}
    assert {kind for path in language.members for kind in path.strip("/").split("/")} - {"*"} <= known


@pytest.mark.parametrize("one", REORDERINGS, ids=lambda one: f"{one.path}-{one.what}")
def test_every_node_is_in_one_item(one: Reordering) -> None:
    language = language_of_file(one.path)
    assert language is not None
    if not language.core:
        pytest.importorskip(language.module)
    for source in (one.written(), one.moved, one.unrelated.encode()):
        tree = parse(source, language.name)
        check_whole(tree)
        random = Random(len(source))
        start = random.randrange(len(source) // 2)
        check_whole(excerpt(tree, [(start, random.randrange(start, len(source)))]))


def test_every_node_of_real_sources_is_in_one_item() -> None:
    for path in sorted(Path(gitgoodbench.__file__).parent.glob("ted/*.py"))[:12]:
        check_whole(parse(path.read_bytes(), "python"))


VALUES = st.recursive(
    st.integers(0, 9) | st.booleans() | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=4),
    max_leaves=20,
)


def shuffled(random: Random, value: Any) -> Any:
    """The value with the entries of its objects and lists in another order, at every level."""
    if isinstance(value, dict):
        entries = [(key, shuffled(random, inner)) for key, inner in value.items()]
        random.shuffle(entries)
        return dict(entries)
    if isinstance(value, list):
        entries = [shuffled(random, inner) for inner in value]
        random.shuffle(entries)
        return entries
    return value


def bags(value: Any) -> Counter[tuple[tuple[bytes, ...], bytes]]:
    tree = parse(json.dumps(value).encode(), "json")
    check_whole(tree)
    return Counter(
        (tuple(item.vocabulary[label] for label in item.nodes.labels.tolist()), item.nodes.leftmost.tobytes())
        for item in items(tree)
    )


@settings(max_examples=60, deadline=None)
@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_entries_does_not_change_the_items(value: Any, random: Random) -> None:
    pytest.importorskip("tree_sitter_json")
    assert bags(value) == bags(shuffled(random, value))
