"""Pieces cut out of files."""

from __future__ import annotations

import time
from random import Random

import pytest

from gitgoodbench.ted import ParseError, Tree, equal_trees, parse, parse_fragment
from gitgoodbench.ted.fragments import excerpt, items_of, with_replaced
from gitgoodbench.ted.languages import language_of_file
from gitgoodbench.ted.nodes import MAX_SOURCE_BYTES
from gitgoodbench.ted.text import Text, dedent, dedent_by_steps, read_text, without_stray_brackets
from tests.support.reorderings import REORDERINGS, Reordering


def steps(source: bytes) -> bytes:
    return dedent_by_steps(read_text(source)).content


def texts(tree: Tree) -> list[tuple[str, bytes]]:
    return [(tree.kind(item), tree.text(item)) for item in items_of(tree)]


@pytest.mark.parametrize(
    ("source", "even", "stepped"),
    [
        (b"    a\n      b\n    c\n", b"a\n  b\nc\n", b"a\n  b\nc\n"),
        (b"\ta\n\t\tb\n", b"a\n\tb\n", b"a\n\tb\n"),
        (b"\ta\n    b\n", b"\ta\n    b\n", b"a\n    b\n"),
        (b" \ta\n \t b\n", b"a\n b\n", b"a\n b\n"),
        (b"        a\n    b\n        c\n", b"    a\nb\n    c\n", b"a\nb\n    c\n"),
        (b"  a\n\n   \n  b", b"a\n\n   \nb", b"a\n\n   \nb"),
        (b"  a\r\n  b\r\n", b"a\nb\n", b"a\nb\n"),
        (b"", b"", b""),
        (b"   ", b"   ", b"   "),
        (b"  \xe4\n  b", "ä\nb".encode(), "ä\nb".encode()),
        (b"  \x0cx\n  y", b"\x0cx\ny", b"\x0cx\ny"),
    ],
)
def test_indentation_is_removed(source: bytes, even: bytes, stepped: bytes) -> None:
    assert dedent(read_text(source)).content == even
    assert steps(source) == stepped


def test_spans_are_those_of_the_source() -> None:
    source = b"\r\n\t\tx = '\xe4'\r\n\tdef f():\r\n\t\tpass\r\n"
    tree = parse_fragment(source, "python")
    assert tree.errors == 0
    assert texts(tree) == [
        ("expression_statement", b"x = '\xe4'"),
        ("function_definition", b"def f():\r\n\t\tpass"),
    ]


def test_an_indented_function_is_the_function() -> None:
    source = b"    def f(self):\n        if self:\n            return 1\n\n        return 2\n"
    plain = b"def f(self):\n    if self:\n        return 1\n\n    return 2\n"
    assert equal_trees(parse_fragment(source, "python"), parse(plain, "python"))


def test_a_piece_that_leaves_its_block_becomes_whole_blocks() -> None:
    source = b"            return 1\n        return 2\n\n    def g(self):\n        pass\n"
    tree = parse_fragment(source, "python")
    assert tree.errors == 0
    assert [kind for kind, _ in texts(tree)] == ["return_statement", "return_statement", "function_definition"]


def test_text_at_the_left_margin_inside_an_indented_function_does_not_break_it() -> None:
    source = b"    def f(self):\n        '''\ntext\n'''\n        return 1\n\n    def g(self):\n        return 2\n"
    tree = parse_fragment(source, "python")
    assert tree.errors == 0
    functions = [tree.text(node) for node in range(len(tree)) if tree.kind(node) == "function_definition"]
    assert functions[0] == b"def g(self):\n        return 2"


@pytest.mark.parametrize(
    ("source", "language", "whole"),
    [
        (b"    else:\n        x = 1\n\n\ndef f():\n    return g(2)\n", "python", b"def f():\n    return g(2)"),
        (b"    int f() {\n        return 1;\n    }\n\n    int g(int", "java", b"int f() {\n        return 1;\n    }"),
        (b"fun f(x: Int) = x + 1\n\nfun g(x: Int) =\n", "kotlin", b"fun f(x: Int) = x + 1"),
        (b"    ..= 3 => x,\n    fn f() -> i32 {\n        x\n    }\n", "rust", b"fn f() -> i32 {\n        x\n    }"),
    ],
)  # fmt: skip
def test_errors_stay_local(source: bytes, language: str, whole: bytes) -> None:
    tree = parse_fragment(source, language)
    assert tree.errors > 0
    assert whole in [tree.text(node) for node in range(len(tree))]


