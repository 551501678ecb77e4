"""Whose lines they are: the changes of a series of versions, told apart in the change from the first to the last."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.hunks import TextChange, change_between
from gitgoodbench.git.line_origins import LineOrigins, step_of, trace_lines
from gitgoodbench.git.objects import write_blob
from gitgoodbench.git.process import Git
from tests.support.repositories import RepositoryBuilder


@pytest.fixture(scope="session")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    return RepositoryBuilder(tmp_path_factory.mktemp("origins") / "r.git").git


def change(git: Git, old: bytes, new: bytes) -> TextChange:
    return change_between(git, (write_blob(git, old), old), (write_blob(git, new), new))


def traced(git: Git, *versions: bytes) -> LineOrigins:
    steps = [change(git, old, new) for old, new in pairwise(versions)]
    return trace_lines(len(split_lines(versions[0])), steps)


def test_lines_belong_to_the_step_that_added_or_removed_them(git: Git) -> None:
    origins = traced(git, b"a\nb\nc\n", b"a\nb\nc\nd\n", b"b\nc\nd\n", b"b\nc\nx\nd\n")
    assert origins == LineOrigins((1, None, None), (None, None, 2, 0))


def test_a_line_edited_twice_goes_with_the_first_edit_and_comes_with_the_last(git: Git) -> None:
    assert traced(git, b"a\n", b"b\n", b"c\n") == LineOrigins((0,), (1,))


def test_an_edit_of_the_lines_that_replaced_a_line_says_nothing_of_that_line(git: Git) -> None:
    assert traced(git, b"a\n", b"b\nc\n", b"B\nc\n") == LineOrigins((0,), (1, 0))
    assert traced(git, b"a\nz\n", b"b\nz\n", b"z\n") == LineOrigins((0, None), (None,))


def test_a_line_that_goes_and_comes_back_is_removed_and_added(git: Git) -> None:
    assert traced(git, b"a\nb\n", b"b\n", b"a\nb\n") == LineOrigins((0, None), (1, None))


def test_lines_that_came_and_went_leave_no_trace(git: Git) -> None:
    assert traced(git, b"a\n", b"a\nb\n", b"a\n") == LineOrigins((None,), (None,))


def test_a_step_that_changes_nothing_is_counted(git: Git) -> None:
    assert trace_lines(2, [None, None]) == LineOrigins((None, None), (None, None))
    assert trace_lines(1, [None, change(git, b"a\n", b"b\n")]) == LineOrigins((1,), (1,))


def test_the_direct_change_is_told_by_steps(git: Git) -> None:
    first, last = b"a\nb\nc\n", b"A\nb\nc\nd\n"
    direct = change(git, first, last)
    origins = traced(git, first, b"a\nb\nc\nd\n", last)
    (hunk,) = direct.hunks
    assert [step_of(direct, position, origins) for position in hunk.changed] == [1, 1, 0]
