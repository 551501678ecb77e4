"""Hooks are put beside what is there, and taken out so that every byte is as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback import hook
from gitgoodbench.feedback.everywhere import data_folder, install_everywhere, uninstall_everywhere
from gitgoodbench.feedback.install import hooks_folders, hooks_in, install_in, uninstall_from
from gitgoodbench.feedback.queue import read_event, waiting
from gitgoodbench.feedback.repository import discover
from gitgoodbench.feedback.store import folder_of
from tests.feedback.support_repository import PROGRAM, Developer, install_quietly

SH = b'#!/bin/sh\necho "$0 $*" >>ran\nexit 7\n'
BASH = b"#!/usr/bin/env bash\nset -euo pipefail\ncat >>ran\n"
PYTHON = b"#!/usr/bin/env python3\nimport sys\nopen('ran', 'w').write(sys.argv[0].rpartition('/')[2])\nsys.exit(3)\n"


def put(path: Path, content: bytes, mode: int = 0o755) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def files_of(folder: Path) -> dict[str, tuple[bytes | str, int]]:
    """All files of a folder with content and mode; links with their targets."""
    return {
        str(path.relative_to(folder)): (str(path.readlink()), 0)
        if path.is_symlink()
        else (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def commits_seen(folder: Path) -> list[str]:
    return [read_event(path).commit for path in waiting(discover(folder).common)]


def test_without_other_hooks_ours_come_and_go(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    before = files_of(project / ".git" / "hooks")
    repository = install_quietly(project)
    commit = ada.commit(project, {"a.py": b"a = 1\n"})
    assert commits_seen(project) == [commit]
    assert [one.state for one in hooks_in(repository)] == ["installed", "installed"]
    assert [path.name for path in uninstall_from(repository, ())] == ["post-commit", "post-rewrite"]
    assert files_of(project / ".git" / "hooks") == before
    assert [one.state for one in hooks_in(repository)] == ["missing", "missing"]


def test_installing_again_changes_nothing(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    put(project / ".git/hooks/post-commit", SH)
    put(project / ".git/hooks/post-rewrite", PYTHON)
    repository = discover(project)
    install_in(repository, ["A_SESSION"])
    before = files_of(project / ".git")
    install_in(repository, ["A_SESSION"])
    assert files_of(project / ".git") == before


@pytest.mark.parametrize(("content", "ran"), [(SH, ".git/hooks/post-commit \n"), (BASH, ""), (PYTHON, "post-commit")])
def test_a_hook_that_is_there_goes_on_to_run(ada: Developer, tmp_path: Path, content: bytes, ran: str) -> None:
    project = ada.repository(tmp_path / "project")
    put(project / ".git/hooks/post-commit", content, 0o750)
    before = files_of(project / ".git" / "hooks")
    repository = install_quietly(project)
    commit = ada.commit(project, {"a.py": b"a = 1\n"})
    assert (project / "ran").read_text() == ran
    assert commits_seen(project) == [commit]
    assert ada.run(project, ".git/hooks/post-commit").returncode == {SH: 7, BASH: 0, PYTHON: 3}[content]
    uninstall_from(repository, ())
    assert files_of(project / ".git" / "hooks") == before


@pytest.mark.parametrize(
    "content",
    [BASH, b"#!/bin/sh\ncat >>ran\n", b"#!/usr/bin/python3\nimport sys\nopen('ran', 'w').write(sys.stdin.read())\n"],
)
def test_post_rewrite_of_others_reads_the_same_pairs(ada: Developer, tmp_path: Path, content: bytes) -> None:
    project = ada.repository(tmp_path / "project")
    put(project / ".git/hooks/post-rewrite", content)
    install_quietly(project)
    old = ada.commit(project, {"a.py": b"a = 1\n"})
    new = ada.commit(project, {"a.py": b"a = 2\n"}, "Amended", "--amend")
    assert (project / "ran").read_text() == f"{old} {new}\n"
    events = [read_event(path) for path in waiting(discover(project).common)]
    assert [(event.kind, event.rewritten) for event in events][-1] == ("post-rewrite", ((old, new),))
    assert events[-1].command == "amend"


def test_a_hook_that_is_switched_off_stays_so(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    put(project / ".git/hooks/post-commit", SH, 0o644)
    before = files_of(project / ".git" / "hooks")
    repository = install_quietly(project)
    assert commits_seen(project) == []
    commit = ada.commit(project, {"a.py": b"a = 1\n"})
    assert not (project / "ran").exists()
    assert commits_seen(project) == [commit]
    uninstall_from(repository, ())
    assert files_of(project / ".git" / "hooks") == before


def test_a_link_to_a_dispatcher_stays_a_link(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    put(project / ".git/hooks/dispatch", b'#!/bin/sh\nbasename "$0" >ran\n')
    (project / ".git/hooks/post-commit").symlink_to("dispatch")
    before = files_of(project / ".git" / "hooks")
    repository = install_quietly(project)
    ada.commit(project, {"a.py": b"a = 1\n"})
    assert (project / "ran").read_text() == "post-commit\n"
    uninstall_from(repository, ())
    assert files_of(project / ".git" / "hooks") == before


def test_what_others_added_to_our_hook_stays(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    repository = install_quietly(project)
    ours = project / ".git/hooks/post-commit"
    ours.write_bytes(ours.read_bytes() + b"echo mine\n")
    uninstall_from(repository, ())
    assert ours.read_bytes() == b"#!/bin/sh\necho mine\n"


def test_hooks_of_husky_keep_working(ada: Developer, tmp_path: Path) -> None:
    """As husky 9 leaves them: `core.hooksPath` is `.husky/_`, whose hooks find the user's by `$0`."""
    project = ada.repository(tmp_path / "project")
    stub = b'#!/usr/bin/env sh\n. "$(dirname "$0")/h"'
    put(project / ".husky/_/.gitignore", b"*", 0o644)
    put(
        project / ".husky/_/h",
        b'n=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n[ ! -f "$s" ] && exit 0\nsh -e "$s" "$@"\nexit $?\n',
        0o644,
    )
    put(project / ".husky/_/post-commit", stub)
    put(project / ".husky/_/post-rewrite", stub)
    put(project / ".husky/post-commit", b"echo husky >>ran\n", 0o644)
    ada.git(project, "config", "core.hooksPath", ".husky/_")
    repository = install_quietly(project)
    before = (project / ".husky/post-commit").read_bytes()
    commit = ada.commit(project, {"a.py": b"a = 1\n"})
    assert (project / "ran").read_text() == "husky\n"
    assert commits_seen(project) == [commit]
    assert ".husky/_" not in ada.git(project, "ls-files")
    assert "npm install" in str(hooks_in(repository)[0].advice)
    put(project / ".husky/_/post-commit", stub)  # as `npm install` does
    assert hooks_in(repository)[0].state == "missing"
    line = str(hooks_in(install_quietly(project) and repository)[0].advice).partition(": ")[2].partition(": ")[2]
    put(project / ".husky/_/post-commit", stub)
    put(project / ".husky/post-commit", before + line.encode() + b"\n", 0o644)
    assert hooks_in(repository)[0].state == "installed"
    again = ada.commit(project, {"a.py": b"a = 2\n"})
    assert commits_seen(project) == [commit, again]


