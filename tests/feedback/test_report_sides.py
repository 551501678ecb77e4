"""An edit beside what was committed: marks of the tree edit mapping, masked, cut, and never anything but text."""

from __future__ import annotations

import pytest

from gitgoodbench.feedback.records import MatchedPiece
from gitgoodbench.feedback.report.sides import MOST_LINES, Run, Sides, sides_of


def piece(snippet: bytes, matched: bytes, measure: str = "tree") -> MatchedPiece:
    return MatchedPiece(snippet, matched, "a.py", 3, 10, 2, "tree" if measure == "tree" else "lines")


def text_of(runs: tuple[Run, ...]) -> str:
    return "".join(run.text for run in runs)


def marked(runs: tuple[Run, ...]) -> list[tuple[str, str]]:
    return [(run.text, run.mark) for run in runs if run.mark != "kept"]


def test_nodes_are_marked_by_what_became_of_them() -> None:
    sides = sides_of(piece(b"f(a)\n", b"g(a, b)\n"), "python")
    assert (marked(sides.wrote), marked(sides.committed)) == (
        [("f", "relabelled")],
        [("g", "relabelled"), (", b", "inserted")],
    )
    assert sides.counts == {"kept": 7, "relabelled": 1, "deleted": 0, "inserted": 2}
    assert (text_of(sides.wrote), text_of(sides.committed)) == ("f(a)\n", "g(a, b)\n")
    assert (sides.measure, sides.cut) == ("tree", False)


def test_what_is_gone_is_one_run_with_its_blanks() -> None:
    sides = sides_of(piece(b"a = 1\nb = 2\n", b"a = 1\n"), "python")
    assert marked(sides.wrote) == [("b = 2", "deleted")]
    assert marked(sides.committed) == []


@pytest.mark.parametrize("language", [None, "nothing"])
def test_without_a_grammar_lines_are_marked(language: str | None) -> None:
    sides = sides_of(piece(b"one\n  two\nthree", b"two\nfour\n", "tree"), language)
    assert sides.measure == "lines"
    assert sides.wrote == (Run("one\n", "deleted"), Run("  two\n", "kept"), Run("three\n", "deleted"))
    assert sides.committed == (Run("two\n", "kept"), Run("four\n", "inserted"))
    assert sides.counts == {"kept": 1, "relabelled": 0, "deleted": 2, "inserted": 1}


def test_what_the_score_calls_the_same_is_kept_whatever_it_is_by_itself() -> None:
    sides = sides_of(
        MatchedPiece(b"    else:\n        f(a)\n", b"else:\n    f(a)\n", "a.py", 3, 12, 0, "tree"), "python"
    )
    assert sides.counts == {"kept": 12, "relabelled": 0, "deleted": 0, "inserted": 0}
    assert sides.wrote == (Run("    else:\n        f(a)\n", "kept"),)
    assert sides.committed == (Run("else:\n    f(a)\n", "kept"),)


def test_nothing_like_it_is_all_deleted() -> None:
    sides = sides_of(piece(b"f(a)\n", b""), "python")
    assert (sides.wrote, sides.committed, sides.counts["deleted"]) == ((Run("f(a)\n", "deleted"),), (), 1)


def test_secrets_are_masked_on_both_sides() -> None:
    secret = b"AKIAIOSFODNN7EXAMPLE"
    sides = sides_of(piece(b"key = '" + secret + b"'\n", b"key = '" + secret + b"'  # mine\n"), "python")
    assert "AKIA" not in text_of(sides.wrote) + text_of(sides.committed)
    assert "[masked]" in text_of(sides.wrote)


def test_what_does_not_print_shows_as_its_escape() -> None:
    hostile = b"x = '\x1b[31m\xff\xe2\x80\xae</pre><script>'\r\ny = 1\n"
    for language in ("python", None):
        text = text_of(sides_of(piece(hostile, hostile), language).wrote)
        assert text == "x = '\\x1b[31m\\xff\\u202e</pre><script>'\ny = 1\n"


def small(sides: Sides) -> int:
    return len(text_of(sides.wrote)) + len(text_of(sides.committed))


def test_long_lines_and_many_lines_are_cut_and_it_is_said() -> None:
    long = sides_of(piece(b"x = 1\n" + b"y" * 2_000_000 + b"\n", b"a " * 300 + b"\n"), "python")
    assert (long.cut, long.measure) == (True, "lines")
    assert small(long) < 1_000
    many = sides_of(piece(b"x = 1\n" * 10_000, b"x = 1\n" * 10_000), "python")
    assert text_of(many.wrote).count("\n") == MOST_LINES
    assert many.cut
    assert sides_of(piece(b"y" * 2_000_000, b""), None).wrote == (Run("[masked]\n", "deleted"),)
