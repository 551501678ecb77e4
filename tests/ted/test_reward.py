"""Published examples and rewards, by hand."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from gitgoodbench.ted import (
    Match,
    Snippet,
    Tree,
    TreeTooLarge,
    closest_subtree,
    compute_reward,
    haystacks,
    parse,
    parse_fragment,
    tree_edit_distance,
)
from gitgoodbench.ted import reward as rewards
from gitgoodbench.ted.haystacks import Search, run_search, run_searches
from gitgoodbench.ted.lines import LineMatch, closest_lines
from gitgoodbench.ted.reward import Effort, Piece, compare_pieces

FUNCTIONS = b"def f(x):\n    return x + 1\n\ndef g():\n    pass\n"
COMMITTED = b"    def g(self):\n        pass\n\n    def f(x):\n        return x + 2\n"


def test_parentheses_cost_their_two_tokens_and_their_node() -> None:
    """`(`, `)` and parenthesized_expression have to go; nothing else changes."""
    wrapped, plain = parse(b"(a + b)\n", "python"), parse(b"a + b\n", "python")
    assert (len(wrapped), len(plain)) == (9, 6)
    assert tree_edit_distance(wrapped, plain) == tree_edit_distance(plain, wrapped) == 3


def test_another_name_costs_each_leaf_that_has_it() -> None:
    """The name of the function once, that of the parameter where it is declared and where it is used."""
    first = parse(b"fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n", "rust")
    second = parse(b"fn sum(x: i32, b: i32) -> i32 {\n    x + b\n}\n", "rust")
    assert tree_edit_distance(first, second) == 3
    differing = [
        (first.text(node), second.text(node))
        for node in range(len(first))
        if first.vocabulary[first.nodes.labels[node]] != second.vocabulary[second.nodes.labels[node]]
    ]
    assert differing == [(b"add", b"sum"), (b"a", b"x"), (b"a", b"x")]


def test_the_closest_subtree_is_found_with_its_place() -> None:
    haystack = parse(
        b"class A:\n    def f(self):\n        return g(1)\n\n    def h(self):\n        return g(2, 3)\n", "python"
    )
    needle = parse(b"g(2, 4)\n", "python")
    call = needle.subtree(next(node for node in range(len(needle)) if needle.kind(node) == "call"))
    match = closest_subtree(call, haystack)
    assert match.distance == 1
    assert haystack.kind(match.node) == "call"
    assert haystack.source[match.start : match.end] == b"g(2, 3)"


def test_of_equal_subtrees_the_first_in_postorder_is_the_match() -> None:
    haystack = parse(b"f(1)\nf(1)\n", "python")
    match = closest_subtree(haystack.subtree(haystack.children(haystack.root)[0]), haystack)
    assert (match.distance, match.start, match.end) == (0, 0, 4)
    assert haystack.kind(match.node) == "expression_statement"


def test_one_leaf_of_five_nodes() -> None:
    """expression_statement(assignment(identifier x, =, integer)): 5 nodes, 6 with the module around them."""
    snippets, hunks = [Snippet(b"x = 1\n", "python")], [Snippet(b"x = 2\n", "py")]
    items, published = (compute_reward(snippets, hunks, split=split) for split in ("items", "none"))
    assert (items.value, items.measure) == (1 - 1 / 5, "tree")
    assert (published.value, published.measure) == (1 - 1 / 6, "tree")
    assert (items.matches[0].size, items.matches[0].distance) == (5, 1)
    assert items.matches[0].matched == b"x = 2\n"


def test_distances_and_sizes_are_summed_over_snippets() -> None:
    """f(x) has 7 nodes, and of `x = 2` its leaf x is all that serves: 6 deletions. So r = 1 - (1 + 6) / (5 + 7)."""
    snippets = [Snippet(b"x = 1\n", "python"), Snippet(b"f(x)\n", "python")]
    reward = compute_reward(snippets, [Snippet(b"x = 2\n", "python")])
    assert [(match.distance, match.size) for match in reward.matches] == [(1, 5), (6, 7)]
    assert reward.value == 1 - 7 / 12
    assert reward.matches[1].matched == b"x\n"


def test_the_least_distance_over_hunks_counts_not_their_mean() -> None:
    hunks = [Snippet(source, "python") for source in (b"import os\n", b"x = 2\n", b"x = 1\n", b"x = 1\n")]
    reward = compute_reward([Snippet(b"x = 1\n", "python")], hunks)
    assert reward.value == 1.0
    assert reward.matches[0].hunk == 2


def test_items_are_searched_one_by_one() -> None:
    """f differs in a number, g in a parameter: 2 of 15 + 10 nodes. As one tree the order of the two is wrong, too."""
    snippets, hunks = [Snippet(FUNCTIONS, "python")], [Snippet(COMMITTED, "python")]
    items, published = (compute_reward(snippets, hunks, split=split) for split in ("items", "none"))
    assert (items.matches[0].distance, items.matches[0].size) == (2, 25)
    assert items.value == 1 - 2 / 25
    assert items.matches[0].matched == b"def f(x):\n    return x + 2\n\ndef g(self):\n    pass\n"
    assert published.value is not None
    assert published.value < items.value
    assert published.matches[0].size == 26


def test_the_reward_is_never_negative() -> None:
    reward = compute_reward([Snippet(b"class A { int f() { return 1; } }", "java")], [Snippet(b";", "java")])
    assert reward.value is not None
    assert 0 <= reward.value < 0.2


def test_a_snippet_that_was_committed_as_it_is_earns_all() -> None:
    snippet = Snippet(FUNCTIONS, "python")
    for hunk in (FUNCTIONS, b"x = 1\n" + FUNCTIONS, b"class A:\n" + COMMITTED + b"\n" + FUNCTIONS):
        assert compute_reward([snippet], [Snippet(hunk, "python")]).value == 1.0
    assert compute_reward([snippet], [Snippet(b"x = 1\n" + FUNCTIONS, "python")], split="none").value == 1 - 5 / 26


def test_comments_can_be_left_out() -> None:
    snippets, hunks = [Snippet(b"x = 1  # one\n", "python")], [Snippet(b"x = 1\n", "python")]
    assert compute_reward(snippets, hunks).value == 1 - 1 / 6
    assert compute_reward(snippets, hunks, comments=False).value == 1.0


def test_a_snippet_can_only_have_become_its_own_language() -> None:
    python, rust = Snippet(b"x = 1\n", "python"), Snippet(b"fn f() {}\n", "rust")
    reward = compute_reward([python, rust], [rust])
    assert [match.measure for match in reward.matches] == [None, "tree"]
    assert (reward.value, reward.matches[0].matched) == (1.0, b"x = 1\n")
    assert compute_reward([python], [rust]).value is None
    assert compute_reward([python], []).value is None
    assert compute_reward([], [rust]).value is None
    assert compute_reward([Snippet(b"f(x);", "ts")], [Snippet(b"f(x);", "tsx")]).value == 1.0


def test_what_no_grammar_reads_is_compared_by_lines_and_says_so() -> None:
    snippets = [Snippet(b"a\n\n  b\nc\n", "cobol")]
    hunks = [Snippet(b"z\na\nb\nx\nd\n", "cobol"), Snippet(b"a\nb\nc\n", "python")]
    reward = compute_reward(snippets, hunks)
    assert (reward.value, reward.measure) == (1 - 1 / 3, "lines")
    assert reward.matches[0].hunk == 0
    unknown = compute_reward([Snippet(b"a\nb\nc\n", None)], hunks)
    assert (unknown.value, unknown.measure, unknown.matches[0].hunk) == (1.0, "lines", 1)
    mixed = compute_reward([*snippets, Snippet(b"a\n", "python")], hunks)
    assert (mixed.value, mixed.measure) == (1.0, "tree")
    assert [match.measure for match in mixed.matches] == ["lines", "tree"]


def test_spans_are_parsed_with_what_is_around_them() -> None:
    """`else:` alone does not parse; in its file it does."""
    old = b"if a:\n    x = 1\nelse:\n    y = f(2)\n"
    new = b"if b:\n    pass\nelse:\n    y = f(3)\n"
    piece = (old.index(b"else"), len(old))
    reward = compute_reward(
        [Snippet(old, "python", (piece,))], [Snippet(new, "python", ((new.index(b"else"), len(new)),))]
    )
    assert (reward.matches[0].distance, reward.matches[0].size) == (1, 14)
    assert Snippet(old, "python", (piece,)).text == old[piece[0] :]


def test_a_source_is_parsed_once_however_many_hunks_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    sources: list[bytes] = []

    def counted(source: bytes, language: str, **options: Any) -> Tree:
        sources.append(source)
        return parse(source, language, **options)

    monkeypatch.setattr(rewards, "parse", counted)
    first, second = b"x = 1\n", b"y = f(2)\n"
    hunks = [Snippet(first + second, "python", (span,)) for span in ((0, 6), (6, 15))]
    found = compute_reward([Snippet(second, "python", ((0, 9),))], hunks)
    assert (found.value, found.matches[0].hunk) == (1.0, 1)
    assert sources == [second, first + second]


@pytest.mark.parametrize(
    ("needle", "haystack", "expected"),
    [
        (b"a\nb\n", b"x\na\nb\ny\n", LineMatch(0, 2, 6)),
        (b"  a\n\n\tb\r\n", b"a\nb", LineMatch(0, 0, 3)),
        (b"a\nb\nc\n", b"a\nc\n", LineMatch(1, 0, 4)),
        (b"a\nb\n", b"a\nx\nb\n", LineMatch(1, 0, 2)),
        (b"a\nb\n", b"x\ny\n", LineMatch(2, 0, 0)),
        (b"", b"x\n", LineMatch(0, 0, 0)),
        (b"a\nb\n", b"", LineMatch(2, 0, 0)),
        (b"a\nb\nc\nd\n", b"q\nb\nz\nd\nq\n", LineMatch(2, 0, 8)),
    ],
)
def test_runs_of_lines(needle: bytes, haystack: bytes, expected: LineMatch) -> None:
    assert closest_lines(needle, haystack) == expected


def test_lines_without_end_are_not_compared() -> None:
    assert closest_lines(b"a\n" * 20_000, b"b\n" * 20_000) is None


def test_what_takes_too_much_memory_is_compared_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(needle: Tree, haystack: Tree) -> Match:
        raise TreeTooLarge(f"{len(needle)} and {len(haystack)} nodes")

    monkeypatch.setattr(haystacks, "closest_subtree", refuse)
    reward = compute_reward([Snippet(FUNCTIONS, "python")], [Snippet(FUNCTIONS, "python")])
    assert (reward.value, reward.measure) == (1.0, "lines")


def test_threads_find_what_one_finds() -> None:
    haystacks = [parse(COMMITTED, "python"), parse(FUNCTIONS, "python")]
    tree = haystacks[1]
    searches = [Search(tree.subtree(node), haystacks) for node in range(len(tree))]
    assert run_searches(searches, jobs=2) == run_searches(searches, jobs=1) == [run_search(one) for one in searches]
    assert run_search(Search(tree, [])) is None
    assert run_searches([]) == []


def test_what_would_take_too_long_is_compared_by_lines() -> None:
    """Brackets in brackets make the dynamic program grow with the fourth power."""
    deep = b"x = " + b"[(1+" * 2_000 + b"1" + b")]" * 2_000
    reward = compute_reward([Snippet(deep, "python")], [Snippet(deep.replace(b"1", b"2"), "python")])
    assert (reward.value, reward.measure) == (0.0, "lines")


@pytest.mark.parametrize(
    ("language", "piece", "haystack", "kind"),
    [
        ("python", b"f(1)", b"x = f(1)\n", "call"),
        ("java", b"f(1);", b"class A { void g() { f(1); } }\n", "expression_statement"),
        ("java", b"f(1)", b"class A { int x = f(1); }\n", "method_invocation"),
        ("kotlin", b"f(1)", b"val x = f(1)\n", "call_expression"),
        ("rust", b"f(1)", b"fn g() -> i32 { h(f(1)) }\n", "call_expression"),
        ("python", b"x", b"f(x)\n", "identifier"),
    ],
)
def test_a_needle_is_the_piece_without_what_only_holds_it(
    language: str, piece: bytes, haystack: bytes, kind: str
) -> None:
    needle = parse_fragment(piece, language, needle=True)
    assert needle.kind(needle.root) == kind
    match = closest_subtree(needle, parse(haystack, language))
    assert match.distance == 0
    assert haystack[match.start : match.end] == piece
    assert closest_subtree(parse(piece, language), parse(haystack, language)).distance > 0


def test_a_needle_of_several_items_keeps_its_root() -> None:
    needle = parse_fragment(b"x = 1\ny = 2\n", "python", needle=True)
    assert (needle.kind(needle.root), len(needle.children(needle.root))) == ("module", 2)


def test_a_snippet_is_text_or_bytes_and_anything_else_is_named() -> None:
    assert Snippet("s = 'é'\n", "python") == Snippet("s = 'é'\n".encode(), "python")
    assert compute_reward([Snippet("x = 1\n", "python")], [Snippet(b"x = 1\n", "python")]).value == 1.0
    with pytest.raises(TypeError, match="the source of a snippet is str or bytes, not int"):
        Snippet(1, "python")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the language of a snippet is a str or None, not bytes"):
        Snippet(b"x", b"python")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a reward is computed of Snippets, not of str"):
        compute_reward("x = 1", [])  # type: ignore[arg-type]


def test_fences_and_file_names_choose_the_language_of_a_snippet() -> None:
    hunk = Snippet("fun f() = 1\n", "kotlin")
    for name in ("kt", "{.kt}", "kotlin title=main", "src/My Main.kt", "Build.KTS"):
        reward = compute_reward([Snippet("fun f() = 1\n", name)], [hunk])
        assert (name, reward.value, reward.measure) == (name, 1.0, "tree")


def test_a_source_that_crashes_its_grammar_costs_only_itself() -> None:
    pytest.importorskip("tree_sitter_yaml")
    crash = "from gitgoodbench.ted import Snippet as S, compute_reward as r\n" + (
        "print(r([S('- ' * 1000 + 'x', 'yaml'), S('x: 1', 'yaml')], [S('x: 1', 'yaml')]).value)"
    )
    result = subprocess.run([sys.executable, "-c", crash], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "1.0\n")


def test_pieces_that_are_parsed_already_give_the_same_reward() -> None:
    sources = (FUNCTIONS, COMMITTED, b"x = 1\n")
    snippets = [Snippet(source, "python") for source in sources]
    pieces = [Piece(one.text, "python", one.parse()) for one in snippets]
    assert compare_pieces(pieces[:1], pieces[1:]) == compute_reward(snippets[:1], snippets[1:])


def test_each_item_says_what_it_is_closest_to() -> None:
    (match,) = compute_reward([Snippet(b"x = 1\ny = 2\n", "python")], [Snippet(b"y = 2\nx = 3\n", "python")]).matches
    assert [(item.hunk, item.match.distance, item.match.start, item.match.end) for item in match.items] == [
        (0, 1, 6, 11),
        (0, 0, 0, 5),
    ]


def test_unchanged_items_are_found_whatever_the_effort_allowed() -> None:
    whole, changed = (Piece(s, "python", Snippet(s, "python").parse()) for s in (FUNCTIONS, COMMITTED))
    none = Effort(cells=0, lines=0)
    assert compare_pieces([whole], [whole], effort=none).measure == "tree"
    assert compare_pieces([whole], [changed], effort=none).measure is None
    assert compare_pieces([whole], [changed], effort=Effort(cells=0)).measure == "lines"


def test_equal_lines_are_found_in_texts_too_large_to_be_compared() -> None:
    there = b"a\nb\n\n  c\nb\nc\n"
    assert closest_lines(b"b\nc\n", there, max_cells=0) == LineMatch(0, 2, 9) == closest_lines(b"b\nc\n", there)
    assert closest_lines(b"b\nd\n", there, max_cells=0) is None
