"""Whether files parse, and which definitions hold a line."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from gitgoodbench.scoring.syntax import (
    MAX_SOURCE_BYTES,
    Language,
    count_errors,
    definitions,
    enclosing_definition,
    language_of,
)

PYTHON = b"""import os


@cached
class Outer:
    x = 1

    @property
    def method(self):
        def inner():
            return 1
        return inner


async def top(): pass
"""
JAVA = b"""package p;

public class Outer {
    Outer() {}
    interface Inner { int f(int x); }
    record Point(int x) { Point { check(x); } }
    enum Kind { A; void g() {} }
}
"""
KOTLIN = b"""class Outer(val x: Int) {
    constructor() : this(1)
    companion object { fun make() = Outer() }
    fun method(): Int {
        return x
    }
}
object Single
fun String.top() = 1
"""


def listed(content: bytes, language: Language) -> list[tuple[str, int, int]]:
    return [(one.name, one.start, one.stop) for one in definitions(content, language)]


def test_definitions_of_python() -> None:
    assert listed(PYTHON, "python") == [
        ("Outer", 3, 12),
        ("Outer.method", 7, 12),
        ("Outer.method.inner", 9, 11),
        ("top", 14, 15),
    ]


def test_definitions_of_java() -> None:
    assert listed(JAVA, "java") == [
        ("Outer", 2, 8),
        ("Outer.Outer", 3, 4),
        ("Outer.Inner", 4, 5),
        ("Outer.Inner.f", 4, 5),
        ("Outer.Point", 5, 6),
        ("Outer.Point.Point", 5, 6),
        ("Outer.Kind", 6, 7),
        ("Outer.Kind.g", 6, 7),
    ]


def test_definitions_of_kotlin() -> None:
    assert listed(KOTLIN, "kotlin") == [
        ("Outer", 0, 7),
        ("Outer.secondary_constructor", 1, 2),
        ("Outer.companion_object", 2, 3),
        ("Outer.companion_object.make", 2, 3),
        ("Outer.method", 3, 6),
        ("Single", 7, 8),
        ("top", 8, 9),
    ]


def test_the_innermost_definition_holds_a_line() -> None:
    known = definitions(PYTHON, "python")
    names = {}
    for line in range(15):
        found = enclosing_definition(known, line, line + 1)
        names[line] = None if found is None else found.name
    assert names == {
        **dict.fromkeys(range(15)),
        **dict.fromkeys(range(3, 12), "Outer"),
        **dict.fromkeys(range(7, 12), "Outer.method"),
        **dict.fromkeys((9, 10), "Outer.method.inner"),
        14: "top",
    }
    across = enclosing_definition(known, 5, 9)
    assert across is not None
    assert across.name == "Outer"
    assert enclosing_definition(known, 0, 14) is None


@pytest.mark.parametrize(
    ("language", "good", "bad"),
    [
        ("python", PYTHON, b"def f(:\n    pass\n"),
        ("java", JAVA, b"class A { int f( { } }\n"),
        ("kotlin", KOTLIN, b"fun f( { }\n"),
        ("java", b"class A { int x = 1; }", b"class A { int x = 1 }"),
        ("python", b"<<<<<<< x\n"[:0], b"<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n"),
        ("python", b"# \xe4\nx = 1\n", b"\xe4 = = 1\n"),
        ("python", b"", b"\0"),
    ],
)
def test_errors_are_counted(language: Language, good: bytes, bad: bytes) -> None:
    assert count_errors(good, language) == 0
    errors = count_errors(bad, language)
    assert errors is not None
    assert errors > 0


def test_a_huge_file_is_not_parsed() -> None:
    huge = b"x = 1\n" * (MAX_SOURCE_BYTES // 6 + 1)
    assert count_errors(huge, "python") is None
    assert definitions(huge, "python") == []


def test_a_file_that_the_parser_chokes_on_is_given_up_and_the_next_one_is_parsed() -> None:
    """Java's grammar takes memory with the square of these."""
    assert count_errors(b"a<" * 200_000, "java") is None
    assert count_errors(JAVA, "java") == 0


def test_a_parser_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitgoodbench.ted.isolated.TIMEOUT_S", 0.0)
    assert count_errors(PYTHON * 1000, "python") is None
    monkeypatch.undo()
    assert count_errors(PYTHON, "python") == 0


def test_threads_parse_side_by_side() -> None:
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda n: count_errors(b"(" * (n % 3), "python"), range(30)))
    assert [count == 0 for count in found] == [n % 3 == 0 for n in range(30)]


def test_deep_nesting_ends() -> None:
    assert count_errors(b"(" * 100_000, "python") is not None
    assert definitions(b"def f():\n " * 1 + b"[" * 50_000 + b"]" * 50_000, "python")[0].name == "f"


@pytest.mark.parametrize(
    ("path", "language"),
    [(b"a/b.py", "python"), (b"A.java", "java"), (b"a.kt", "kotlin"), (b"build.gradle.kts", "kotlin"), (b"py", None)],
)
def test_languages_go_by_the_name(path: bytes, language: str | None) -> None:
    assert language_of(path) == language
