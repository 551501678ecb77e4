"""Running Git: a command that fails for want of space is this machine's fault, and no verdict on a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.replay import replay_merge
from tests.support.merges import make_merge

FULL_DISK = """#!/bin/sh
echo 'error: unable to write file objects/ab: No space left on device' >&2
echo 'fatal: unable to write loose object file' >&2
exit 128
"""


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(FULL_DISK)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return Git(tmp_path)


def test_a_full_disk_is_a_failure_of_infrastructure(full_disk: Git) -> None:
    with pytest.raises(InfrastructureFailed, match="No space left on device"):
        full_disk.run("index-pack", "--stdin")
    with pytest.raises(InfrastructureFailed, match="No space left on device"):
        replay_merge(full_disk, "HEAD", "incoming")


def test_any_other_failure_is_gits(tmp_path: Path) -> None:
    case = make_merge(tmp_path / "r.git", {b"a": b"0"}, {b"a": b"1"}, {b"a": b"2"}, {b"a": b"3"})
    with pytest.raises(GitError, match="Not a valid object name"):
        case.git.run("cat-file", "blob", "No space left on device")
    with pytest.raises(GitError, match="not something we can merge"):
        replay_merge(case.git, "1" * 40, case.local)
