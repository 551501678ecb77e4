"""One process at a time works on a run.

The kernel holds the lock (flock) and releases it when the process ends, however it ends. So there are no stale locks,
and no process ids that another process may have by now. The file names the holder for the error message.
"""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from gitgoodbench.errors import UserError
from gitgoodbench.runs.paths import RunPaths


@contextmanager
def locked(paths: RunPaths) -> Iterator[None]:
    """Hold the run.

    Raises:
        UserError: another process works on it.
    """
    descriptor = os.open(paths.lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 200).decode("utf-8", "replace").strip() or "another process"
            raise UserError(
                f"run {paths.folder} is being worked on by {holder}; wait until it ends, or stop it first"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
