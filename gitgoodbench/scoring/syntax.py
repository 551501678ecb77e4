"""Source files through tree-sitter: whether they parse, and which functions and classes they define.

Python, Java and Kotlin. Text that is not UTF-8 is read as Latin-1, which moves no line. Files may be hostile: they are
parsed in processes of their own (`syntax_worker`), one for each thread, limited in memory and time.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal
from weakref import WeakSet

Language = Literal["python", "java", "kotlin"]

MAX_SOURCE_BYTES: Final = 2 * 1024 * 1024
"""Larger files are not parsed."""

TIMEOUT_S: Final = 20.0
"""Seconds that one file may take."""

_SUFFIXES: Final[dict[bytes, Language]] = {b".py": "python", b".java": "java", b".kt": "kotlin", b".kts": "kotlin"}
_SCRIPT: Final = Path(__file__).with_name("syntax_worker.py")
_PASSED_ON: Final = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LANG", "LC_ALL")


@dataclass(frozen=True)
class Definition:
    """A function or class. Lines are counted from 0, `stop` is the first one after it, decorators belong to it.

    name: with the names of the definitions around it, as in `Outer.method`.
    """

    name: str
    start: int
    stop: int


def language_of(path: bytes) -> Language | None:
    """The language of a source file by its name."""
    return next((language for suffix, language in _SUFFIXES.items() if path.endswith(suffix)), None)


def count_errors(content: bytes, language: Language) -> int | None:
    """How many places of the file do not parse (ERROR and MISSING nodes).

    None for a file that is too large to be read, or that the parser does not come to an end with.
    """
    answer = _ask("errors", content, language)
    return None if answer is None else int(answer)


def definitions(content: bytes, language: Language) -> list[Definition]:
    """Every function and class, outer ones before inner ones; none for a file that cannot be parsed (see above)."""
    return [Definition(*found) for found in _ask("definitions", content, language) or ()]


def enclosing_definition(known: list[Definition], start: int, stop: int) -> Definition | None:
    """The innermost definition that holds all the lines from `start` up to `stop`; None where there is none."""
    around = [one for one in known if one.start <= start and stop <= one.stop]
    return min(around, key=lambda one: one.stop - one.start, default=None)


class _Worker:
    """A process that parses. It ends with its standard input, and is replaced when it dies."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_SCRIPT)],  # -P: modules beside the script are not for it
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name in _PASSED_ON if (value := os.environ.get(name)) is not None},
            start_new_session=True,  # Ctrl-C is for the harness
        )
        _WORKERS.add(self)

    def ask(self, request: bytes) -> bytes | None:
        """The line that answers a request; None where the process died of it, or took too long and was ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request)
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        return self._read_line(time.monotonic() + TIMEOUT_S)

    def close(self) -> None:
        """End the process; in a fork of the harness it is another one's, and goes on."""
        if self.owner != os.getpid():
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            self.close()

    def _read_line(self, until: float) -> bytes | None:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        line = b""
        while not line.endswith(b"\n"):
            ready = poll.poll(max(0.0, until - time.monotonic()) * 1000)
            piece = os.read(pipe, 65536) if ready else b""
            if not piece:
                return None
            line += piece
        return line


_WORKERS: Final[WeakSet[_Worker]] = WeakSet()
_OF_THREAD: Final = threading.local()


def _ask(task: str, content: bytes, language: Language) -> Any:
    if len(content) > MAX_SOURCE_BYTES:
        return None
    worker = getattr(_OF_THREAD, "worker", None)
    if worker is None or worker.owner != os.getpid():
        worker = _OF_THREAD.worker = _Worker()
    header = json.dumps({"task": task, "language": language, "size": len(content)})
    answer = worker.ask(header.encode() + b"\n" + content)
    if answer is None:
        _OF_THREAD.worker = None
        worker.close()
        return None
    return json.loads(answer)


@atexit.register
def _close_workers() -> None:
    for worker in list(_WORKERS):
        worker.close()
