"""Write files so that they are whole or absent, whenever the process is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write a temporary file beside `path`, fsync it, rename it into place and fsync the folder.

    Raises:
        OSError: the disk is full or the folder is not writable; `path` is as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, durably."""
    missing = [folder, *folder.parents]
    missing = missing[: next((i for i, parent in enumerate(missing) if parent.exists()), len(missing))]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        sync_folder(made.parent)


def empty_folder(folder: Path, *, first: str) -> None:
    """Remove what an earlier attempt left in `folder`, beginning with the file that marks it as finished."""
    with contextlib.suppress(FileNotFoundError):
        (folder / first).unlink()
    if folder.exists():
        shutil.rmtree(folder)
    make_folder(folder)
