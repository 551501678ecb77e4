"""The walk over history, and what commits changed."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest

from gitgoodbench.git.process import Git, GitError
from gitgoodbench.mining import diffs
from gitgoodbench.mining.diffs import state_after, state_before, status
from gitgoodbench.mining.history import Commit, read_history
from gitgoodbench.mining.options import Refs
from gitgoodbench.workspace.scratch import ScratchRepository
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository.git")


@pytest.fixture(params=[1000, 2])
def _chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diffs, "COMMITS_PER_PROCESS", request.param)


pytestmark = pytest.mark.usefixtures("_chunk")


def walk(git: Git, refs: Refs = Refs.BRANCHES) -> list[Commit]:
    with ScratchRepository(git) as scratch:
        return list(read_history(git, scratch.git, refs))


def dated(repository: RepositoryBuilder, date: int, *parents: str) -> str:
    git = repository.git.with_env(GIT_COMMITTER_DATE=f"{date} +0000")
    parent_args = [arg for parent in parents for arg in ("-p", parent)]
    return git.line("commit-tree", *parent_args, "-m", "x", repository.tree({b"a": b"%d" % date}))


def test_parents_come_before_children_whatever_the_clocks_say(repository: RepositoryBuilder) -> None:
    root = dated(repository, 2_000_000_000)
    left = dated(repository, 1_000_000_000, root)
    right = dated(repository, 1_900_000_000, root)
    merge = dated(repository, 1_500_000_000, left, right)
    tip = dated(repository, 1_100_000_000, merge)
    repository.branch("main", tip)
    repository.branch("old", left)
    commits = walk(repository.git)
    order = [commit.oid for commit in commits]
    assert sorted(order) == sorted([root, left, right, merge, tip])
    assert all(order.index(parent) < order.index(commit.oid) for commit in commits for parent in commit.parents)
    assert {commit.oid: commit.children for commit in commits} == {root: 2, left: 1, right: 1, merge: 1, tip: 0}
    assert {commit.oid: commit.committed for commit in commits}[merge] == 1_500_000_000


def test_changes_survive_byte_for_byte_whatever_messages_hold(repository: RepositoryBuilder) -> None:
    names = [b"a b", b'q"', b"n\nl", b"-\n", b":x", b"\xff", b"d/e", b"\t"]
    root = repository.commit(
        dict.fromkeys(names, b"0\n"),
        message=b"-\n\n-\n:100644 \xe9\ncommit x\n(cherry picked from commit %s)\n" % (b"1" * 40),
    )
    tip = repository.commit(dict.fromkeys(names, b"1\n"), [root], message=b"\n\n")
    repository.branch("main", tip)
    first, second = walk(repository.git)
    assert (first.oid, first.message[-42:]) == (root, b"1" * 40 + b")\n")
    assert (second.oid, second.message.strip()) == (tip, b"")
    assert first.changes is not None
    assert second.changes is not None
    assert [path for _, path in second.changes] == sorted(names)
    assert {status(header) for header, _ in first.changes} == {"A"}
    assert {status(header) for header, _ in second.changes} == {"M"}
    old, new = (repository.git.line("rev-parse", f"{commit}:d/e").encode() for commit in (root, tip))
    header = next(header for header, path in second.changes if path == b"d/e")
    assert (state_before(header), state_after(header)) == ((b"100644", old), (b"100644", new))


def test_commits_that_change_nothing_are_walked(repository: RepositoryBuilder) -> None:
    root = repository.commit({b"a": b"0"})
    repository.branch("main", repository.commit({b"a": b"0"}, [repository.commit({b"a": b"0"}, [root])]))
    assert [commit.changes for commit in walk(repository.git)][1:] == [(), ()]


def test_a_merge_lists_what_differs_from_its_first_parent(repository: RepositoryBuilder) -> None:
    root = repository.commit({b"a": b"0", b"b": b"0"})
    sides = [repository.commit({b"a": b"%d" % side, b"b": b"0"}, [root]) for side in (1, 2)]
    repository.branch("main", repository.commit({b"a": b"2", b"b": b"0", b"c": b"new"}, sides))
    changes = walk(repository.git)[-1].changes
    assert changes is not None
    blobs = [repository.git.line("rev-parse", f"main:{path}").encode() for path in "ac"]
    assert [(path, state_after(header)) for header, path in changes] == [
        (b"a", (b"100644", blobs[0])), (b"c", (b"100644", blobs[1])),
    ]  # fmt: skip


def test_a_missing_tree_costs_the_commits_that_need_it(repository: RepositoryBuilder) -> None:
    commits: list[str] = []
    for number in range(6):
        commits.append(repository.commit({b"a": b"%d" % number}, commits[-1:]))
    repository.branch("main", commits[-1])
    tree = repository.git.line("rev-parse", f"{commits[2]}^{{tree}}")
    (repository.path / "objects" / tree[:2] / tree[2:]).unlink()
    walked = walk(repository.git)
    assert [commit.oid for commit in walked] == commits
    assert [commit.changes is None for commit in walked] == [False, False, True, True, False, False]
    assert walked[2].parents == (commits[1],)


def test_refs_to_absent_objects_are_passed_over(repository: RepositoryBuilder) -> None:
    oid = repository.commit({b"a": b"0"})
    repository.branch("main", oid)
    (repository.path / "refs/heads/gone").write_text("1" * 40 + "\n")
    assert [commit.oid for commit in walk(repository.git)] == [oid]
    assert [commit.oid for commit in walk(repository.git, Refs.ALL)] == [oid]


def test_an_empty_repository_has_no_history(repository: RepositoryBuilder) -> None:
    assert walk(repository.git) == []
    assert walk(repository.git, Refs.ALL) == []


def test_a_missing_commit_in_the_middle_is_an_error(repository: RepositoryBuilder) -> None:
    root = repository.commit({b"a": b"0"})
    repository.branch("main", repository.commit({b"a": b"1"}, [root]))
    (repository.path / "objects" / root[:2] / root[2:]).unlink()
    with pytest.raises(GitError, match=root):
        walk(repository.git)


def test_line_counts(repository: RepositoryBuilder) -> None:
    root = repository.commit({b"a": b"0\n1\n", b"b": b"\0", b"-\n": b""})
    tip = repository.commit({b"a": b"++i;\n1\n", b"b": b"\0\0", b"-\n": b"x\n"}, [root])
    (found,) = diffs.read_diffs(repository.git, [tip])
    assert found is not None
    assert found.lines == {b"a": 2, b"b": 0, b"-\n": 1}


def test_commits_whose_lines_cannot_be_counted_are_told(repository: RepositoryBuilder) -> None:
    commits: list[str] = []
    for number in range(4):
        commits.append(repository.commit({b"a": b"%d\n" % number, b"b": b"%d\n" % number}, commits[-1:]))
    blob = repository.git.line("rev-parse", f"{commits[1]}:b")
    (repository.path / "objects" / blob[:2] / blob[2:]).unlink()
    found = list(diffs.read_diffs(repository.git, commits))
    assert [diff is None for diff in found] == [False, True, True, False]


def test_a_commit_whose_own_tree_is_missing_costs_it_and_its_child(repository: RepositoryBuilder) -> None:
    """Git passes over a pair of trees when it cannot read one of them, and ends when it cannot read what is in them."""
    commits: list[str] = []
    for number in range(7):
        commits.append(repository.commit({b"a": b"%d" % number, b"d/a": b"%d" % (number // 2)}, commits[-1:]))
    repository.branch("main", commits[-1])
    for path in (f"{commits[1]}^{{tree}}", f"{commits[4]}:d"):
        tree = repository.git.line("rev-parse", path)
        (repository.path / "objects" / tree[:2] / tree[2:]).unlink()
    told = [commit.changes is not None for commit in walk(repository.git)]
    assert told == [True, False, False, True, False, True, False]


def test_however_many_commits_cannot_be_compared(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a clone without contents that is every commit, and each ends the process that was asked about it."""
    root = repository.commit({b"a": b"0\n"})
    tip = repository.commit({b"a": b"1\n"}, [root])
    blob = repository.git.line("rev-parse", f"{tip}:a")
    (repository.path / "objects" / blob[:2] / blob[2:]).unlink()
    monkeypatch.setattr(diffs, "COMMITS_PER_PROCESS", 1000)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 80)
    try:
        found = list(diffs.read_diffs(repository.git, [tip] * 90 + [root]))
    finally:
        sys.setrecursionlimit(limit)
    assert found[:90] == [None] * 90
    assert found[90] is not None
