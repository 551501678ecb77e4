"""Hunks of chains, as `git diff` has them, whatever the lines and the names look like."""

from __future__ import annotations

from pathlib import Path

from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.chain_hunks import read_hunks
from tests.support.repositories import RepositoryBuilder

NAMES = (b"a.py", b"my file.py", b'say "hi".py', b"tab\t.py", "naïve.py".encode(), b"latin\xe9.py")


def test_each_step_has_the_lines_that_its_own_file_loses_and_gains(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    first = builder.commit(dict.fromkeys(NAMES, b"1\n2\n3\n4\n5\n"))
    changed = {name: b"1\n++ %s\n3\n4\n-- a\n+++ b/x" % name for name in NAMES}
    second = builder.commit(changed, [first])
    builder.branch("main", second)
    found = read_hunks(Git(tmp_path / "r.git"), [(second, name) for name in NAMES[1:]])
    assert found == {(second, name): [b"2\n++ %s\n" % name, b"5\n-- a\n+++ b/x\n"] for name in NAMES[1:]}


def test_binary_files_and_changes_of_mode_have_no_hunks(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    first = builder.commit({b"a.py": b"\0one"})
    second = builder.commit({b"a.py": b"\0two"}, [first])
    builder.branch("main", second)
    assert read_hunks(Git(tmp_path / "r.git"), [(second, b"a.py")]) == {}
