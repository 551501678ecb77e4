"""The developer's own repository: its common Git directory, its working trees, and both ways to Git.

Objects, refs and the list of working trees are read through our own gate, whose environment is closed. What the user
configured (settings, where hooks lie) is asked of Git as the user has it, through GitPython.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.errors import UserError
from gitgoodbench.git.process import Git


@dataclass(frozen=True)
class Repository:
    """A repository, whichever of its working trees is meant.

    common: its common Git directory. roots: its working trees that are there, the main one first; none where it is
    bare. git: the gate to Git on the common directory.
    """

    common: Path
    roots: tuple[Path, ...]
    git: Git


def discover(folder: Path) -> Repository:
    """The repository that Git finds from a folder, with the environment as it is (GIT_DIR counts).

    Raises:
        UserError: the folder is in no repository.
    """
    common = ask_path(folder, "rev-parse", "--path-format=absolute", "--git-common-dir") if folder.is_dir() else None
    if common is None:
        raise UserError(f"{folder} is in no Git repository: change to one, and give the command again")
    root = ask_path(folder, "rev-parse", "--path-format=absolute", "--show-toplevel")
    return open_repository(common, () if root is None else (root,))


def open_repository(common: Path, further: Iterable[Path] = ()) -> Repository:
    """The repository of a common Git directory. further: working trees that are known otherwise.

    Git itself cannot tell where the only working tree is if `GIT_WORK_TREE` or a file `.git` elsewhere say it.
    """
    common = Path(os.path.realpath(common))
    git = Git(common)
    roots = dict.fromkeys([*_main_root(git, common), *_linked_roots(git), *map(_real, further)])
    return Repository(common, tuple(root for root in roots if root.is_dir()), git)


def ask(folder: Path, *arguments: str) -> bytes | None:
    """What Git says in a folder with the user's configuration and environment; None where it fails."""
    import git  # GitPython: only where the user's configuration counts, since it takes a while to import

    status, output, _ = git.Git(folder).execute(
        ["git", *arguments],
        with_extended_output=True,
        with_exceptions=False,
        stdout_as_string=False,
        strip_newline_in_stdout=False,
    )
    return bytes(output) if status == 0 else None


def ask_path(folder: Path, *arguments: str) -> Path | None:
    """A path that Git says, whatever characters it has; None where Git fails or says nothing."""
    said = ask(folder, *arguments)
    return Path(os.fsdecode(said.removesuffix(b"\n"))) if said and said != b"\n" else None


def _main_root(git: Git, common: Path) -> list[Path]:
    """The main working tree. `git worktree list` is wrong about it in submodules."""
    configured = _setting(git, "core.worktree")
    if configured:
        return [_real(common / configured)]
    if _setting(git, "core.bare") == "true" or common.name != ".git":
        return []
    return [common.parent]


def _linked_roots(git: Git) -> list[Path]:
    listed = git.run("worktree", "list", "--porcelain", "-z", check=False).split(b"\0\0")
    paths = [block.split(b"\0")[0].removeprefix(b"worktree ") for block in listed[1:] if block]
    return [_real(Path(os.fsdecode(path))) for path in paths]


def _setting(git: Git, name: str) -> str:
    return os.fsdecode(git.run("config", "-z", "--get", name, check=False)).removesuffix("\0")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
