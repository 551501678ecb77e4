"""The harness's side: it starts the server, hands outcomes to it, waits, and ends what takes too long.

All threads share one server. It is started when it is first needed, and ends with this process, however that ends; a
fork of this process gets its own.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from gitgoodbench.contained.frames import BadFrame, TooLate, receive, send, send_bytes
from gitgoodbench.contained.task import Task
from gitgoodbench.errors import EpisodeError, GitGoodBenchError, InfrastructureFailed
from gitgoodbench.limits import LimitExceeded, Limits, cpu_problem, file_problem
from gitgoodbench.scenario import RepositoryStore

_PASSED_ON: Final = (
    "PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "VIRTUAL_ENV", "PYTHONHOME", "LD_LIBRARY_PATH", "XDG_CACHE_HOME",
    "GITGOODBENCH_CACHE", "NUMBA_CACHE_DIR",
)  # fmt: skip
"""Variables that the server gets. No key is among them."""

_END_S: Final = 10.0
"""For a process that was told to end. It cannot refuse."""

_LAST_WORDS_S: Final = 0.5
_SMALL: Final = 4096
_COMPLAINT_BYTES: Final = 2000


class Running:
    """What reads outcomes at this moment, so that somebody else can end it."""

    def __init__(self) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()

    def end(self) -> None:
        """End them all: whoever waits for one gets `InfrastructureFailed`."""
        with self._lock:
            for connection in self._connections:
                _shut(connection)

    def add(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)

    def remove(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)


def start() -> None:
    """Start the server now, which loads and compiles meanwhile."""
    _SHARED.start()


def start_and_wait() -> None:
    """Start the server, and wait until it has loaded everything.

    Raises:
        InfrastructureFailed: it ends before.
    """
    if not _SHARED.start().recv(1, socket.MSG_PEEK):
        raise InfrastructureFailed(f"scoring does not start{_SHARED.complaint()}")


def ask(task: Task, store: RepositoryStore, running: Running) -> dict[str, Any]:
    """Have an outcome read in a process of its own; the frame with what came of it.

    Raises:
        LimitExceeded: it takes more than it may, or ends the process that reads it.
        EpisodeError: the repository cannot be had, or the process is ended by somebody else.
        GitGoodBenchError: whatever else the scenario raises.
    """
    here, there = socket.socketpair()
    with here:
        with there:
            _SHARED.connect(there)
        running.add(here)
        try:
            send_bytes(here, pickle.dumps(task))
            frame = _converse(here, task.limits, store)
        except (BrokenPipeError, ConnectionResetError):
            frame = None
        except TooLate:
            raise LimitExceeded(f"it takes more than the limit of {task.limits.wall_s:g} s") from None
        except BadFrame as problem:
            raise LimitExceeded(str(problem)) from problem
        finally:
            running.remove(here)
            _shut(here)
            last = _last_frame(here)
    if frame is None:
        raise InfrastructureFailed(f"scoring was ended{_SHARED.complaint()}")
    return {**_checked(frame, task.limits), "took": last}


def _converse(here: socket.socket, limits: Limits, store: RepositoryStore) -> dict[str, Any] | None:
    """Answer what the process asks, until its answer comes; None where none comes."""
    left = limits.wall_s
    frame = receive(here, limits.answer)  # it waits for the server, which may have to compile
    while frame is not None:
        if "mirror" in frame:
            send(here, _mirror(store, frame))
        elif "began" not in frame:
            return frame
        asked = time.monotonic()
        frame = receive(here, limits.answer, asked + left)
        left -= time.monotonic() - asked
    return None


def _mirror(store: RepositoryStore, frame: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {
            "git_dir": str(store.mirror(str(frame["mirror"]), [str(commit) for commit in frame["commits"]]).git_dir)
        }
    except EpisodeError as problem:
        return {"error": str(problem), "status": problem.status.value}
    except GitGoodBenchError as problem:
        return {"error": str(problem)}


def _checked(frame: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """A frame that is an answer; see `ask` for the others."""
    if "limit" in frame:
        raise LimitExceeded(str(frame["limit"]))
    if "ended" in frame:
        raise _death(int(frame["ended"]), limits)
    return frame


def _death(status: int, limits: Limits) -> Exception:
    """Why a process ended before it answered."""
    if status == -signal.SIGXCPU:
        return LimitExceeded(cpu_problem(limits))
    if status == -signal.SIGXFSZ:
        return LimitExceeded(file_problem(limits))
    if status == -signal.SIGKILL:
        return InfrastructureFailed("the process that scores was killed: this machine may have no memory left")
    if status < 0:
        return LimitExceeded(f"reading it crashes the process that scores ({signal.Signals(-status).name})")
    return InfrastructureFailed(f"the process that scores ended with exit code {status}")


def _shut(connection: socket.socket) -> None:
    """Tell the server that nobody waits any more; it kills the process and all that it has started."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


def _last_frame(connection: socket.socket) -> dict[str, Any] | None:
    """Wait until the process is gone; what the server says of it."""
    until = time.monotonic() + _END_S
    last = None
    with contextlib.suppress(OSError, BadFrame, TooLate):
        while (frame := receive(connection, _SMALL, until)) is not None:
            last = frame
    return last


class _Shared:
    """The server of this process; it is replaced when it dies."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._complaints: IO[bytes] | None = None
        self._used = False

    def start(self) -> socket.socket:
        """The socket to a server that lives."""
        with self._lock:
            return self._live()

    def connect(self, there: socket.socket) -> None:
        """Hand one end of a connection over."""
        with self._lock:
            self._used = True
            try:
                socket.send_fds(self._live(), [b"c"], [there.fileno()])
            except (BrokenPipeError, ConnectionResetError):  # it has just died
                self._end()
                socket.send_fds(self._live(), [b"c"], [there.fileno()])

    def complaint(self) -> str:
        """What a server that has died said last."""
        with self._lock:
            if self._complaints is None or self._process is None:
                return ""
            with contextlib.suppress(subprocess.TimeoutExpired):  # it closes its socket just before it is gone
                self._process.wait(_LAST_WORDS_S)
            if self._process.returncode is None:
                return ""
            size = self._complaints.seek(0, os.SEEK_END)
            self._complaints.seek(max(0, size - _COMPLAINT_BYTES))
            lines = self._complaints.read(_COMPLAINT_BYTES).decode("utf-8", "replace").strip().split("\n")
            return f": {lines[-1]}" if lines[-1] else ""

    def _live(self) -> socket.socket:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._control is None:
            here, there = socket.socketpair()
            self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the server
            with there:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "gitgoodbench.contained.server", str(there.fileno())],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._complaints,
                    pass_fds=[there.fileno()], env=_environment(), start_new_session=True,
                )  # fmt: skip
            self._control = here
        return self._control

    def close(self) -> None:
        """End the server with everything that it has started."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            if not self._used:
                self._process.kill()  # it may still be loading
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def forget(self) -> None:
        """Leave the server to the process that this one is a fork of."""
        self._lock = threading.Lock()
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.returncode = 0  # it is no child of this process
            self._process = None


def _environment() -> dict[str, str]:
    places = [str(Path(entry).absolute()) for entry in sys.path if isinstance(entry, str)]
    passed = {name: value for name in _PASSED_ON if (value := os.environ.get(name)) is not None}
    return {**passed, "PYTHONPATH": os.pathsep.join(places), "OPENBLAS_NUM_THREADS": "1"}


_SHARED: Final = _Shared()
atexit.register(_SHARED.close)
os.register_at_fork(after_in_child=_SHARED.forget)
