"""The lines of a file that a match has, wherever its largest item stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.feedback.piece_lines import own_pieces, piece_lines
from gitgoodbench.git.conflict_text import split_lines
from tests.feedback.support_notes import edit_result, piece

LINES = st.lists(st.sampled_from([b"a\n", b"  a\n", b"b\n", b"\n", b"c = 1\n"]), min_size=1, max_size=12)


@given(LINES, st.data())
def test_a_run_of_lines_is_found_around_its_line(lines: list[bytes], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    line = data.draw(st.integers(first, last))
    found = piece_lines(piece(b"".join(lines[first - 1 : last]), "a.py", line), lines)
    assert len(found) == last - first + 1
    assert line in found
    assert [lines[number - 1] for number in found] == lines[first - 1 : last]


def test_the_first_and_the_last_line_may_be_parts() -> None:
    lines = [b"x = (1 +\n", b"     2);  # y\n", b"z\n"]
    assert piece_lines(piece(b"(1 +\n     2)", "a.py", 2), lines) == [1, 2]
    assert piece_lines(piece(b"2", "a.py", 2), lines) == [2]


def test_several_runs_put_together_are_found_by_their_lines() -> None:
    lines = split_lines(b"def a():\n    pass\n\n# between\n\ndef b():\n    return 1\n")
    assert piece_lines(piece(b"def a():\n    pass\ndef b():\n    return 1", "a.py", 6), lines) == [1, 2, 6, 7]


def test_what_is_not_there_has_no_lines() -> None:
    assert piece_lines(piece(b"gone\n", "a.py", 1), [b"x\n"]) == []
    assert piece_lines(piece(b"", "a.py", 1), [b"x\n"]) == []
    assert piece_lines(piece(b"x\ny\n", "a.py", 99), [b"x\n"]) == [1]
    assert piece_lines(piece(b"x\n", "a.py", 1), []) == []


def test_only_pieces_that_were_kept_by_half_are_an_edits_own() -> None:
    half, less = piece(b"x\n", "a.py", 1, distance=5), piece(b"x\n", "a.py", 1, distance=6)
    assert own_pieces(edit_result("1" * 40, "1", half, less)) == [half]
    assert own_pieces(edit_result("1" * 40, "1", half, state="superseded")) == []
