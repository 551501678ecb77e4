"""The one process of the harness inside a sandbox: runs commands, moves files, for whoever holds its standard streams.

It and the modules it imports travel as source text (`supervised.py`), so that the sandbox needs a Python >= 3.9 and
nothing else. `frames.py` says what the streams carry, `channel.py` is the other end.

Commands may be hostile and run as the same user. They cannot forge a reply, since this process is not dumpable (its
descriptors and its memory are closed to them); they can kill or stop it, which the other end notices.
"""

# ruff: noqa: PTH108, PTH123

from __future__ import annotations

import itertools
import json
import os
import select
import signal
import sys
import time
from contextlib import suppress

from gitgoodbench.sandbox.frames import CHUNK, DATA, ERR, OUT, RESULT, Link, write_all
from gitgoodbench.sandbox.supervisor_files import Refused, read_file, write_file
from gitgoodbench.sandbox.supervisor_processes import (
    Reaper,
    close_to_own_user,
    kill_own_user,
    offer_to_the_oom_killer,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # the sandbox's Python has no need of them, and half a megabyte
    from collections.abc import Iterator
    from typing import Any, BinaryIO, NoReturn

NOT_FOUND, NOT_RUNNABLE = 127, 126
"""Exit codes, as a shell's, of a command that is not there, and of one that (or whose folder) cannot be used."""

_LEFT_IN_A_PIPE = 1024 * 1024
_SHIELDED = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGALRM,
    signal.SIGPIPE,
)


class Capture:
    """One output stream of a command: sent on up to a limit, then dropped."""

    def __init__(self, link: Link, kind: bytes, limit: int) -> None:
        self.link = link
        self.kind = kind
        self.room = limit
        self.truncated = False

    def add(self, data: bytes) -> None:
        self.truncated = self.truncated or len(data) > self.room
        kept = data[: self.room]
        self.room -= len(kept)
        if kept:
            self.link.send(self.kind, kept)

    def drain(self, pipe: int) -> None:
        """Take what a command that has ended left in its pipe, and no more should someone still write to it."""
        os.set_blocking(pipe, False)
        left = _LEFT_IN_A_PIPE
        with suppress(BlockingIOError):
            while left > 0 and (data := os.read(pipe, CHUNK)):
                left -= len(data)
                self.add(data)
        os.close(pipe)


