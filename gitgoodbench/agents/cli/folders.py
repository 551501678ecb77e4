"""Folders of the user's that an agent gets: its program, and its configuration. The manifest has their hashes."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gitgoodbench.errors import UserError

CONFIG_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of a configuration: it is copied into the home of every episode, which lies in memory."""

_LEFT_OUT: Final = frozenset({"__pycache__", ".git"})
_CREDENTIALS: Final = frozenset(
    {"auth.json", ".credentials.json", "credentials.json", "oauth_creds.json", "google_accounts.json", ".env", ".netrc"}
)
"""Names under which agents keep the keys of their users."""

_CHUNK: Final = 1024 * 1024


def hash_folder(flag: str, folder: Path) -> str:
    """SHA-256 (hexadecimal) of all names, contents and links, and of which files are programs.

    Args:
        flag: what the user wrote, for messages.

    Raises:
        UserError: it is no folder, or something in it cannot be read here, or not by the agent's user in a sandbox.
    """
    _check_folder(flag, folder)
    digest = hashlib.sha256()
    for name, path in [(".", folder), *_entries(folder)]:
        try:
            facts = path.lstat()
            digest.update(f"{name}\0{_kind(facts.st_mode)}\0".encode("utf-8", "surrogateescape"))
            if stat.S_ISLNK(facts.st_mode):
                digest.update(os.fsencode(path.readlink()))
                continue
            needed = 0o005 if stat.S_ISDIR(facts.st_mode) else 0o004
            if facts.st_mode & needed != needed:
                raise UserError(
                    f"{flag}: only its owner may read {name}, and the agent has another user in its sandbox: "
                    f"chmod -R o+rX {folder}"
                )
            if stat.S_ISREG(facts.st_mode):
                digest.update(_content_hash(path))
        except OSError as problem:
            raise UserError(f"{flag}: {name} cannot be read: {problem.strerror}") from problem
    return digest.hexdigest()


def stamp(folder: Path) -> str:
    """What tells, without reading a file, whether anything in a folder has changed: names, sizes and times.

    Caches that come and go beside (`__pycache__`) count as little as in `hash_folder`.
    """
    digest = hashlib.sha256()
    for name, path in _entries(folder):
        try:
            facts = path.lstat()
        except OSError:  # it is gone
            continue
        own = () if stat.S_ISDIR(facts.st_mode) else (facts.st_ino, facts.st_size, facts.st_mtime_ns)
        digest.update(f"{name}\0{facts.st_mode:o}\0{own}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def read_config(folder: Path, key: str) -> dict[str, tuple[int, bytes]]:
    """The files of a configuration, mode and content by relative path.

    Args:
        key: the model's, which must not be among them.

    Raises:
        UserError: it is no folder, too large, holds what looks like keys or what is no file, or cannot be read.
    """
    flag = f"--agent-config {folder}"
    _check_folder(flag, folder)
    files: dict[str, tuple[int, bytes]] = {}
    size = 0
    for name, path in _entries(folder):
        try:
            facts = path.lstat()
            if stat.S_ISDIR(facts.st_mode):
                continue
            if not stat.S_ISREG(facts.st_mode):
                raise UserError(f"{flag}: {name} is no regular file: copy what it stands for, or leave it out")
            size += facts.st_size
            content = b"" if size > CONFIG_LIMIT else path.read_bytes()
        except OSError as problem:
            raise UserError(f"{flag}: {name} cannot be read: {problem.strerror}") from problem
        if size > CONFIG_LIMIT:
            raise UserError(
                f"{flag}: it holds more than {CONFIG_LIMIT} bytes: name a folder with the configuration alone"
            )
        if path.name in _CREDENTIALS or (len(key) > _SHORT_KEY and key.encode() in content):
            raise UserError(f"{flag}: {name} holds keys, and no sandbox may: name a folder without it")
        files[name] = (0o755 if facts.st_mode & 0o100 else 0o644, content)
    return files


def hash_files(files: dict[str, tuple[int, bytes]]) -> str:
    """SHA-256 (hexadecimal) of files as `read_config` gives them."""
    digest = hashlib.sha256()
    for name, (mode, content) in sorted(files.items()):
        digest.update(f"{name}\0{mode:o}\0{hashlib.sha256(content).hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


_SHORT_KEY: Final = 8
"""Characters of what is set in place of a key where a server needs none."""


def _check_folder(flag: str, folder: Path) -> None:
    if not folder.is_dir():
        raise UserError(f"{flag}: {'that is no folder' if folder.exists() else 'there is no such folder'}")


def _entries(folder: Path) -> Iterator[tuple[str, Path]]:
    """Everything below a folder by its relative path, in a stable order; links are not followed."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted([*folders, *names]):
            path = Path(parent, name)
            yield path.relative_to(folder).as_posix(), path


def _kind(mode: int) -> str:
    return f"{stat.S_IFMT(mode):o}{' program' if stat.S_ISREG(mode) and mode & 0o111 else ''}"


def _content_hash(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            digest.update(data)
    return digest.digest()
