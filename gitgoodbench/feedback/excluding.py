"""Hooks in a working tree (`core.hooksPath = .githooks`): whose they are, and how they stay out of `git status`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gitgoodbench.feedback.repository import Repository, ask
from gitgoodbench.files import write_atomically


def _place_in(path: Path, repository: Repository) -> tuple[Path, Path] | None:
    """The working tree that a path is in, and its place there; None where it is in none, or in the Git directory."""
    if path.is_relative_to(repository.common):
        return None
    return next(((root, path.relative_to(root)) for root in repository.roots if path.is_relative_to(root)), None)


def is_tracked(path: Path, repository: Repository) -> bool:
    """Whether a file belongs to the repository's people, and not to its user alone."""
    place = _place_in(path, repository)
    return place is not None and bool(ask(place[0], "--literal-pathspecs", "ls-files", "-z", "--", str(place[1])))


def exclude(path: Path, repository: Repository | None) -> None:
    """Keep a new file in a working tree out of `git status`."""
    place = None if repository is None else _place_in(path, repository)
    if repository is None or place is None or ask(place[0], "check-ignore", "-q", "--", str(place[1])) is not None:
        return
    file = repository.common / "info" / "exclude"
    file.parent.mkdir(exist_ok=True)
    write_atomically(file, _read(file) + _excluding(place[1]))


def forget_excluded(repository: Repository) -> None:
    """Take out what `exclude` wrote."""
    file = repository.common / "info" / "exclude"
    content = before = _read(file)
    for line in _excluded(content):
        content = content.replace(line, b"")
    if content != before:
        write_atomically(file, content)


def _excluding(place: Path) -> bytes:
    return b"# gitgoodbench feedback\n/%s\n" % os.fsencode(place)


def _excluded(content: bytes) -> Iterator[bytes]:
    pieces = content.split(b"# gitgoodbench feedback\n")
    yield from (b"# gitgoodbench feedback\n" + piece.partition(b"\n")[0] + b"\n" for piece in pieces[1:])


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