class Supervisor:
    """Carries out requests, one after the other, until the other end goes away."""

    def __init__(self, link: Link, root: str, home: str, alone: bool) -> None:
        self.link = link
        self.alone = alone
        self.root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.environment = {
            b"PATH": os.environb.get(b"PATH", b"/usr/local/bin:/usr/bin:/bin"),
            b"HOME": os.fsencode(home),
            b"LC_ALL": b"C.UTF-8",
        }
        self.reaper = Reaper(alone)

    def serve(self) -> None:
        operations = {"hello": self._hello, "exec": self._exec, "put": self._put, "get": self._get}
        while True:
            request = json.loads(self.link.read()[1])
            body = self.link.body()
            try:
                result = operations[request["op"]](request, body)
            except Refused as problem:
                result = {"refused": str(problem)}
            for _ in body:  # of a file that could not be written
                pass
            self.link.send(RESULT, json.dumps(result).encode("ascii"))
            self.link.flush()

    def _hello(self, _request: dict[str, Any], _body: Iterator[bytes]) -> dict[str, Any]:
        return {"python": sys.version.split()[0], "complete": self.reaper.complete}

    def _put(self, request: dict[str, Any], body: Iterator[bytes]) -> dict[str, Any]:
        write_file(self.root, request["path"].encode("latin-1"), body, request["mode"])
        return {}

    def _get(self, request: dict[str, Any], _body: Iterator[bytes]) -> dict[str, Any]:
        for chunk in read_file(self.root, request["path"].encode("latin-1"), request["limit"]):
            self.link.send(DATA, chunk)
        return {}

    def _exec(self, request: dict[str, Any], body: Iterator[bytes]) -> dict[str, Any]:
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        with _spooled(body) as stdin:
            deadline = time.monotonic() + request["timeout"]
            command = _fork()
            if command == 0:
                self._become(request, stdin.fileno(), out_end, err_end)
        os.close(out_end)
        os.close(err_end)
        captures = {out: Capture(self.link, OUT, request["limit"]), err: Capture(self.link, ERR, request["limit"])}
        try:
            timed_out = self._watch(command, captures, deadline)
        finally:
            status = self.reaper.end(command)
        for pipe, capture in captures.items():
            capture.drain(pipe)
        return {
            "returncode": os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status),
            "timed_out": timed_out,
            "truncated": any(capture.truncated for capture in captures.values()),
        }

    def _watch(self, command: int, captures: dict[int, Capture], deadline: float) -> bool:
        """Collect output until the command ends; whether its time ran out first."""
        watched = [*captures, self.reaper.wake, self.link.source.fileno()]
        while (left := deadline - time.monotonic()) > 0:
            for ready in select.select(watched, [], [], left)[0]:
                if ready in captures:
                    data = os.read(ready, CHUNK)
                    captures[ready].add(data)
                    if not data:
                        watched.remove(ready)
                elif ready == self.reaper.wake:
                    self.reaper.reap()
                    if command in self.reaper.statuses:
                        return False
                else:
                    raise EOFError  # nothing is sent while a command runs: the other end is gone
        return True

    def _become(self, request: dict[str, Any], *streams: int) -> NoReturn:
        """In the child: turn into the command. Failing that, say so and exit as a shell does."""
        status = NOT_RUNNABLE
        argv = [argument.encode("latin-1") for argument in request["argv"]]
        try:
            os.setsid()
            for standard, stream in enumerate(streams):
                os.dup2(stream, standard)
            for number in _SHIELDED:
                signal.signal(number, signal.SIG_DFL)
            if self.alone:
                offer_to_the_oom_killer()
            os.fchdir(self.root)
            if request["cwd"] is not None:
                os.chdir(request["cwd"].encode("latin-1"))
            environment = self.environment
            if request["env"] is not None:
                environment = {k.encode("latin-1"): v.encode("latin-1") for k, v in request["env"].items()}
            status = NOT_FOUND
            os.execvpe(argv[0], argv, environment)
        except BaseException as problem:
            if not isinstance(problem, (FileNotFoundError, NotADirectoryError)):
                status = NOT_RUNNABLE
            reason = str(getattr(problem, "strerror", None) or problem)
            os.write(2, b"cannot run %s: %s\n" % (argv[0][:300], reason.encode("utf-8", "replace")))
        finally:
            os._exit(status)


def _fork() -> int:
    """Fork, waiting a while where the last processes of an earlier supervisor still count as running."""
    for _ in range(100):
        with suppress(BlockingIOError):
            return os.fork()
        time.sleep(0.05)
    return os.fork()


def _spooled(body: Iterator[bytes]) -> BinaryIO:
    """The whole standard input of a command as a file: nothing to pump while it runs, and no deadlock."""
    first = next(body, None)
    if first is None:
        return open(os.devnull, "rb")
    descriptor = _nameless_file()
    for data in itertools.chain([first], body):
        write_all(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return open(descriptor, "rb", buffering=0)


def _nameless_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("stdin")
    import tempfile

    descriptor, path = tempfile.mkstemp()
    os.unlink(path)
    return descriptor


def main(root: str, home: str, alone: bool) -> None:
    """Serve standard input and output.

    Args:
        root: the work folder. home: HOME of commands that are given no environment.
        alone: whether every process of this user belongs to the sandbox, so that all of them may be killed.
    """
    os.umask(0o022)
    for number in _SHIELDED:
        signal.signal(number, signal.SIG_IGN)
    if alone:
        if not close_to_own_user():
            sys.exit("a supervisor beside hostile commands needs Linux and a Python with ctypes")
        kill_own_user()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        Supervisor(Link(sys.stdin.buffer, 1), root, home, alone).serve()
