"""Events: whatever paths and variables hold, whatever fails, a commit neither fails nor waits, and is not lost."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gitgoodbench.feedback import hook
from gitgoodbench.feedback.queue import (
    MOST_ATTEMPTS,
    BrokenEvent,
    Event,
    done,
    failed,
    failures_of,
    problems_of,
    queue_of,
    read_event,
    waiting,
)
from gitgoodbench.feedback.repository import discover
from gitgoodbench.feedback.store import folder_of
from tests.feedback.support_repository import Developer, install_quietly


def events(folder: Path) -> list[Event]:
    return [read_event(path) for path in waiting(discover(folder).common)]


def test_an_event_has_all_that_the_hook_saw(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    install_quietly(project, ("A_SESSION", "EMPTY", "UNSET"))
    before = time.time()
    commit = ada.commit(project, {"a": b"a"}, A_SESSION="x=1\ny", EMPTY="", OTHER="secret")
    (event,) = events(project)
    assert (event.kind, event.commit, event.root, event.rebasing) == ("post-commit", commit, project, False)
    assert event.hints == (("A_SESSION", "x=1\ny"), ("EMPTY", ""))
    assert before - 2 <= event.time <= time.time() + 2


@pytest.mark.parametrize(
    "name", [b"with space", b"new\nline", b"\xff\xfe not utf-8", b"quote'\"$(touch x)`", b"ends\n"]
)
def test_folders_may_have_any_name(ada: Developer, tmp_path: Path, name: bytes) -> None:
    project = ada.repository(tmp_path / os.fsdecode(name))
    install_quietly(project)
    commit = ada.commit(project, {"a": b"a"})
    linked = tmp_path / os.fsdecode(b"linked " + name)
    ada.git(project, "worktree", "add", "--quiet", "-b", "linked", str(linked))
    there = ada.commit(linked, {"b": b"b"})
    assert {(event.commit, event.root) for event in events(project)} == {(commit, project), (there, linked)}
    assert discover(linked).common == discover(project).common
    assert discover(project).roots == (project, linked)


def test_sha256_detached_empty_and_from_outside(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project", "--object-format=sha256")
    install_quietly(project)
    first = ada.commit(project, {})
    ada.git(project, "checkout", "--quiet", "--detach")
    ada.clock += 60
    ada.git(tmp_path, "-C", "project", "commit", "--quiet", "--allow-empty", "--message", "Empty")
    second = ada.head(project)
    ada.clock += 60
    variables = {"GIT_DIR": str(project / ".git"), "GIT_WORK_TREE": str(project)}
    ada.git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "From outside", **variables)
    assert [event.commit for event in events(project)] == [first, second, ada.head(project)]
    assert {event.root for event in events(project)} == {project}


def test_the_commit_is_the_one_of_head_however_that_is_kept(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    install_quietly(project)
    commits = [ada.commit(project, {})]
    ada.git(project, "pack-refs", "--all")
    commits.append(ada.commit(project, {}))
    ada.git(project, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    ada.git(project, "symbolic-ref", "HEAD", "refs/heads/alias")
    commits.append(ada.commit(project, {}))
    ada.git(project, "checkout", "--quiet", "-b", "feature/deep/er")
    commits.append(ada.commit(project, {}))
    ada.git(project, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    commits.append(ada.commit(tmp_path / "side", {}))
    ada.git(tmp_path / "side", "checkout", "--quiet", "--detach")
    commits.append(ada.commit(tmp_path / "side", {}))
    assert [event.commit for event in events(project)] == commits
    assert [event.branch for event in events(project)] == ["main", "main", "alias", "feature/deep/er", "side", None]


def test_a_submodule_is_a_repository_of_its_own(ada: Developer, tmp_path: Path) -> None:
    inner = ada.repository(tmp_path / "inner")
    ada.commit(inner, {"a": b"a"})
    outer = ada.repository(tmp_path / "outer")
    ada.git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    install_quietly(outer / "sub")
    commit = ada.commit(outer / "sub", {"b": b"b"})
    assert [(event.commit, event.root) for event in events(outer / "sub")] == [(commit, outer / "sub")]
    assert discover(outer / "sub").common == outer / ".git/modules/sub"
    assert discover(outer / "sub").roots == (outer / "sub",)


def test_worktrees_of_a_bare_repository_share_a_queue(ada: Developer, tmp_path: Path) -> None:
    bare = ada.repository(tmp_path / "bare.git", "--bare")
    tree = ada.git(bare, "hash-object", "-t", "tree", "-w", "--stdin")
    ada.git(bare, "branch", "one", ada.git(bare, "commit-tree", "-m", "Root", tree))
    ada.git(bare, "worktree", "add", "--quiet", "../one", "one")
    repository = install_quietly(tmp_path / "one")
    commit = ada.commit(tmp_path / "one", {"a": b"a"})
    assert [event.commit for event in events(bare)] == [commit]
    assert (repository.common, repository.roots) == (bare, (tmp_path / "one",))


def test_commits_at_once_in_two_worktrees_are_both_there(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    install_quietly(project)
    ada.commit(project, {"a": b"a"})
    ada.git(project, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    command = "for i in 1 2 3; do git commit --quiet --allow-empty --message $i || exit 1; done"
    running = [
        subprocess.Popen(["sh", "-c", command], cwd=folder, env=ada.environment)
        for folder in (project, tmp_path / "linked")
    ]
    assert [process.wait() for process in running] == [0, 0]
    made = set(ada.git(project, "rev-list", "--all").split())
    assert {event.commit for event in events(project)} == made


def test_a_rebase_is_told_from_other_commits(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    install_quietly(project)
    ada.commit(project, {"a": b"a"})
    one = ada.commit(project, {"b": b"b"})
    two = ada.commit(project, {"c": b"c"})
    ada.git(project, "rebase", "--quiet", "--force-rebase", "HEAD~2", GIT_COMMITTER_DATE="1790009999 +0000")
    seen = events(project)[3:]
    assert [event.rebasing for event in seen if event.kind == "post-commit"] == [True, True]
    (rewrite,) = [event for event in seen if event.kind == "post-rewrite"]
    assert (rewrite.command, [old for old, _ in rewrite.rewritten]) == ("rebase", [one, two])
    assert rewrite.rewritten[1][1] == ada.head(project)


def test_a_commit_does_not_fail_where_nothing_can_be_written(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    install_quietly(project)
    queue = queue_of(project / ".git")
    queue.rmdir()
    queue.write_bytes(b"a file is in the way")
    done_ = ada.run(project, "git", "commit", "--quiet", "--allow-empty", "--message", "Works")
    assert (done_.returncode, done_.stdout, done_.stderr) == (0, b"", b"")


@pytest.mark.parametrize("gone", ["python", "worker", "script"])
def test_a_commit_does_not_fail_where_gitgoodbench_is_gone(ada: Developer, tmp_path: Path, gone: str) -> None:
    project = ada.repository(tmp_path / "project")
    install_quietly(project)
    script = folder_of(project / ".git") / "hook"
    if gone == "script":
        script.unlink()
    else:
        there, absent = "/bin/true", "/nonexistent"
        script.write_text(hook.script(hook.Program(*((absent, there) if gone == "python" else (there, absent))), ()))
    made = ada.run(project, "git", "commit", "--quiet", "--allow-empty", "--message", "Works")
    assert (made.returncode, made.stdout, made.stderr) == (0, b"", b"")
    assert events(project) == []


def test_a_full_disk_costs_the_event_and_not_the_commit(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    install_quietly(project, ("A_SESSION",))
    made = ada.run(
        project,
        "sh",
        "-c",
        "trap '' XFSZ; ulimit -f 1; git commit --quiet --allow-empty --message Works",
        A_SESSION="x" * 100_000,
    )
    assert made.returncode == 0
    assert events(project) == []
    assert [path for path in queue_of(project / ".git").iterdir() if path.suffix == ".partial"] == []


def test_nothing_of_the_worker_keeps_the_caller_waiting(ada: Developer, tmp_path: Path) -> None:
    """Whoever reads the output of `git commit` to its end, as editors do, must not wait for the worker."""
    project = ada.repository(tmp_path / "project")
    install_quietly(project)
    sleeper = tmp_path / "sleeper"
    sleeper.write_text('#!/bin/sh\necho $$ >"$HOME/pid"\nenv >"$HOME/environment"\nexec sleep 20\n')
    sleeper.chmod(0o755)
    (folder_of(project / ".git") / "hook").write_text(hook.script(hook.Program(str(sleeper), "/bin/true"), ()))
    command = "exec 7>&1; git commit --quiet --allow-empty --message Works"
    begun = time.monotonic()
    assert ada.run(project, "sh", "-c", command).returncode == 0
    assert time.monotonic() - begun < 15
    for _ in range(500):
        if (ada.home / "environment").exists() and (said := (ada.home / "environment").read_text()):
            break
        time.sleep(0.01)
    assert not [line for line in said.split("\n") if line.startswith("GIT_")]
    os.kill(int((ada.home / "pid").read_text()), signal.SIGKILL)


def test_damaged_events_are_said_and_block_nothing(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    repository = install_quietly(project)
    queue = queue_of(repository.common)
    (queue / "half").write_bytes(b"gitgoodbench event 1\0kind=post-commit\0commit=" + b"a" * 40 + b"\0")
    (queue / "odd").write_bytes(b"gitgoodbench event 1\0kind=other\0commit=x\0end\0")
    (queue / "empty").write_bytes(b"")
    commit = ada.commit(project, {"a": b"a"})
    for path in waiting(repository.common)[:3]:
        with pytest.raises(BrokenEvent):
            read_event(path)
        for _ in range(MOST_ATTEMPTS):
            failed(path, "odd")
    assert [event.commit for event in events(project)] == [commit]
    assert problems_of(repository.common) == {"half": "odd", "odd": "odd", "empty": "odd"}
    for path in waiting(repository.common, aside=True):
        done(path)
    assert list(queue.iterdir()) == []


def test_failures_are_counted(tmp_path: Path) -> None:
    queue = queue_of(tmp_path)
    queue.mkdir(parents=True)
    path = queue / "one"
    path.write_bytes(b"x")
    assert (failures_of(path), waiting(tmp_path)) == (0, [path])
    failed(path, "first")
    failed(path, "second")
    assert (failures_of(path), problems_of(tmp_path)) == (2, {"one": "second"})
    assert waiting(tmp_path / "elsewhere") == []
