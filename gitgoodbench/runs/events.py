"""run.log: the events of a run, one JSON object a line, for finding out why something happened."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gitgoodbench.errors import UserError

Listener = Callable[[Mapping[str, Any]], None]
"""Hears every event of a log as it happens, from any thread. It must not raise, nor keep its caller waiting."""


def utc_now() -> str:
    """Now, as `2026-01-31T09:00:00.123Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class EventLog:
    """Appends events to a file; each is a single write, so that threads and a kill never mix two lines.

    listeners: hear the events, too, in the order of the file.

    Raises:
        UserError: the file cannot be opened.
    """

    def __init__(self, path: Path, listeners: Sequence[Listener] = ()) -> None:
        self._listeners = tuple(listeners)
        self._lock = threading.Lock()
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as problem:
            raise UserError(f"the log {path} of the run cannot be written: {problem.strerror}") from problem
        size = os.fstat(self._descriptor).st_size
        if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
            os.write(self._descriptor, b"\n")

    def write(self, event: str, **details: Any) -> None:
        """Append one event; a log that cannot be written (a full disk) never stops the run."""
        with self._lock, contextlib.suppress(OSError):
            happened = {"time": utc_now(), "event": event, **details}
            for listener in self._listeners:
                listener(happened)
            os.write(self._descriptor, json.dumps(happened, default=str).encode() + b"\n")

    def close(self) -> None:
        """Close the file. Later events, from threads that an interruption left running, are dropped."""
        descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a log, without lines that a kill cut short."""
    for line in path.read_bytes().split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event
