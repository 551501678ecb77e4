"""Running Git: a command that fails for want of space is this machine's fault, and no verdict on a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.git.process import GIT_ENVIRONMENT, Git, GitError
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


def test_git_runs_in_a_closed_environment() -> None:
    count = int(GIT_ENVIRONMENT["GIT_CONFIG_COUNT"])
    settings = {GIT_ENVIRONMENT[f"GIT_CONFIG_KEY_{n}"]: GIT_ENVIRONMENT[f"GIT_CONFIG_VALUE_{n}"] for n in range(count)}
    assert len(settings) == count
    assert settings.items() >= {"core.hooksPath": "/dev/null", "core.autocrlf": "false", "gc.auto": "0"}.items()
    assert {name: value for name, value in GIT_ENVIRONMENT.items() if not name.startswith("GIT_CONFIG_")} == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/nonexistent",
        "XDG_CONFIG_HOME": "/nonexistent",
        "LC_ALL": "C",
        "TZ": "UTC",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": ":",
        "GIT_SEQUENCE_EDITOR": ":",
        "GIT_MERGE_AUTOEDIT": "no",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": "/nonexistent",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_AUTHOR_NAME": "gitgoodbench",
        "GIT_AUTHOR_EMAIL": "agent@gitgoodbench.invalid",
        "GIT_AUTHOR_DATE": "2020-01-01T00:00:00+0000",
        "GIT_COMMITTER_NAME": "gitgoodbench",
        "GIT_COMMITTER_EMAIL": "agent@gitgoodbench.invalid",
        "GIT_COMMITTER_DATE": "2020-01-01T00:00:00+0000",
    }
    assert (GIT_ENVIRONMENT["GIT_CONFIG_GLOBAL"], GIT_ENVIRONMENT["GIT_CONFIG_NOSYSTEM"]) == ("/dev/null", "1")
