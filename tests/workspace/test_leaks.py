"""Objects that a workspace should not contain are found, and nothing else is called a leak."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git.process import Git
from gitgoodbench.workspace.leaks import leaked_objects
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def mirror(tmp_path: Path) -> RepositoryBuilder:
    """With a base, a commit that the agent may know, and the answer upon it."""
    return RepositoryBuilder(tmp_path / "mirror.git")


def copy_objects(source: Git, target: Git, *oids: str) -> None:
    for oid in oids:
        kind = source.run("cat-file", "-t", oid).decode().strip()
        content = source.run("cat-file", kind, oid)
        target.run("hash-object", "-w", "-t", kind, "--literally", "--stdin", stdin=content)


def test_exactly_the_secret_objects_that_are_there_are_leaks(mirror: RepositoryBuilder, tmp_path: Path) -> None:
    base = mirror.commit({b"a.py": b"0\n"})
    known = mirror.commit({b"a.py": b"known\n"}, [base])
    answer = mirror.commit({b"a.py": b"answer\n", b"d/b.py": b"new\n"}, [known])
    workspace = RepositoryBuilder(tmp_path / "workspace.git").git
    everything_known = mirror.git.run("rev-list", "--objects", "--no-object-names", known).decode().split()
    copy_objects(mirror.git, workspace, *everything_known)
    assert leaked_objects(workspace, mirror.git, [answer], [known]) == []

    def oid(spec: str) -> str:
        return mirror.git.run("rev-parse", spec).decode().strip()

    tree, folder = oid(f"{answer}^{{tree}}"), oid(f"{answer}:d")
    below = [oid(f"{answer}:a.py"), oid(f"{answer}:d/b.py")]
    copy_objects(mirror.git, workspace, *below)
    assert leaked_objects(workspace, mirror.git, [answer], [known]) == sorted(below)
    copy_objects(mirror.git, workspace, folder, tree)
    assert leaked_objects(workspace, mirror.git, [answer], [known]) == sorted([*below, folder, tree])
    assert leaked_objects(workspace, mirror.git, [answer], [known], derived=[tree]) == []
    copy_objects(mirror.git, workspace, answer)
    assert leaked_objects(workspace, mirror.git, [answer], [known], derived=[tree]) == [answer]


def test_what_known_history_holds_is_no_leak_though_the_answer_brings_it_back(
    mirror: RepositoryBuilder, tmp_path: Path
) -> None:
    first = mirror.commit({b"a.py": b"once\n"})
    second = mirror.commit({b"a.py": b"twice\n"}, [first])
    known = mirror.commit({b"a.py": b"thrice\n"}, [second])
    answer = mirror.commit({b"a.py": b"once\n"}, [known])
    workspace = RepositoryBuilder(tmp_path / "workspace.git").git
    copy_objects(
        mirror.git, workspace, *mirror.git.run("rev-list", "--objects", "--no-object-names", known).decode().split()
    )
    assert leaked_objects(workspace, mirror.git, [answer], [known]) == []
