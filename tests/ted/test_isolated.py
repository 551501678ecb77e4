"""Parsing in processes of their own: the same trees, and nothing hostile comes through."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from gitgoodbench.ted import ParseError, UnknownLanguage, equal_trees, parse, parse_fragment
from gitgoodbench.ted.isolated import ask
from gitgoodbench.ted.nodes import MAX_SOURCE_BYTES, parse_source

SOURCES = [
    (b"def f(x):  # a\n    return '\xc3\xa4\\n'\n", "python"),
    (b"\r\n\r\nx = '\xe4'\r\n", "python"),
    (b"class A { int f() { return 1; } /* b */ }", "java"),
    (b"", "kotlin"),
    (b"fn f( {", "rust"),
    (b"# A\n\n- b\n", "md"),
]


@pytest.mark.parametrize(("source", "language"), SOURCES)
@pytest.mark.parametrize("comments", [True, False])
def test_the_tree_is_the_same_as_in_this_process(source: bytes, language: str, comments: bool) -> None:
    for read in (parse, parse_fragment):
        here = read(source, language, comments=comments)
        there = read(source, language, comments=comments, isolated=True)
        assert equal_trees(here, there)
        assert here.vocabulary == there.vocabulary
        assert (here.starts.tolist(), here.ends.tolist()) == (there.starts.tolist(), there.ends.tolist())
        assert (here.errors, here.language) == (there.errors, there.language)


def test_a_source_that_takes_all_memory_is_given_up_and_the_next_one_is_parsed() -> None:
    """Java's grammar takes memory with the square of these."""
    with pytest.raises(ParseError, match=r"the parser of java did not come to an end with a source of 400000 bytes"):
        parse(b"a<" * 200_000, "java", isolated=True)
    assert len(parse(b"class A {}", "java", isolated=True)) == 7


def test_a_source_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitgoodbench.ted.isolated.TIMEOUT_S", 0.0)
    with pytest.raises(ParseError):
        parse(b"x = 1\n" * 10_000, "python", isolated=True)
    monkeypatch.undo()
    assert len(parse(b"x = 1\n", "python", isolated=True)) == 6


def test_a_parse_in_this_process_is_stopped_in_time() -> None:
    started = time.monotonic()
    with pytest.raises(ParseError, match=r"took longer than 0\.01 s to parse"):
        parse_source(b"x = f(1)\n" * 200_000, "python", timeout_s=0.01)
    assert time.monotonic() - started < 10


def test_what_is_wrong_is_said_before_a_process_is_asked() -> None:
    with pytest.raises(UnknownLanguage):
        ask("errors", b"", "cobol")
    with pytest.raises(ParseError, match="at most"):
        ask("errors", b" " * (MAX_SOURCE_BYTES + 1), "python")


def test_ten_thousand_levels_come_through() -> None:
    deep = b"(" * 10_000 + b"1" + b")" * 10_000
    assert equal_trees(parse(deep, "python"), parse(deep, "python", isolated=True))


def test_threads_parse_side_by_side() -> None:
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda n: len(parse(b"x = 1\n" * n, "python", isolated=True)), range(20)))
    assert found == [1 + 5 * n for n in range(20)]


def test_a_fork_has_a_process_of_its_own() -> None:
    parse(b"x", "python", isolated=True)
    child = os.fork()
    if child == 0:
        os._exit(0 if len(parse(b"x", "python", isolated=True)) == 3 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(parse(b"x", "python", isolated=True)) == 3
