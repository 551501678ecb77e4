"""Which Git is new enough, and what is said where none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.git.version import GIT_NEEDED, host_git_version, is_new_enough, require_git


def git_that_answers(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int = 0) -> None:
    program = folder / "git"
    program.write_text(f"#!/bin/sh\necho '{answer}'\nexit {code}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.parametrize(
    ("version", "enough"),
    [("2.30.2", False), ("2.38.5", False), ("2.39.0", True), ("2.39.5 (Apple Git-154)", True), ("3.0.0", True)],
)
def test_a_version_is_compared_by_its_numbers(version: str, enough: bool) -> None:
    assert is_new_enough(version) is enough


def test_an_old_git_is_refused_by_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git_that_answers(tmp_path, monkeypatch, "git version 2.30.2")
    assert host_git_version() == "2.30.2"
    with pytest.raises(UserError, match=f"^Git 2.30.2 is too old: {GIT_NEEDED}$"):
        require_git()


def test_no_git_is_said_with_the_way_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=f"^git is not installed, or not on PATH: {GIT_NEEDED}$"):
        require_git()


@pytest.mark.parametrize(("answer", "code"), [("", 1), ("git version unknown", 0), ("segmentation fault", 139)])
def test_a_git_that_says_no_version_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    git_that_answers(tmp_path, monkeypatch, answer, code)
    with pytest.raises(UserError, match=rf"answers no version \(exit code {code}\)"):
        require_git()


def test_git_is_asked_in_an_environment_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE")
    git_that_answers(tmp_path, monkeypatch, "")
    (tmp_path / "git").write_text('#!/bin/sh\necho "git version 2.40.1 $LC_ALL ${GIT_TRACE-none}"\n')
    monkeypatch.setenv("GIT_TRACE", "1")
    assert host_git_version() == "2.40.1 C none"
