"""When a commit has settled: pushed, or old enough and not rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gitgoodbench.feedback.records import Commit
from gitgoodbench.feedback.settling import settled_in
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import commit_of, move_commit, save_commit
from gitgoodbench.git.process import Git

NOW = 1_700_000_000.0


@pytest.fixture
def git(tmp_path: Path) -> Git:
    work = tmp_path / "repo"
    work.mkdir()
    git = Git(work / ".git", work)
    git.run("init", "--quiet")
    git.run("commit", "--quiet", "--allow-empty", "--message=first")
    return git


@pytest.fixture
def store(git: Git) -> Iterator[Store]:
    with Store(Path(git.git_dir)) as store:
        yield store


def commit(git: Git, store: Store, age_minutes: float) -> str:
    git.run("commit", "--quiet", "--allow-empty", f"--message={age_minutes}")
    made = git.line("rev-parse", "HEAD")
    time = int(NOW - age_minutes * 60)
    save_commit(store, Commit(id=made, parents=(), time=time, author="A", email="a@example.org"))
    return made


def test_it_settles_after_that_many_minutes(git: Git, store: Store) -> None:
    made = commit(git, store, 10)
    settled = settled_in(store, git, NOW)
    assert settled(made, 10)
    assert not settled(made, 10.1)


def test_a_pushed_one_has_settled_at_once_and_so_have_those_under_it(git: Git, store: Store) -> None:
    under, pushed, not_pushed = (commit(git, store, 0) for _ in range(3))
    git.run("update-ref", "refs/remotes/origin/main", pushed)
    settled = settled_in(store, git, NOW)
    assert [settled(one, 60) for one in (under, pushed, not_pushed)] == [True, True, False]


def test_one_that_no_branch_has_any_more_does_not_settle(git: Git, store: Store) -> None:
    dropped = commit(git, store, 600)
    git.run("reset", "--quiet", "--hard", "HEAD~1")
    assert not settled_in(store, git, NOW)(dropped, 60)
    git.run("worktree", "add", "--quiet", "--detach", str(Path(git.git_dir).parent.parent / "other"), dropped)
    assert settled_in(store, git, NOW)(dropped, 60)


def test_one_whose_place_another_took_never_settles(git: Git, store: Store) -> None:
    old, new = commit(git, store, 600), commit(git, store, 600)
    move_commit(store, old, new)
    git.run("update-ref", "refs/remotes/origin/main", old)
    settled = settled_in(store, git, NOW)
    assert [settled(one, 60) for one in (old, new)] == [False, True]


def test_one_that_is_unknown_or_gone_has_not_settled(git: Git, store: Store) -> None:
    settled = settled_in(store, git, NOW)
    assert not settled("1" * 40, 0)
    known = commit_of(store, commit(git, store, 600))
    assert known is not None
    save_commit(store, replace(known, id="2" * 40))
    assert not settled("2" * 40, 0)
