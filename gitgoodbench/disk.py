"""Whether a disk takes what is written to it, and what to do where it does not."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from typing import Final

from gitgoodbench.cache import cache_home
from gitgoodbench.errors import UserError
from gitgoodbench.folders import PREFIX

_PROBE: Final = 1024 * 1024
"""Bytes that must fit: a disk with less room fails within the first episode."""

CACHE_ELSEWHERE: Final = "set GITGOODBENCH_CACHE to another folder"
TEMPORARY_ELSEWHERE: Final = "set TMPDIR to another folder"

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_CLOSED: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def require_room(folder: Path, what: str, elsewhere: str) -> None:
    """Refuse to begin where `folder`, or the folder in which it would be made, cannot be written or is full.

    Args:
        what: the folder is, for the message. elsewhere: how to name another one.

    Raises:
        UserError: it is.
    """
    there = next((parent for parent in (folder, *folder.parents) if parent.exists()), folder)
    try:
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
        with tempfile.TemporaryFile(dir=there) as probe:
            os.posix_fallocate(probe.fileno(), 0, _PROBE)
    except OSError as problem:
        ways = " or ".join([*_mending(problem), elsewhere])
        raise UserError(f"{what} {folder} cannot be written: {problem.strerror}; {ways}") from problem


def require_temporary_room() -> None:
    """Refuse to begin without a place for temporary files.

    Raises:
        UserError: there is none, or it is full.
    """
    try:
        folder = Path(tempfile.gettempdir())
    except FileNotFoundError as problem:
        raise UserError(
            "no folder for temporary files can be written (TMPDIR, /tmp, /var/tmp): make room there, or set TMPDIR to "
            "another folder"
        ) from problem
    require_room(folder, "the folder for temporary files", TEMPORARY_ELSEWHERE)


def describe(problem: OSError) -> str:
    """One line about an error of the machine: what it hit, why, and the way out."""
    reason = problem.strerror or str(problem) or type(problem).__name__
    name = problem.filename
    path = "" if name is None else os.fsdecode(name) if isinstance(name, str | bytes) else str(name)
    mending = _mending(problem)
    ways = [*mending, *_elsewhere(Path(path))] if mending else []
    return f"{path}: {reason}".removeprefix(": ") + (f"; {' or '.join(ways)}" if ways else "")


def _mending(problem: OSError) -> list[str]:
    if problem.errno in _FULL:
        return ["make room"]
    return ["make it writable"] if problem.errno in _CLOSED else []


def _elsewhere(path: Path) -> list[str]:
    """How to have another place than that of a file of the harness's own."""
    with contextlib.suppress(UserError):
        if path.is_relative_to(cache_home()):
            return [CACHE_ELSEWHERE]
    with contextlib.suppress(FileNotFoundError):
        if any(str(path).startswith(f"{place}/{PREFIX}") for place in (tempfile.gettempdir(), "/var/tmp")):
            return [TEMPORARY_ELSEWHERE]
    return []
