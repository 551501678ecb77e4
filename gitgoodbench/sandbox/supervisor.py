"""The one process of the harness inside a sandbox: runs commands, moves files, for whoever holds its standard streams.

It and the modules it imports travel as source text (`supervised.py`), so that the sandbox needs a Python >= 3.9 and
nothing else. `frames.py` says what the streams carry, `channel.py` is the other end.

Commands may be hostile. In a container this process is the first one, as a user of its own: they can neither kill, stop
nor trace it, nor open its descriptors, and when it ends, the kernel ends everything in the container.
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

from gitgoodbench.sandbox.frames import CHUNK, DATA, ERR, OUT, REQUEST, RESULT, Aborted, Link, write_all
from gitgoodbench.sandbox.supervisor_files import Refused, read_file, write_file
from gitgoodbench.sandbox.supervisor_processes import Reaper
from gitgoodbench.sandbox.supervisor_refill import discard, refill
from gitgoodbench.sandbox.supervisor_users import Users

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

    def __init__(self, link: Link, root: str, home: str, users: Users) -> None:
        self.link = link
        self.users = users
        self.root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.environment = {
            b"PATH": os.environb.get(b"PATH", b"/usr/local/bin:/usr/bin:/bin"),
            b"HOME": os.fsencode(home),
            b"LC_ALL": b"C.UTF-8",
        }
        self.reaper = Reaper(users)
        self.unwanted: list[tuple[tuple[bytes, ...], bool]] = []

    def serve(self) -> None:
        operations = {
            "hello": self._hello,
            "exec": self._exec,
            "put": self._put,
            "get": self._get,
            "refill": self._refill,
        }
        while True:
            kind, header = self.link.read()
            if kind != REQUEST:  # an ABORT of a request that had just ended, or the rest of one that was aborted
                continue
            request = json.loads(header)
            body = self.link.body()
            try:
                try:
                    result = operations[request["op"]](request, body)
                except Refused as problem:
                    result = {"refused": str(problem)}
                for _ in body:  # of a file that could not be written
                    pass
            except Aborted:
                result = {"refused": "aborted"}
            self.link.send(RESULT, json.dumps(result).encode("ascii"))
            self.link.flush()
            self._discard()

    def _hello(self, _request: dict[str, Any], _body: Iterator[bytes]) -> dict[str, Any]:
        return {"python": sys.version.split()[0], "complete": self.reaper.complete}

    def _put(self, request: dict[str, Any], body: Iterator[bytes]) -> dict[str, Any]:
        with self.users.as_commands():
            write_file(self.root, request["path"].encode("latin-1"), body, request["mode"])
        return {}

    def _get(self, request: dict[str, Any], _body: Iterator[bytes]) -> dict[str, Any]:
        with self.users.as_commands():
            for chunk in read_file(self.root, request["path"].encode("latin-1"), request["limit"]):
                self.link.send(DATA, chunk)
        return {}

    def _refill(self, request: dict[str, Any], body: Iterator[bytes]) -> dict[str, Any]:
        content, start, entries = b"".join(body), 0, []
        for path, kind, mode, size in request["entries"]:
            entries.append((path.encode("latin-1"), kind, mode, content[start : start + size]))
            start += size
        with self.users.as_commands():
            self.unwanted = refill(self.root, entries, [path.encode("latin-1") for path in request["keep"]])
        return {}

    def _discard(self) -> None:
        """Remove what a refilled folder is not to hold. Where that fails, this process ends, and so the sandbox."""
        if self.unwanted:
            with self.users.as_commands():
                discard(self.root, self.unwanted)
            self.unwanted = []

    def _exec(self, request: dict[str, Any], body: Iterator[bytes]) -> dict[str, Any]:
        with self.users.as_commands():  # so that a command may open /dev/stdin, /dev/stdout and /dev/stderr
            (out, out_end), (err, err_end) = os.pipe(), os.pipe()
            with _spooled(body) as stdin:
                deadline = time.monotonic() + request["timeout"]
                command = os.fork()
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
        watched = [*captures, self.reaper.wake, self.link.source]
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
                else:  # nothing else is sent while a command runs, but the end of the stream
                    self.link.read()
                    return True
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
            self.users.become_commands()
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


def _spooled(body: Iterator[bytes]) -> BinaryIO:
    """The whole standard input of a command as a file: nothing to pump while it runs, and no deadlock."""
    first = next(body, None)
    if first is None:
        return open(os.devnull, "rb")
    descriptor = _nameless_file()
    try:
        for data in itertools.chain([first], body):
            write_all(descriptor, data)
    except BaseException:
        os.close(descriptor)
        raise
    os.lseek(descriptor, 0, os.SEEK_SET)
    return open(descriptor, "rb", buffering=0)


def _nameless_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("stdin")
    import tempfile

    descriptor, path = tempfile.mkstemp()
    os.unlink(path)
    return descriptor


def main(root: str, home: str, users: list[int] | None, life_s: float | None) -> None:
    """Serve standard input and output.

    Args:
        root: the work folder. home: HOME of commands that are given no environment.
        users: the supervisor's own and the commands' user; None: commands run as the same user.
        life_s: seconds after which this process ends, whatever it does then.
    """
    os.umask(0o022)
    for number in _SHIELDED:
        signal.signal(number, signal.SIG_IGN)
    if life_s is not None:
        signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
        signal.setitimer(signal.ITIMER_REAL, life_s)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        Supervisor(Link(0, 1), root, home, Users(users)).serve()
