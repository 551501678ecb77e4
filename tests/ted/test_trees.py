"""Sources as trees: shape, labels, spans; odd encodings, sizes and depths."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import tree_sitter

from gitgoodbench.ted import ParseError, Tree, closest_subtree, equal_trees, parse, tree_edit_distance
from gitgoodbench.ted.languages import grammar
from gitgoodbench.ted.nodes import MAX_SOURCE_BYTES, parse_source

PYTHON = b'''import os


class A:
    """Text."""

    def f(self, x=1):  # a comment
        return [x, "a\\nb", (x)]
'''


def listed(tree: Tree) -> list[tuple[str, bytes]]:
    return [(tree.kind(node), tree.text(node)) for node in range(len(tree))]


def label(tree: Tree, node: int) -> bytes:
    return tree.vocabulary[int(tree.nodes.labels[node])]


def test_nodes_are_in_postorder_with_keywords_and_brackets() -> None:
    tree = parse(b"f(x)\n", "python")
    assert listed(tree) == [
        ("identifier", b"f"), ("(", b"("), ("identifier", b"x"), (")", b")"), ("argument_list", b"(x)"),
        ("call", b"f(x)"), ("expression_statement", b"f(x)"), ("module", b"f(x)\n"),
    ]  # fmt: skip
    assert tree.nodes.leftmost.tolist() == [0, 1, 2, 3, 1, 0, 0, 0]
    assert tree.sizes.tolist() == [1, 1, 1, 1, 4, 6, 7, 8]
    assert tree.children(tree.root) == [6]
    assert tree.children(4) == [1, 2, 3]
    assert tree.children(0) == []


def test_a_label_is_the_kind_and_a_leaf_has_its_text() -> None:
    tree = parse(b"f(x)\n", "python")
    assert [label(tree, node) for node in range(len(tree))] == [
        b"identifier\0f", b"(\0(", b"identifier\0x", b")\0)", b"argument_list", b"call",
        b"expression_statement", b"module",
    ]  # fmt: skip


def test_text_that_no_child_covers_is_the_nodes_own() -> None:
    tree = parse(b'x = "a\\nb"\n', "python")
    content = next(node for node in range(len(tree)) if tree.kind(node) == "string_content")
    assert tree.text(content - 1) == b"\\n"
    assert label(tree, content) == b"string_content\1a\1b"
    assert tree_edit_distance(tree, parse(b'x = "c\\nb"\n', "python")) == 1
    assert tree_edit_distance(parse(b"// a\nfn f() {}", "rust"), parse(b"// b\nfn f() {}", "rust")) == 1


@pytest.mark.parametrize(
    ("source", "language", "own"),
    [
        (b'f"{a} b {c}d"', "python", {}),
        (b"x = 1 + \\\n    2\n", "python", {}),
        (b'a: "x\\ny"', "yaml", {"double_quote_scalar": b"x\1y"}),
        (b"a: |\n  b\n", "yaml", {"block_scalar": b"\n  b\n"}),
        (b"Some *text* here\n", "markdown", {"inline": b"Some \1text\1 here"}),
    ],
)
def test_own_text_by_language(source: bytes, language: str, own: dict[str, bytes]) -> None:
    if language == "yaml":
        pytest.importorskip("tree_sitter_yaml")
    tree = parse(source, language)
    found = {}
    for node in range(len(tree)):
        kind, _, text = label(tree, node).partition(b"\1")
        if text:
            found[kind.decode()] = text
    assert found == own


def walked(source: bytes, language: str) -> list[tuple[str, int, int, int]]:
    """Kind, span and size of each node, by recursion."""
    found: list[tuple[str, int, int, int]] = []

    def visit(node: tree_sitter.Node) -> None:
        before = len(found)
        for child in node.children:
            visit(child)
        found.append((node.type, node.start_byte, node.end_byte, len(found) - before + 1))

    visit(parse_source(source, language).root_node)
    return found


@pytest.mark.parametrize(
    "source", [PYTHON, b"", b"\n", b"def f(:\n  x ==\n", b"\0", b"x = (\n", b"\xef\xbb\xbfx = 1\n"]
)
def test_the_arrays_are_what_a_recursive_walk_sees(source: bytes) -> None:
    tree = parse(source, "python")
    spans = zip(tree.starts.tolist(), tree.ends.tolist(), tree.sizes.tolist(), strict=True)
    assert [(tree.kind(node), *rest) for node, rest in enumerate(spans)] == walked(source, "python")
    sizes = tree.sizes
    assert all(sum(sizes[child] for child in tree.children(node)) == sizes[node] - 1 for node in range(len(tree)))


def test_comments_can_be_left_out() -> None:
    commented = b"# a\nx = 1  # b\n\n\ndef f():\n    # c\n    pass\n# d\n"
    bare = b"x = 1\n\n\ndef f():\n    pass\n"
    assert any(kind == "comment" for kind, _ in listed(parse(commented, "python")))
    without = parse(commented, "python", comments=False)
    assert not any(kind == "comment" for kind, _ in listed(without))
    assert equal_trees(without, parse(bare, "python"))
    assert not equal_trees(parse(commented, "python"), parse(bare, "python"))


def test_comments_that_belong_to_longer_text_are_left_out_with_it() -> None:
    assert equal_trees(
        parse(b"/// doc\nfn f() { /* a */ g(); }\n// b\n", "rust", comments=False),
        parse(b"fn f() { g(); }\n", "rust", comments=False),
    )


def test_a_source_of_comments_alone_is_an_empty_tree_without_them() -> None:
    first, second = (parse(source, "python", comments=False) for source in (b"# a\n", b"# abc\n# d\n"))
    assert len(first) == 1
    assert equal_trees(first, second)


def test_a_subtree_is_the_tree_of_its_own_text() -> None:
    tree = parse(PYTHON, "python")
    function = next(node for node in range(len(tree)) if tree.kind(node) == "function_definition")
    part = tree.subtree(function)
    alone = parse(tree.text(function), "python")
    assert len(part) == tree.sizes[function]
    assert part.text(part.root) == tree.text(function)
    assert equal_trees(part, alone.subtree(alone.root - 1))
    assert tree_edit_distance(part, alone) == 1
    assert closest_subtree(part, tree) == closest_subtree(alone.subtree(alone.root - 1), tree)
    assert closest_subtree(part, tree).distance == 0
    assert closest_subtree(part, tree).node == function


def test_line_ends_do_not_matter_and_spans_are_those_of_the_source() -> None:
    source = PYTHON.replace(b"\n", b"\r\n")
    tree, plain = parse(source, "python"), parse(PYTHON, "python")
    assert equal_trees(tree, plain)
    for node in range(len(tree)):
        assert tree.text(node).replace(b"\r\n", b"\n") == plain.text(node)
    assert parse(b"x = 1\ry = 2\r", "python").text(0) == b"x"


def test_latin_1_is_read_and_spans_are_those_of_the_source() -> None:
    source = "ä = 'éß'  # ü\r\nb = 1\r\n".encode("latin-1")
    tree = parse(source, "python")
    assert tree.errors == 0
    assert equal_trees(tree, parse("ä = 'éß'  # ü\nb = 1\n".encode(), "python"))
    texts = {kind: text for kind, text in listed(tree) if kind in ("string", "comment")}
    assert texts == {"string": b"'\xe9\xdf'", "comment": b"# \xfc"}
    assert (b"identifier", b"b") in [(kind.encode(), text) for kind, text in listed(tree)]


@pytest.mark.parametrize("source", [b"", b" ", b"\n\n", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\0\0"])
@pytest.mark.parametrize("language", ["python", "java", "kotlin", "rust", "tsx", "toml", "markdown"])
def test_sources_without_anything_are_trees(source: bytes, language: str) -> None:
    tree = parse(source, language)
    assert len(tree) >= 1
    assert 0 <= tree.span(tree.root)[0] <= tree.span(tree.root)[1] <= len(source)
    assert tree_edit_distance(tree, tree) == 0


def test_ten_thousand_levels_are_no_matter() -> None:
    deep = b"x = " + b"(" * 10_000 + b"1" + b")" * 10_000 + b"\n"
    tree = parse(deep, "python")
    assert tree.errors == 0
    assert len(tree) == 3 * 10_000 + 6
    assert tree.sizes[-1] == len(tree)
    assert equal_trees(tree, pickle.loads(pickle.dumps(tree)))
    calls = parse(b"f(" * 10_000 + b")" * 10_000, "java")
    assert len(calls) > 30_000


def test_a_source_that_is_too_large_is_refused() -> None:
    with pytest.raises(
        ParseError, match=rf"a source of {MAX_SOURCE_BYTES + 1} bytes is not parsed: at most {MAX_SOURCE_BYTES}"
    ):
        parse(b" " * (MAX_SOURCE_BYTES + 1), "python")


def test_a_large_source_is_parsed_in_linear_time() -> None:
    line = b"x = f(1, 'a\\n')\n"
    started = time.process_time()
    tree = parse(line * 40_000, "python")
    assert len(tree) == 16 * 40_000 + 1
    assert time.process_time() - started < 20


def test_wide_sources_with_text_of_their_own_take_no_quadratic_time() -> None:
    source = b'x = "' + b"a\\n" * 100_000 + b'"\n'
    started = time.process_time()
    tree = parse(source, "python")
    assert label(tree, 100_003).startswith(b"string_content\1a\1a")
    assert time.process_time() - started < 10


def measure(trees: tuple[Tree, Tree]) -> tuple[int, int, bytes]:
    needle, haystack = trees
    match = closest_subtree(needle, haystack)
    return tree_edit_distance(needle, haystack), match.distance, haystack.source[match.start : match.end]


def test_trees_go_to_other_processes_and_are_comparable_there() -> None:
    haystack = parse(PYTHON, "python")
    needle = parse(b"def g(self, x=1):\n    return [x]\n", "python").subtree(20)
    parse(b"zzz = 1", "python")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(measure, (needle, haystack)).result() == measure((needle, haystack))


def test_trees_of_several_languages_can_be_compared() -> None:
    first, second = parse(b"f(x);", "typescript"), parse(b"f(x);", "tsx")
    assert tree_edit_distance(first, second) == 0
    assert tree_edit_distance(first, parse(b"f(x)\n", "python")) > 0


def test_arrays_are_of_32_bits() -> None:
    tree = parse(PYTHON, "python")
    arrays = (tree.nodes.labels, tree.nodes.leftmost, tree.starts, tree.ends, tree.kinds)
    assert {array.dtype for array in arrays} == {np.dtype(np.int32)}
    assert {array.shape for array in arrays} == {(len(tree),)}
    assert grammar("python") is grammar("python")


def keyroots_by_hand(tree: Tree, mirrored: bool) -> int:
    total = len(tree)
    for node in range(len(tree)):
        children = tree.children(node)
        total += sum(int(tree.sizes[child]) for child in (children[:-1] if mirrored else children[1:]))
    return total


@pytest.mark.parametrize("source", [PYTHON, b"", b"f(g(h(1, 2), 3), 4)\n", b"x = [[[[1], 2], 3], 4]\n"])
def test_nesting_is_the_sum_of_subtrees_with_a_sibling(source: bytes) -> None:
    tree = parse(source, "python")
    assert tree.nesting == (keyroots_by_hand(tree, mirrored=False), keyroots_by_hand(tree, mirrored=True))
