"""Lines are continued below within the width of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from gitgoodbench.reporting.wrapping import wrap, wrap_indented

PROSE = "A merge of two branches stopped at conflicts"


@pytest.mark.parametrize(
    ("text", "width", "indent", "expected"),
    [
        (PROSE, None, 2, [f"  {PROSE}"]),
        (PROSE, 26, 2, ["  A merge of two branches", "  stopped at conflicts"]),
        ("x" * 50, 26, 2, ["  " + "x" * 24, "  " + "x" * 24, "  xx"]),
        ("a " + "x" * 30, 26, 2, ["  a " + "x" * 22, "  xxxxxxxx"]),
        ("\u6f22" * 15, 24, 0, ["\u6f22" * 12, "\u6f22" * 3]),
        ("y" * 21, 10, 8, [" " * 8 + "y" * 20, " " * 8 + "y"]),
        ("", 26, 2, [""]),
    ],
)
def test_what_has_no_room_goes_on_below(text: str, width: int | None, indent: int, expected: list[str]) -> None:
    assert list(wrap(text, width, indent)) == expected


def test_a_line_goes_on_as_it_is_indented() -> None:
    assert list(wrap_indented(f"    {PROSE}", 28)) == ["    A merge of two branches", "    stopped at conflicts"]


@given(st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" ")), st.integers(20, 60))
def test_nothing_is_lost_and_nothing_is_too_wide(text: str, width: int) -> None:
    lines = list(wrap(text, width))
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= width for line in lines)
