"""Git on this machine, and whether it is new enough: README, `doctor` and every command that needs Git agree on it."""

from __future__ import annotations

import os
import re
from typing import Final

from gitgoodbench.errors import UserError
from gitgoodbench.git.process import GIT_ENVIRONMENT, HOST

OLDEST_GIT: Final = (2, 39)
"""Merges are replayed by `git merge-tree --write-tree`, thousands of them by its `--stdin`, which came with 2.39."""

GIT_NEEDED: Final = f"install Git {'.'.join(map(str, OLDEST_GIT))} or later, and put it on PATH"


def host_git_version() -> str:
    """Git's version on this machine, such as `2.39.5`.

    Raises:
        UserError: there is no Git, or it does not say its version.
    """
    environment = {**GIT_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)}
    try:
        shown = HOST.exec(["git", "--version"], env=environment)
    except FileNotFoundError as problem:
        raise UserError(f"git is not installed, or not on PATH: {GIT_NEEDED}") from problem
    except OSError as problem:
        raise UserError(f"git cannot be run ({problem.strerror}): {GIT_NEEDED}") from problem
    version = shown.stdout.decode("utf-8", "replace").removeprefix("git version ").strip()
    if not is_new_enough(version, oldest=(0,)):
        raise UserError(f"`git --version` answers no version (exit code {shown.returncode}): {GIT_NEEDED}")
    return version


def is_new_enough(version: str, *, oldest: tuple[int, ...] = OLDEST_GIT) -> bool:
    """Whether Git of that version has all that the harness needs."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return numbers is not None and tuple(map(int, numbers.groups())) >= oldest


def require_git() -> None:
    """Refuse to begin without a Git that is new enough.

    Raises:
        UserError: there is none.
    """
    version = host_git_version()
    if not is_new_enough(version):
        raise UserError(f"Git {version} is too old: {GIT_NEEDED}")
