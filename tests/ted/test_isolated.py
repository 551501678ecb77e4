"""Parsing in processes of their own: the same trees, and nothing hostile comes through."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from gitgoodbench.ted import ParseError, UnknownLanguage, equal_trees, isolated, parse, parse_fragment
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


def test_a_parse_in_this_process_is_stopped_when_its_time_is_up() -> None:
    with pytest.raises(ParseError, match=r"took longer than 0\.01 s to parse"):
        parse_source(b"x = f(1)\n" * 200_000, "python", timeout_s=0.01)


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


def process() -> int:
    """The id of the process that parses."""
    parse(b"x", "python", isolated=True)
    worker = isolated._SHARED._worker
    assert worker is not None
    return worker._process.pid


def test_all_threads_share_one_process() -> None:
    with ThreadPoolExecutor(3) as pool:
        assert {process()} == set(pool.map(lambda _: process(), range(9)))


def test_a_process_that_died_in_the_meantime_is_replaced() -> None:
    first = process()
    os.kill(first, signal.SIGKILL)
    assert process() != first


def test_what_a_process_did_before_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """One with a past dies of a source: a new one is asked."""
    first = process()
    ask_worker = isolated._Worker.ask

    def die_once(worker: isolated._Worker, request: bytes) -> isolated.Answer | None:
        if worker._process.pid == first:
            raise isolated._Died
        return ask_worker(worker, request)

    monkeypatch.setattr(isolated._Worker, "ask", die_once)
    assert len(parse(b"x = 1\n", "python", isolated=True)) == 6


def test_after_an_interrupt_the_next_source_gets_its_own_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(isolated._Worker, "_read", interrupt)
    with pytest.raises(KeyboardInterrupt):
        parse(b"x = f(1)\n", "python", isolated=True)
    monkeypatch.undo()
    assert equal_trees(parse(b"x = 1\n", "python", isolated=True), parse(b"x = 1\n", "python"))


def test_the_process_ends_with_the_harness() -> None:
    code = (
        "from gitgoodbench.ted import isolated, parse; parse(b'x', 'python', isolated=True);"
        "print(isolated._SHARED._worker._process.pid)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_the_other_readings_are_not_read_if_the_parser_dies_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"  f(\n)\n )\n"
    ask_shared = isolated._SHARED.ask

    def die(request: bytes) -> isolated.Answer | None:
        return None if len(json.loads(request.split(b"\n", 1)[0])["sizes"]) > 1 else ask_shared(request)

    monkeypatch.setattr(isolated._SHARED, "ask", die)
    assert equal_trees(parse_fragment(source, "python", isolated=True), parse(b"f(\n)\n)\n", "python"))


def test_a_fork_has_a_process_of_its_own() -> None:
    first = process()
    child = os.fork()
    if child == 0:
        os._exit(0 if process() != first else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert process() == first
