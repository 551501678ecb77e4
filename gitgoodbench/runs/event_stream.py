"""The events of runs for another program, one JSON object a line, as they happen: `--events FILE`, or `-`.

Whoever reads them may be slow, or gone: a run neither waits for them nor fails with them.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.runs.events import Listener

STANDARD_OUTPUT: Final = "-"

_PATIENCE_S: Final = 5.0
"""How long the end of the program waits for a reader that has not read everything."""


class EventStream:
    """Writes events to a descriptor, in a thread of its own, until a write fails."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="events", daemon=True)
        self._thread.start()

    def of(self, run_id: str) -> Listener:
        """The listener for the log of a run, whose id is in every line: a command may have several runs."""

        def hear(event: Mapping[str, Any]) -> None:
            line = json.dumps({"run": run_id, **event}, default=str)
            self._lines.put(line.encode() + b"\n")

        return hear

    def close(self) -> None:
        """Wait until everything is written, but not for long."""
        self._lines.put(None)
        self._thread.join(_PATIENCE_S)

    @property
    def is_stuck(self) -> bool:
        """Whether a reader has kept the end waiting; the descriptor is still in use then."""
        return self._thread.is_alive()

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                while line:
                    line = line[os.write(self._descriptor, line) :]
            except OSError:  # nobody reads, or the disk is full
                return


@contextlib.contextmanager
def streaming(target: str | None) -> Iterator[EventStream | None]:
    """The stream to a file, which is appended to, or to standard output (`-`); None where nobody wants one.

    Raises:
        UserError: the file cannot be opened.
    """
    if target is None:
        yield None
        return
    descriptor = _open(target)
    stream = EventStream(descriptor)
    try:
        yield stream
    finally:
        stream.close()
        if target != STANDARD_OUTPUT and not stream.is_stuck:
            os.close(descriptor)


def _open(target: str) -> int:
    if target == STANDARD_OUTPUT:
        return sys.stdout.fileno()
    try:
        return os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as problem:
        raise UserError(
            f"--events {target} cannot be written: {problem.strerror}; name another file, or - for standard output"
        ) from problem
