"""The events of runs for somebody else, as they happen: a file of JSON lines (`--events FILE`, or `-`), or a callable.

Whoever reads them may be slow, or gone: a run neither waits for them nor fails with them.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from gitgoodbench.errors import UserError
from gitgoodbench.runs.events import Listener

STANDARD_OUTPUT: Final = "-"

Receiver: TypeAlias = Callable[[Mapping[str, Any]], object]
"""Gets the events, one after the other: those of run.log, and `run`, the id of their run."""

_PATIENCE_S: Final = 5.0
"""How long the end of the program waits for a reader that has not read everything."""


class EventStream:
    """Gives events to a receiver, in a thread of its own, until it fails.

    problem: what it failed with.
    """

    def __init__(self, receive: Receiver) -> None:
        self.problem: Exception | None = None
        self._receive = receive
        self._events: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._give, name="events", daemon=True)
        self._thread.start()

    def of(self, run_id: str) -> Listener:
        """The listener for the log of a run, whose id is in every event: a command may have several runs."""

        def hear(event: Mapping[str, Any]) -> None:
            self._events.put({"run": run_id, **event})

        return hear

    def close(self) -> None:
        """Wait until everything is received, but not for long."""
        self._events.put(None)
        self._thread.join(_PATIENCE_S)

    @property
    def is_stuck(self) -> bool:
        """Whether a receiver has kept the end waiting; it is still at work then."""
        return self._thread.is_alive()

    def _give(self) -> None:
        while (event := self._events.get()) is not None:
            try:
                self._receive(event)
            except Exception as problem:
                self.problem = problem
                return


@contextlib.contextmanager
def streaming(target: str | os.PathLike[str] | Receiver | None) -> Iterator[EventStream | None]:
    """The stream to a file, which is appended to, to standard output (`-`), or to a callable; None where nobody wants
    one.

    Raises:
        UserError: the file cannot be opened.
        Exception: what the callable raised, at the end; it was not called again.
    """
    if target is None:
        yield None
        return
    if callable(target):
        with _closing(EventStream(target)) as stream:
            yield stream
        if stream.problem is not None:
            raise stream.problem
        return
    name = os.fspath(target)
    descriptor = _open(name)
    try:
        with _closing(EventStream(_writer(descriptor))) as stream:
            yield stream
    finally:
        if name != STANDARD_OUTPUT and not stream.is_stuck:
            os.close(descriptor)


@contextlib.contextmanager
def _closing(stream: EventStream) -> Iterator[EventStream]:
    try:
        yield stream
    finally:
        stream.close()


def _writer(descriptor: int) -> Receiver:
    def write(event: Mapping[str, Any]) -> None:
        line = json.dumps(event, default=str).encode() + b"\n"
        while line:
            line = line[os.write(descriptor, line) :]  # fails where nobody reads, or the disk is full

    return write


def _open(target: str) -> int:
    try:
        if target == STANDARD_OUTPUT:
            return sys.stdout.fileno()
        return os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as problem:
        raise UserError(
            f"--events {target} cannot be written: {problem.strerror or problem}; "
            f"name another file, or {STANDARD_OUTPUT} for standard output"
        ) from problem
