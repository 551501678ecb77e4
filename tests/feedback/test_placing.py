"""Pieces are put where they stand in a file, and paths are told in the repository."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gitgoodbench.feedback.changes import CommitChange
from gitgoodbench.feedback.locating import absolute_path, locate, path_within, root_of
from gitgoodbench.feedback.placing import apply_parts, line_of, repeats
from gitgoodbench.feedback.records import Part
from tests.feedback.support_scoring import SESSION, change, changed, edit, only, score

SESSIONS = {("agent", "s"): SESSION}


def test_pieces_are_replaced_one_after_the_other() -> None:
    parts = [Part(b"b", b"B\nB2"), Part(b"B2\nc", b"C"), Part(b"", b"0\n", 1)]
    assert apply_parts(b"a\nb\nc\n", parts) == b"0\na\nB\nC\n"
    assert apply_parts(b"a\nb\nc\n", [*parts, Part(b"x", b"y")]) is None
    assert apply_parts(b"", [Part(None, b"new\n")]) == b"new\n"
    assert apply_parts(b"a\n", [Part(None, b"where?\n")]) is None


@pytest.mark.parametrize(("line", "result"), [(None, b"y\nx\nx\n"), (2, b"x\ny\nx\n"), (9, b"x\nx\ny\n")])
def test_of_several_places_the_nearest_to_the_line_is_taken(line: int | None, result: bytes) -> None:
    assert apply_parts(b"x\nx\nx\n", [Part(b"x", b"y", line)]) == result


def test_a_log_may_write_lf_for_crlf() -> None:
    assert apply_parts(b"a\r\nb\r\nc\r\n", [Part(b"a\nb\n", b"a\nB\n")]) == b"a\r\nB\r\nc\r\n"


def test_lines_are_counted_from_one() -> None:
    assert [line_of(b"a\nbc\n", place) for place in (0, 1, 2, 3, 5)] == [1, 1, 2, 2, 3]


def test_a_piece_repeats_a_file_when_half_of_its_lines_are_there() -> None:
    assert repeats(b"a\n\nx\n", b"a\nb\n")
    assert not repeats(b"a\nx\ny\n", b"a\nb\n")
    assert not repeats(b"\n", b"\n")


def test_paths_are_told_from_their_working_tree(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    real, link = str(tmp_path / "real"), str(tmp_path / "link")
    assert path_within(f"{real}/a/b.py", real) == b"a/b.py"
    assert path_within(f"{link}/a.py", real) == path_within(f"{real}/a.py", link) == b"a.py"
    assert path_within(f"{real}-other/a.py", real) is None
    assert path_within(real, real) is None
    assert root_of(f"{real}/inner/a.py", [real, f"{real}/inner"]) == f"{real}/inner"
    assert root_of("/elsewhere/a.py", [real]) is None


def test_a_relative_path_is_one_in_the_sessions_folder() -> None:
    assert absolute_path(edit("1", path="src/../a.py"), SESSIONS) == "/repo/a.py"
    assert absolute_path(edit("1", path="a.py"), {}) is None
    assert absolute_path(edit("1", path="a\0.py"), SESSIONS) is None


def test_without_a_working_tree_the_end_of_the_path_tells_the_file() -> None:
    files: CommitChange = change(changed(None, b"1\n", b"b/a.py"), changed(None, b"1\n", b"a.py"))
    one = edit("1", path="/gone/b/a.py")
    assert locate(one, None, files, {}) == b"b/a.py"
    assert locate(replace(one, path="/gone/xa.py"), None, files, {}) is None
    assert locate(replace(one, path="c.py"), None, files, {}) == b"c.py"


def test_a_piece_whose_place_is_not_known_is_parsed_by_itself() -> None:
    """What it was put into is in neither version of the file; `total` became `sum`, one node of 11."""
    before = b"        if w < 0:\n            return\n"
    piece = edit("1", Part(before, before + b"        total = w * h * 2\n"))
    committed = b"class A:\n    def f(w, h):\n        sum = w * h * 2\n"
    result = only(score(change(changed(b"class A:\n    def f(w, h):\n        pass\n", committed)), piece))
    assert (result.state, result.reward, result.size) == ("scored", 1 - 1 / 11, 11)
    assert [one.snippet for one in result.pieces] == [b"        total = w * h * 2\n"]


def test_a_piece_without_a_known_place_is_superseded_by_one_that_takes_its_lines_away() -> None:
    first = edit("1", Part(b"lost = 0\n", b"lost = 0\nalpha = 1\nbeta = 2\n"))
    second = edit("2", Part(b"alpha = 1\nbeta = 2\n", b"gamma = 3\n"), time=901.0)
    result = score(change(changed(b"x = 1\n", b"x = 1\ngamma = 3\n")), first, second)
    assert [(one.state, one.reward) for one in result.edits] == [("superseded", None), ("scored", 1.0)]
    assert result.conversations[0].reward == 1.0
