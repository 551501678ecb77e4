"""Files that are whole or absent whenever the process is killed, and locks that a killed process lets go."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket
import threading
from collections.abc import Callable, Container, Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to; when the block is left without an error, it is synced and takes its place.

    Raises:
        OSError: the disk is full or the folder is not writable; `path` is as it was.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.partial")
    try:
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException as problem:
        if isinstance(problem, OSError) and problem.filename is None:
            problem.filename = str(path)
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    _sync_folder(path.parent)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all.

    Raises:
        OSError: as `replacing`.
    """
    with replacing(path) as partial:
        partial.write_bytes(content)


def make_durably(folder: Path) -> None:
    """Make a folder and its parents so that they survive a power failure."""
    missing = [folder, *folder.parents]
    missing = missing[: next((i for i, parent in enumerate(missing) if parent.exists()), len(missing))]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        _sync_folder(made.parent)


class SharedSync:
    """Syncs one file for many threads: those that wait at the same time share the next sync.

    sync: does it. After it has failed nothing is known of what was written, so it fails for good.
    """

    def __init__(self, sync: Callable[[], None]) -> None:
        self._sync = sync
        self._changed = threading.Condition()
        self._begun = self._ended = 0
        self._problem: OSError | None = None

    def __call__(self) -> None:
        """Return when everything that was written before is on the disk.

        Raises:
            OSError: it cannot be said.
        """
        with self._changed:
            wanted = self._begun + 1
            self._changed.wait_for(lambda: self._ended >= wanted or self._begun == self._ended)
            if self._problem is not None:
                raise self._problem
            if self._ended >= wanted:
                return
            self._begun += 1
        try:
            self._sync()
        except OSError as problem:
            self._problem = problem
            raise
        finally:
            with self._changed:
                self._ended += 1
                self._changed.notify_all()


def empty_folder(folder: Path, *, first: str, kept: Container[str] = ()) -> None:
    """Remove what an earlier attempt left in `folder`, beginning with the file that marks it as finished.

    kept: names of files that stay.
    """
    with contextlib.suppress(FileNotFoundError):
        (folder / first).unlink()
    make_durably(folder)
    for path in folder.iterdir():
        if path.name in kept:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    _sync_folder(folder)


@contextlib.contextmanager
def locked(path: Path, when_held: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock that the file `path` stands for (made where absent, never removed).

    Threads and processes of this machine share it. The kernel holds it (flock) and lets it go when the process ends,
    however it ends: there are no stale locks, and no process ids that another process may have by now.

    Args:
        when_held: is called first where another holds it, with the holder's name; it may raise. Then this waits.

    Raises:
        OSError: the file cannot be opened for writing.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)  # a descriptor of its own, so that threads wait as well
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            when_held(os.read(descriptor, 200).decode("utf-8", "replace").strip() or "another process")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def holder(path: Path) -> str | None:
    """Who holds the lock that the file `path` stands for; None where nobody does.

    It looks for an instant as one who shares the lock, so do not ask all the time.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, 200).decode("utf-8", "replace").strip() or "another process"
    finally:
        os.close(descriptor)
    return None


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
