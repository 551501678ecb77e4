"""Running Git: a command that fails for want of space is this machine's fault, and no verdict on a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.git.process import GIT_ENVIRONMENT, ExecResult, Git, GitError
from gitgoodbench.git.replay import replay_merge
from tests.support.merges import make_merge
from tests.support.repositories import RepositoryBuilder

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


def test_an_error_tells_the_command_in_short() -> None:
    assert str(GitError(("a", b"b", "c", "d", "e"), ExecResult(3, stderr=b"bad\n"))) == "git a b c d: exit code 3: bad"
    assert str(GitError(("a",), ExecResult(-9, timed_out=True))) == "git a: timed out"


def test_more_variables_change_nothing_else(tmp_path: Path) -> None:
    git = Git(tmp_path / ".git", tmp_path, env={"GIT_INDEX_FILE": "other"}).with_env(TZ="Asia/Kolkata")
    assert (git.git_dir, git.work_tree) == (Git(tmp_path / ".git", tmp_path).git_dir, str(tmp_path))
    assert git.extra_env == {"GIT_INDEX_FILE": "other", "TZ": "Asia/Kolkata"}


def test_a_command_has_no_more_time_than_it_is_given(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "r.git")
    with pytest.raises(GitError, match="timed out"):
        Git(tmp_path / "r.git").run("-c", "alias.wait=!sleep 60", "wait", timeout_s=0.1)
