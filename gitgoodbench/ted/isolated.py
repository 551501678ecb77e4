"""Parsing what strangers wrote: in one other process, limited in memory and time.

A grammar may crash, take all memory or never come to an end on a hostile file. Then the process is replaced, and the
file counts as one that cannot be parsed. All threads share the process, one request after another; a fork of this one
gets its own.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from operator import length_hint
from typing import IO, Any, Final, Literal, Protocol

from gitgoodbench.ted import worker
from gitgoodbench.ted.languages import find_language, grammar
from gitgoodbench.ted.nodes import ARRAYS, MAX_SOURCE_BYTES, TIMEOUT_S, Nodes, ParseError, Span

Task = Literal["errors", "definitions", "nodes"]

_MOST_DESCRIPTORS: Final = 4096
_PASSED_ON: Final = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LANG", "LC_ALL")


@dataclass(frozen=True)
class Answer:
    """What the process says of a source: facts, and bytes."""

    facts: dict[str, Any]
    body: bytes


def ask(task: Task, text: bytes, language: str) -> Answer:
    """Have UTF-8 text parsed in another process.

    Raises:
        ParseError: the text is too large, the parser does not come to an end with it, or ended its process.
        UnknownLanguage: the language is not known, or its grammar is not installed.
    """
    return _ask(task, [text], find_language(language).name)


def read_best_isolated(
    readings: Iterable[bytes],
    language: str,
    *,
    fragment: bool = False,
    comments: bool = True,
    spans: Sequence[Span] | None = None,
) -> tuple[int, Nodes]:
    """As `nodes.read_best`; raises what `ask` does. If the process dies of another reading, the first one is taken."""
    waiting = iter(readings)
    first = next(waiting)
    ask_for = partial(_ask, "nodes", language=language, fragment=fragment, comments=comments, spans=spans)
    answer = ask_for([first], sound=length_hint(readings, 2) > 1)
    if "at" not in answer.facts:
        others = takewhile(lambda reading: len(reading) <= MAX_SOURCE_BYTES, waiting)
        try:
            answer = ask_for([first, *others])
        except ParseError:
            answer = ask_for([first])
    return answer.facts["at"], _nodes(answer)


def _nodes(answer: Answer) -> Nodes:
    arrays: dict[str, array[int]] = {}
    start = 0
    for name, length in zip(ARRAYS, answer.facts["lengths"], strict=True):
        values = array("i")
        stop = start + length * values.itemsize
        values.frombytes(answer.body[start:stop])
        arrays[name], start = values, stop
    return Nodes(tuple(answer.facts["names"]), **arrays, errors=answer.facts["errors"])


def _ask(
    task: Task,
    readings: Sequence[bytes],
    language: str,
    *,
    fragment: bool = False,
    comments: bool = True,
    spans: Sequence[Span] | None = None,
    sound: bool = False,
) -> Answer:
    """Have readings of one source parsed; see `worker` for what is asked."""
    grammar(language, fragment=fragment)
    size = len(readings[0])
    if size > MAX_SOURCE_BYTES:
        raise ParseError(f"a source of {size} bytes is not parsed: at most {MAX_SOURCE_BYTES} are")
    header = {
        "task": task, "language": language, "fragment": fragment, "comments": comments, "spans": spans,
        "sound": sound, "sizes": [len(reading) for reading in readings],
    }  # fmt: skip
    answer = _SHARED.ask(json.dumps(header).encode() + b"\n" + b"".join(readings))
    if answer is None:
        raise ParseError(f"the parser of {language} did not come to an end with a source of {size} bytes")
    return answer


class _Shared:
    """The process that all threads share: started when it is first needed, replaced when it dies or is ended."""

    def __init__(self) -> None:
        self.start: Callable[[], _Process] = _start
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def ask(self, request: bytes) -> Answer | None:
        """The answer to a request; None where a process without a past dies of it, or it takes too long.

        What a process did before must not matter, so if it is not new a new one is asked again.
        """
        with self._lock:
            worker = self._worker
            if worker is not None and worker.is_alive:
                with contextlib.suppress(_Died):
                    return self._ask(worker, request)
            try:
                return self._ask(_Worker(self.start()), request)
            except _Died:
                return None

    def _ask(self, worker: _Worker, request: bytes) -> Answer | None:
        """An answer, after which the process is kept; it is ended where there is none, for whatever reason."""
        self._worker = worker
        answer = None
        try:
            answer = worker.ask(request)
        finally:
            if answer is None:  # Ctrl-C, too: the next request must not get this one's answer
                self._worker = None
                worker.close()
        return answer

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None

    def forget(self) -> None:
        """Leave the process to that which this one is a fork of; the lock may be held by a thread that is not here."""
        self._lock = threading.Lock()
        if self._worker is not None:
            self._worker.leave()
            self._worker = None


class _Died(Exception):
    """The process ended before it answered."""


class _Process(Protocol):
    """What is needed of a process with pipes, as `subprocess.Popen` has it."""

    pid: int
    returncode: int | None

    @property
    def stdin(self) -> IO[bytes] | None: ...

    @property
    def stdout(self) -> IO[bytes] | None: ...

    def poll(self) -> int | None: ...

    def kill(self) -> None: ...

    def wait(self) -> int: ...


class _Fork:
    """A fork of this process that parses, with pipes."""

    def __init__(self) -> None:
        (theirs, request), (answer, back) = os.pipe(), os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if not self.pid:
            try:
                os.dup2(theirs, 0)
                os.dup2(back, 1)
                os.closerange(3, _MOST_DESCRIPTORS)
                worker.main(os.fdopen(0, "rb"), os.fdopen(1, "wb"))
            finally:
                os._exit(1)
        os.close(theirs)
        os.close(back)
        self.stdin: IO[bytes] | None = os.fdopen(request, "wb", buffering=0)
        self.stdout: IO[bytes] | None = os.fdopen(answer, "rb", buffering=0)

    def poll(self) -> int | None:
        if self.returncode is None and os.waitpid(self.pid, os.WNOHANG)[0]:
            self.returncode = -1
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self.returncode is None:
            os.waitpid(self.pid, 0)
            self.returncode = -1
        return self.returncode


def parse_in_forks() -> None:
    """Let forks of this process parse: they are there a hundred times as fast as new processes.

    For a process whose threads do nothing while it asks, and with nothing in its memory that a hostile source must not
    get at.
    """
    _SHARED.start = _Fork


def _start() -> _Process:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "gitgoodbench.ted.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,  # a fork must find nothing that it would write once more
        env={name: value for name in _PASSED_ON if (value := os.environ.get(name)) is not None},
        start_new_session=True,  # Ctrl-C is for the harness
    )


class _Worker:
    """A process that parses. It ends with its standard input, and is replaced when it dies."""

    def __init__(self, process: _Process) -> None:
        self._process = process

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: bytes) -> Answer | None:
        """The answer to a request; None where it takes too long.

        Raises:
            _Died: the process died.
        """
        assert self._process.stdin is not None
        pipe, left = self._process.stdin.fileno(), memoryview(request)
        try:
            while left:
                left = left[os.write(pipe, left) :]
        except BrokenPipeError:
            raise _Died from None
        until = time.monotonic() + TIMEOUT_S
        line = bytearray()
        while b"\n" not in line:
            if not (piece := self._read(until)):
                return None
            line += piece
        header, _, rest = line.partition(b"\n")
        facts = json.loads(header)
        body = bytearray(rest)
        while len(body) < facts["size"]:
            if not (piece := self._read(until)):
                return None
            body += piece
        return Answer(facts, bytes(body))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._close_pipes()

    def leave(self) -> None:
        """Let go of another one's process, which goes on."""
        self._process.returncode = 0  # or it would be waited for, though it is no child of this one
        self._close_pipes()

    def _close_pipes(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _read(self, until: float) -> bytes:
        """The next bytes of the answer; none when the time is up."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
            return b""
        piece = os.read(pipe, 1 << 20)
        if not piece:
            raise _Died
        return piece


_SHARED: Final = _Shared()
atexit.register(_SHARED.close)
os.register_at_fork(after_in_child=_SHARED.forget)
