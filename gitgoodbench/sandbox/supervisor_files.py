"""Reading and writing files below a folder without ever leaving it: name by name, following no link.

Travels into the sandbox as source text: Python >= 3.9, standard library.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import suppress

from gitgoodbench.sandbox.frames import CHUNK, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:  # the sandbox's Python has no need of them, and half a megabyte
    from collections.abc import Iterator


class Refused(Exception):
    """A path that must not be used, or cannot be: the message names it and the reason."""


def write_file(root: int, path: bytes, body: Iterator[bytes], mode: int) -> None:
    """Write a regular file whole, in the place of whatever has its name, making parent folders.

    Raises:
        Refused: see there.
    """
    try:
        folder, name = open_parent(root, path, make=True)
        try:
            _write_and_rename(folder, name, body, mode)
        finally:
            os.close(folder)
    except OSError as problem:
        raise Refused(_explain(path, problem)) from problem


def read_file(root: int, path: bytes, limit: int) -> Iterator[bytes]:
    """The content of a regular file of at most `limit` bytes, in chunks.

    Raises:
        Refused: see there; before the first chunk if the file is too large.
    """
    try:
        folder, name = open_parent(root, path, make=False)
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        finally:
            os.close(folder)
        try:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise Refused(f"{_shown(path)} is not a regular file")
            if facts.st_size > limit:
                raise Refused(f"{_shown(path)} has {facts.st_size} bytes, more than the limit of {limit}")
            while limit > 0 and (chunk := os.read(descriptor, min(CHUNK, limit))):
                limit -= len(chunk)
                yield chunk
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise Refused(_explain(path, problem)) from problem


def open_parent(root: int, path: bytes, make: bool) -> tuple[int, bytes]:
    """Descriptor of the folder below `root` that holds `path`, and the last name.

    Raises:
        Refused, OSError: see there.
    """
    parts = [part for part in path.split(b"/") if part not in (b"", b".")]
    if not parts or path.startswith(b"/") or path.endswith((b"/", b"/.")) or b".." in parts or b"\0" in path:
        raise Refused(f"{_shown(path)} does not name a file in the work folder")
    folder = os.dup(root)
    try:
        for part in parts[:-1]:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=folder)
            deeper = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = deeper
    except BaseException:
        os.close(folder)
        raise
    return folder, parts[-1]


def _write_and_rename(folder: int, name: bytes, body: Iterator[bytes], mode: int) -> None:
    """Write under a temporary name and rename, so that the file is there whole or not at all."""
    temporary = b".put-%d-%d" % (os.getpid(), time.monotonic_ns())
    sink = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        try:
            for data in body:
                write_all(sink, data)
            os.fchmod(sink, mode)
        finally:
            os.close(sink)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(temporary, dir_fd=folder)
        raise


def _explain(path: bytes, problem: OSError) -> str:
    if problem.errno in (errno.ENOTDIR, errno.ELOOP):
        return f"{_shown(path)} is or runs through a symbolic link or a file"
    return f"{_shown(path)}: {problem.strerror}"


def _shown(path: bytes) -> str:
    return repr(os.fsdecode(path[:300]))
