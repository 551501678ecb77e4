"""Making a folder hold given files and nothing else, whatever is there; what is right already is not touched.

Making a file, or removing one, takes as long as all else on a slow disk. So what is no longer wanted is only listed
here, and removed once the harness has its answer, before the next request.

As in `supervisor_files`, names are opened one by one and no link is followed. Nothing else runs in the sandbox
meanwhile, for requests never overlap and commands leave no process behind.

Travels into the sandbox as source text: Python >= 3.9, standard library.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

from gitgoodbench.sandbox.frames import write_all
from gitgoodbench.sandbox.supervisor_files import Refused, open_parent

TYPE_CHECKING = False
if TYPE_CHECKING:  # the sandbox's Python has no need of them, and half a megabyte
    from collections.abc import Iterable, Iterator
    from typing import Any

    Unwanted = list[tuple[tuple[bytes, ...], bool]]
    """Paths, name by name, each with whether it is a folder; what a folder holds comes before it."""

_DEEPEST = 200
"""Folders within each other that are emptied; each holds a descriptor open."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER_MODE = 0o755
_KEPT = object()


def refill(root: int, entries: Iterable[tuple[bytes, str, int, bytes]], keep: Iterable[bytes]) -> Unwanted:
    """Have these entries below `root`, and nothing else once what is returned was removed, too (`discard`).

    Args:
        entries: path, kind (`folder`, `file` or `link`), mode (of a file), and content (of a link: its target).
        keep: regular files that stay as they are.

    Raises:
        Refused: something cannot be removed or written, or is not there to be kept.
    """
    unwanted: Unwanted = []
    try:
        _match(root, _tree(entries, keep), (), unwanted)
    except OSError as problem:
        raise Refused(str(problem)) from problem
    return unwanted


def discard(root: int, unwanted: Unwanted) -> None:
    """Remove files, and folders that hold nothing else.

    Raises:
        OSError: see there.
    """
    for path, is_folder in unwanted:
        folder, name = open_parent(root, b"/".join(path), make=False)
        try:
            (os.rmdir if is_folder else os.unlink)(name, dir_fd=folder)
        finally:
            os.close(folder)


def _tree(entries: Iterable[tuple[bytes, str, int, bytes]], keep: Iterable[bytes]) -> dict[bytes, Any]:
    """Names -> what is to be there: a dictionary for a folder."""
    tree: dict[bytes, Any] = {}
    for path, kind, mode, content in entries:
        _place(tree, path, {} if kind == "folder" else (kind, mode, content))
    for path in keep:
        _place(tree, path, _KEPT)
    return tree


def _place(tree: dict[bytes, Any], path: bytes, node: Any) -> None:
    parts = [part for part in path.split(b"/") if part not in (b"", b".")]
    if not parts:  # the folder itself
        return
    *parents, name = parts
    for parent in parents:
        tree = tree.setdefault(parent, {})
    if not isinstance(node, dict) or name not in tree:
        tree[name] = node


def _match(folder: int, wanted: dict[bytes, Any], path: tuple[bytes, ...], unwanted: Unwanted) -> None:
    there = _listed(folder, path)
    for name, is_folder in there.items():
        if name not in wanted:
            _condemn(folder, name, is_folder, path, unwanted)
        elif isinstance(wanted[name], dict) != is_folder:
            in_the_way: Unwanted = []
            _condemn(folder, name, is_folder, (), in_the_way)
            discard(folder, in_the_way)
    for name, node in wanted.items():
        if isinstance(node, dict):
            if not there.get(name):
                os.mkdir(name, _FOLDER_MODE, dir_fd=folder)
            with _opened(folder, name) as inner:
                _match(inner, node, (*path, name), unwanted)
        elif node is _KEPT:
            if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                raise Refused(f"{os.fsdecode(name)!r} is not the file that is to be kept")
        elif not _is_there(folder, name, *node):
            _write(folder, name, *node)


def _condemn(folder: int, name: bytes, is_folder: bool, path: tuple[bytes, ...], unwanted: Unwanted) -> None:
    """Put a file, or a folder after what it holds, on the list."""
    inside = (*path, name)
    if is_folder:
        with _opened(folder, name) as inner:
            for below, is_one in _listed(inner, inside).items():
                _condemn(inner, below, is_one, inside, unwanted)
    unwanted.append((inside, is_folder))


def _listed(folder: int, path: tuple[bytes, ...]) -> dict[bytes, bool]:
    """The names in a folder, and whether each is a folder."""
    if len(path) > _DEEPEST:
        raise Refused("folders lie too deep within each other")
    with os.scandir(folder) as listing:
        return {os.fsencode(entry.name): entry.is_dir(follow_symlinks=False) for entry in listing}


@contextmanager
def _opened(folder: int, name: bytes) -> Iterator[int]:
    inner = os.open(name, _FOLDER, dir_fd=folder)
    try:
        if stat.S_IMODE(os.fstat(inner).st_mode) != _FOLDER_MODE:
            os.fchmod(inner, _FOLDER_MODE)
        yield inner
    finally:
        os.close(inner)


def _is_there(folder: int, name: bytes, kind: str, mode: int, content: bytes) -> bool:
    """Whether the entry is there as it is to be. What is there and is not so is gone, then, or made so."""
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    if kind == "link":
        same = stat.S_ISLNK(facts.st_mode) and os.readlink(name, dir_fd=folder) == content
    else:
        # another name of the file, outside this folder perhaps, would see what is written into it
        own = stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1 and stat.S_IMODE(facts.st_mode) == mode
        same = own and _holds(folder, name, facts.st_size, content, writable=bool(mode & stat.S_IWUSR))
    if not same:
        os.unlink(name, dir_fd=folder)
    return same


def _holds(folder: int, name: bytes, size: int, content: bytes, *, writable: bool) -> bool:
    """Whether the file has this content, or was given it: cheaper than another file where the disk is slow."""
    flags = os.O_RDWR if writable else os.O_RDONLY
    descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        if size == len(content) and _read(descriptor, size) == content:
            return True
        if writable:
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            write_all(descriptor, content)
        return writable
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size and (piece := os.read(descriptor, size - len(data))):
        data += piece
    return bytes(data)


def _write(folder: int, name: bytes, kind: str, mode: int, content: bytes) -> None:
    if kind == "link":
        os.symlink(content, name, dir_fd=folder)
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    sink = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        write_all(sink, content)
        os.fchmod(sink, mode)
    finally:
        os.close(sink)