@pytest.mark.parametrize(
    ("source", "language", "items"),
    [
        (b"    }\n\n    int f() {\n        return 1;\n    }\n", "java", [b"int f() {\n        return 1;\n    }"]),
        (b"    }\n\n    fun f() = g()\n}\n", "kotlin", [b"fun f() = g()"]),
        (b"    )\n\n    x = [(1)]\n", "python", [b"x = [(1)]"]),
    ],
)
def test_brackets_that_close_nothing_do_no_harm(source: bytes, language: str, items: list[bytes]) -> None:
    tree = parse_fragment(source, language)
    assert tree.errors == 0
    assert [text for _, text in texts(tree)] == items


@pytest.mark.parametrize(
    ("source", "language", "items"),
    [
        (
            b"    private int x;\n\n    A() { }\n\n    int f() {\n        g();\n",
            "java",
            [
                ("field_declaration", b"private int x;"),
                ("constructor_declaration", b"A() { }"),
                ("method_declaration", b"int f() {\n        g();\n"),
            ],
        ),
        (
            b"    @T\n    fun f() {\n        g()\n    }\n\n    @T\n    fun h() {\n        val a = 1\n",
            "kotlin",
            [
                ("function_declaration", b"@T\n    fun f() {\n        g()\n    }"),
                ("function_declaration", b"@T\n    fun h() {\n        val a = 1\n"),
            ],
        ),
        (b"  private f(): string {\n", "typescript", [("method_definition", b"private f(): string {\n")]),
        (b"f(1, [2,", "python", [("expression_statement", b"f(1, [2,")]),
    ],
)
def test_what_is_missing_around_a_piece_is_no_error(
    source: bytes, language: str, items: list[tuple[str, bytes]]
) -> None:
    tree = parse_fragment(source, language)
    assert tree.errors == 0
    assert texts(tree) == items
    assert tree.span(tree.root)[1] == len(source)
    isolated = parse_fragment(source, language, isolated=True)
    assert equal_trees(tree, isolated)


def test_many_stray_brackets_take_no_quadratic_time() -> None:
    started = time.process_time()
    text, closing = without_stray_brackets(read_text(b"(" * 300_000 + b"]" * 300_000))
    assert text.content == b"(" * 300_000 + b" " * 300_000
    assert closing == b")" * 300_000
    assert time.process_time() - started < 5


def test_php_without_its_opening_is_code() -> None:
    pytest.importorskip("tree_sitter_php")
    tree = parse_fragment(b"    $x = f(1);\n", "php")
    assert tree.errors == 0
    assert [kind for kind, _ in texts(tree)] == ["expression_statement"]
    assert [kind for kind, _ in texts(parse_fragment(b"<p><?php f(); ?></p>", "php"))][:2] == ["text", "php_tag"]


def test_items_are_found_below_nodes_that_only_hold_them() -> None:
    markdown = parse(b"# A\n\ntext\n\n## B\n\nmore\n", "markdown")
    assert [kind for kind, _ in texts(markdown)] == ["atx_heading", "paragraph", "atx_heading", "paragraph"]
    assert [text for _, text in texts(parse(b"x = 1\ny = 2\n", "python"))] == [b"x = 1", b"y = 2"]
    empty = parse(b"", "python")
    assert items_of(empty) == [empty.root]


def test_items_of_yaml_are_its_pairs() -> None:
    pytest.importorskip("tree_sitter_yaml")
    assert [text for _, text in texts(parse(b"a: 1\nb:\n  - 2\n", "yaml"))] == [b"a: 1", b"b:\n  - 2\n"]


def test_a_part_that_comes_in_place_of_another_takes_its_indentation() -> None:
    source = b"# top\n  def f():\n    pass\n  x = 1\n"
    other = b"class A:\n\tdef g():\n\t\tif 1:\n\n\t\t\tpass\n"
    begin = other.index(b"def")
    replaced = with_replaced(source, [((8, 25), other, (begin, len(other) - 1))])
    assert source[8:25] == b"def f():\n    pass"
    assert replaced == b"# top\n  def g():\n  \tif 1:\n\n  \t\tpass\n  x = 1\n"


