"""A lock that threads and processes of this machine share, and that a killed process lets go."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the lock that the file `path` stands for (made where absent, never removed).

    `on_wait` is called first where another holds it.

    Raises:
        OSError: the file cannot be opened for writing.
    """
    with path.open("ab") as file:  # flock belongs to the open file: another thread that opens it waits as well
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
