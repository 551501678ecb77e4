"""Parsing what strangers wrote: in processes of their own, one for each thread, limited in memory and time.

A grammar may crash, take all memory or never come to an end on a hostile file. Then the process is replaced, and the
file counts as one that cannot be parsed.
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
from array import array
from dataclasses import dataclass
from typing import Any, Final, Literal
from weakref import WeakSet

from gitgoodbench.ted.languages import find_language, grammar
from gitgoodbench.ted.nodes import ARRAYS, MAX_SOURCE_BYTES, TIMEOUT_S, Nodes, ParseError

Task = Literal["errors", "definitions", "nodes"]

_PASSED_ON: Final = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LANG", "LC_ALL")


@dataclass(frozen=True)
class Answer:
    """What the process says of a source: facts, and bytes."""

    facts: dict[str, Any]
    body: bytes


def ask(task: Task, text: bytes, language: str, *, fragment: bool = False, comments: bool = True) -> Answer:
    """Have UTF-8 text parsed in another process.

    Raises:
        ParseError: the text is too large, the parser does not come to an end with it, or ended its process.
        UnknownLanguage: the language is not known, or its grammar is not installed.
    """
    name = find_language(language).name
    grammar(name, fragment=fragment)
    if len(text) > MAX_SOURCE_BYTES:
        raise ParseError(f"a source of {len(text)} bytes is not parsed: at most {MAX_SOURCE_BYTES} are")
    worker = getattr(_OF_THREAD, "worker", None)
    if worker is None or worker.owner != os.getpid():
        worker = _OF_THREAD.worker = _Worker()
    header = {"task": task, "language": name, "fragment": fragment, "comments": comments, "size": len(text)}
    answer = worker.ask(json.dumps(header).encode() + b"\n" + text)
    if answer is None:
        _OF_THREAD.worker = None
        worker.close()
        raise ParseError(f"the parser of {name} did not come to an end with a source of {len(text)} bytes")
    return answer


def read_nodes_isolated(text: bytes, language: str, *, fragment: bool = False, comments: bool = True) -> Nodes:
    """As `nodes.read_nodes` of `nodes.parse_source`; raises what `ask` does."""
    answer = ask("nodes", text, language, fragment=fragment, comments=comments)
    arrays: dict[str, array[int]] = {}
    start = 0
    for name, length in zip(ARRAYS, answer.facts["lengths"], strict=True):
        values = array("i")
        stop = start + length * values.itemsize
        values.frombytes(answer.body[start:stop])
        arrays[name], start = values, stop
    return Nodes(tuple(answer.facts["names"]), **arrays, errors=answer.facts["errors"])


class _Worker:
    """A process that parses. It ends with its standard input, and is replaced when it dies."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gitgoodbench.ted.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name in _PASSED_ON if (value := os.environ.get(name)) is not None},
            start_new_session=True,  # Ctrl-C is for the harness
        )
        _WORKERS.add(self)

    def ask(self, request: bytes) -> Answer | None:
        """The answer to a request; None where the process died of it, or took too long and was ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request)
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
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

    def _read(self, until: float) -> bytes:
        """The next bytes of the answer; none at its end, and when the time is up."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        ready = poll.poll(max(0.0, until - time.monotonic()) * 1000)
        return os.read(pipe, 1 << 20) if ready else b""


_WORKERS: Final[WeakSet[_Worker]] = WeakSet()
_OF_THREAD: Final = threading.local()


@atexit.register
def _close_workers() -> None:
    for worker in list(_WORKERS):
        worker.close()