def test_a_part_with_lines_left_of_its_first_one_stays_as_it_is() -> None:
    other = b"  x = '''\na'''\n"
    assert with_replaced(b"    y\n", [((4, 5), other, (2, len(other) - 1))]) == b"    x = '''\na'''\n"


def test_an_excerpt_holds_the_largest_subtrees_inside_its_spans() -> None:
    source = b"class A:\n    def f(self):\n        x = 1\n        return x\n\n    y = 2\n"
    tree = parse(source, "python")

    def cut(*texts: bytes) -> list[tuple[str, bytes]]:
        spans = [(source.index(text), source.index(text) + len(text)) for text in texts]
        part = excerpt(tree, spans)
        assert part.sizes[part.root] == len(part)
        assert all(
            equal_trees(part.subtree(child), tree.subtree(found(part, child))) for child in part.children(part.root)
        )
        return [(part.kind(child), part.text(child)) for child in part.children(part.root)]

    def found(part: Tree, child: int) -> int:
        return next(
            node
            for node in range(len(tree))
            if tree.span(node) == part.span(child) and tree.sizes[node] == part.sizes[child]
        )

    assert cut(b"        x = 1\n        return x\n") == [("block", b"x = 1\n        return x")]
    assert cut(b"        return x\n\n    y = 2\n") == [
        ("return_statement", b"return x"),
        ("expression_statement", b"y = 2"),
    ]
    assert cut(b"def f(self):\n", b"y") == [
        ("def", b"def"), ("identifier", b"f"), ("parameters", b"(self)"), (":", b":"), ("identifier", b"y"),
    ]  # fmt: skip
    assert cut(b"\n\n") == []
    assert cut(source) == [("class_definition", source.rstrip())]
    assert len(excerpt(tree, [])) == 1


def described(tree: Tree) -> tuple[object, ...]:
    labels = [tree.vocabulary[label] for label in tree.nodes.labels.tolist()]
    spans = [tree.span(node) for node in range(len(tree))]
    return labels, tree.nodes.leftmost.tolist(), spans, tree.errors


@pytest.mark.parametrize("one", REORDERINGS, ids=lambda one: f"{one.path}-{one.what}")
@pytest.mark.parametrize("comments", [True, False])
def test_an_excerpt_can_be_read_without_the_rest(one: Reordering, comments: bool) -> None:
    """In files with CRLF, in Latin-1, with places that do not parse, and of spans that overlap."""
    language = language_of_file(one.path)
    assert language is not None
    if not language.core:
        pytest.importorskip(language.module)
    random = Random(1)
    source = one.written()
    for text in (source, source.replace(b"\n", b"\r\n").replace(b"a", b"\xe4"), b") ( // x\n# y\n" + source):
        whole = parse(text, language.name, comments=comments)
        for count in (0, 1, 2, 3, 3, 3):
            ends = [random.randrange(len(text)) for _ in range(count)]
            spans = [(random.randrange(end + 1), end) for end in ends]
            expected = described(excerpt(whole, spans))
            assert described(parse(text, language.name, comments=comments, spans=spans)) == expected
        isolated = parse(text, language.name, comments=comments, spans=spans, isolated=True)
        assert described(isolated) == expected


def test_an_excerpts_items_are_its_statements() -> None:
    tree = parse(b"if a:\n    x = 1\n    y = 2\n", "python")
    assert [text for _, text in texts(excerpt(tree, [(6, 100)]))] == [b"x = 1", b"y = 2"]


def test_a_reading_that_cannot_be_parsed_leaves_those_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"  f(\n)\n )\n"
    expected = parse(source.replace(b"  f", b"f").replace(b" )", b")"), "python")
    monkeypatch.setattr("gitgoodbench.ted.fragments.dedent", lambda _: Text(b" " * (MAX_SOURCE_BYTES + 1), None))
    assert equal_trees(parse_fragment(source, "python"), expected)
    with pytest.raises(ParseError):
        parse_fragment(b" " * (MAX_SOURCE_BYTES + 1), "python")