def test_pre_commit_installed_later_calls_ours_after_itself(ada: Developer, tmp_path: Path) -> None:
    """pre-commit renames a hook that it finds to `.legacy`, and runs it from the folder of its own."""
    project = ada.repository(tmp_path / "project")
    before = files_of(project / ".git" / "hooks")
    repository = install_quietly(project)
    hooks = project / ".git/hooks"
    (hooks / "post-commit").rename(hooks / "post-commit.legacy")
    theirs = b"#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n"
    theirs += b'HERE="$(cd "$(dirname "$0")" && pwd)"\n"$HERE/post-commit.legacy" "$@"\n'
    put(hooks / "post-commit", theirs)
    assert hooks_in(repository)[0].state == "installed"
    install_quietly(project)
    assert (hooks / "post-commit").read_bytes() == theirs
    commit = ada.commit(project, {"a.py": b"a = 1\n"})
    assert commits_seen(project) == [commit]
    uninstall_from(repository, ())
    assert files_of(hooks) == {**before, "post-commit": (theirs, 0o100755)}


def test_pre_commit_that_is_there_may_be_installed_again(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    hooks = project / ".git/hooks"
    theirs = b"#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n"
    theirs += b'[ ! -x "${0%/*}/post-commit.legacy" ] || "${0%/*}/post-commit.legacy" "$@"\n'
    put(hooks / "post-commit", theirs)
    put(hooks / "post-rewrite", theirs.replace(b"post-commit.", b"post-rewrite."))
    before = files_of(hooks)
    repository = install_quietly(project)
    assert (hooks / "post-commit").read_bytes() == theirs
    put(hooks / "post-commit", theirs)
    assert [one.state for one in hooks_in(repository)] == ["installed", "installed"]
    old = ada.commit(project, {"a.py": b"a = 1\n"})
    new = ada.commit(project, {"a.py": b"a = 2\n"}, "Amended", "--amend")
    events = [read_event(path) for path in waiting(repository.common)]
    assert [(event.commit, event.rewritten) for event in events] == [(old, ()), (new, ()), (new, ((old, new),))]
    uninstall_from(repository, ())
    assert files_of(hooks) == before


def test_lefthook_writing_its_hooks_is_noticed_and_put_right(ada: Developer, tmp_path: Path) -> None:
    """lefthook renames a hook that it finds to `.old`, which nobody calls."""
    project = ada.repository(tmp_path / "project")
    repository = install_quietly(project)
    hooks = project / ".git/hooks"
    (hooks / "post-commit").rename(hooks / "post-commit.old")
    theirs = b'#!/bin/sh\ncall_lefthook()\n{\n  echo "lefthook $*" >>ran\n}\n\ncall_lefthook run "post-commit" "$@"\n'
    put(hooks / "post-commit", theirs)
    assert hooks_in(repository)[0].state == "missing"
    install_quietly(project)
    commit = ada.commit(project, {"a.py": b"a = 1\n"})
    assert commits_seen(project) == [commit]
    assert (project / "ran").read_text() == "lefthook run post-commit\n"
    assert "lefthook" in str(hooks_in(repository)[0].advice)
    uninstall_from(repository, ())
    assert (hooks / "post-commit").read_bytes() == theirs
    assert not (hooks / "post-commit.old").exists()


def test_hooks_that_the_repository_tracks_are_left_to_its_people(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    put(project / ".githooks/post-commit", SH)
    ada.git(project, "config", "core.hooksPath", ".githooks")
    ada.commit(project, {})
    repository = install_quietly(project)
    by_hand, made = hooks_in(repository)
    assert (by_hand.state, made.state) == ("by hand", "installed")
    assert (project / ".githooks/post-commit").read_bytes() == SH
    assert ada.git(project, "status", "--porcelain", "--untracked-files=all").split() == ["??", "ran"]
    uninstall_from(repository, ())
    assert not (project / ".githooks/post-rewrite").exists()
    assert "gitgoodbench" not in (project / ".git/info/exclude").read_text()


def test_a_hooks_path_of_all_repositories_counts(ada: Developer, tmp_path: Path) -> None:
    ada.git(ada.home, "config", "--global", "core.hooksPath", "~/my hooks")
    put(ada.home / "my hooks/post-commit", SH)
    project = ada.repository(tmp_path / "project")
    other = ada.repository(tmp_path / "other")
    repository = install_quietly(project)
    assert hooks_folders(repository) == [ada.home / "my hooks"]
    commit = ada.commit(project, {"a.py": b"a = 1\n"})
    ada.commit(other, {"a.py": b"a = 1\n"})
    assert commits_seen(project) == [commit]
    assert commits_seen(other) == []
    assert (other / "ran").exists()
    uninstall_from(repository, ())
    assert files_of(ada.home / "my hooks") == {"post-commit": (SH, 0o100755)}


def test_a_relative_hooks_path_is_of_each_working_tree(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    ada.git(project, "config", "core.hooksPath", ".hooks")
    ada.commit(project, {})
    for name in ("with", "without"):
        ada.git(project, "worktree", "add", "--quiet", str(tmp_path / name))
    put(tmp_path / "with/.hooks/post-commit", SH)
    before = files_of(tmp_path / "with")
    repository = install_quietly(project)
    assert [one.state for one in hooks_in(repository)] == ["installed"] * 4
    commits = [ada.commit(folder, {}) for folder in (project, tmp_path / "with")]
    assert commits_seen(project) == commits
    assert not (tmp_path / "without/.hooks").exists()
    uninstall_from(repository, ())
    (tmp_path / "with/ran").unlink()
    assert files_of(tmp_path / "with") == before


def test_global_serves_repositories_to_come(ada: Developer, tmp_path: Path) -> None:
    installed = install_everywhere(["A_SESSION"])
    assert [one.state for one in installed] == ["installed", "installed"]
    (data_folder() / "hook").write_text(hook.script(PROGRAM, ["A_SESSION"]))
    project = ada.repository(tmp_path / "project")
    commit = ada.commit(project, {"a.py": b"a = 1\n"}, A_SESSION="s1")
    (event,) = [read_event(path) for path in waiting(discover(project).common)]
    assert (event.commit, event.hints) == (commit, (("A_SESSION", "s1"),))
    repository = install_quietly(project)  # on top: its own script counts
    assert [one.state for one in hooks_in(repository)] == ["installed", "installed"]
    uninstall_everywhere()
    assert ada.run(ada.home, "git", "config", "--global", "init.templateDir").returncode == 1


def test_global_uses_the_hooks_path_that_is_there(ada: Developer, tmp_path: Path) -> None:
    put(tmp_path / "shared/post-commit", SH)
    ada.git(ada.home, "config", "--global", "core.hooksPath", str(tmp_path / "shared"))
    install_everywhere([])
    (data_folder() / "hook").write_text(hook.script(PROGRAM, []))
    project = ada.repository(tmp_path / "project")
    commit = ada.commit(project, {"a.py": b"a = 1\n"})
    assert commits_seen(project) == [commit]
    uninstall_everywhere()
    assert files_of(tmp_path / "shared") == {"post-commit": (SH, 0o100755)}


def test_a_folder_of_hooks_that_cannot_be_made_is_said_in_a_line(ada: Developer, tmp_path: Path) -> None:
    project = ada.repository(tmp_path / "project")
    (project / "file").write_bytes(b"")
    ada.git(project, "config", "core.hooksPath", "file/hooks")
    with pytest.raises(UserError, match=r"file/hooks, where Git looks for hooks, cannot be written"):
        install_in(discover(project), [])


def test_the_script_is_of_this_installation(ada: Developer, tmp_path: Path) -> None:
    repository = discover(ada.repository(tmp_path / "project"))
    install_in(repository, ["A_SESSION"])
    text = (folder_of(repository.common) / "hook").read_text()
    assert hook.version_of(text) == hook.VERSION
    assert "A_SESSION" in text
    with pytest.raises(ValueError, match="cannot be the name of a variable"):
        hook.script(PROGRAM, ["A; rm -rf ~"])
