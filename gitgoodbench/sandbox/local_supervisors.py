"""Supervisors on this machine: forks of one process where the system has descriptors of processes, else new ones.

A fork is there ten times as fast as a new Python, and takes a third of the memory. All threads share the process that
forks; it ends with this one, however that ends, and a fork of this one gets its own.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final, Protocol

from gitgoodbench.sandbox.supervised import supervisor_sources
from gitgoodbench.sandbox.travelling import waiting_argv

_TEMPLATE: Final = "supervisor_template.py"
_END_S: Final = 2.0
"""For a supervisor whose stream was closed."""

_SMALL: Final = 4096


class Supervisor(Protocol):
    """A supervisor that was started."""

    def end(self) -> None:
        """Wait until it has ended, as it does with its stream; one that is stopped is killed. Called once."""
        ...


def start_supervisor(stream: socket.socket, path: str) -> Supervisor:
    """Start a supervisor that waits for its program on the stream. path: the PATH of its commands.

    Raises:
        OSError: the system does not let it.
    """
    if hasattr(os, "pidfd_open"):
        return _Forked(_SHARED.fork(stream, path))
    return _Started(stream, path)


class _Forked:
    """A fork, by its descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def end(self) -> None:
        """See `Supervisor`."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        try:
            if not poll.poll(_END_S * 1000):
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
                poll.poll()
        finally:
            os.close(self._descriptor)


class _Started:
    """A process of its own."""

    def __init__(self, stream: socket.socket, path: str) -> None:
        self._process = subprocess.Popen(
            waiting_argv(sys.executable),
            stdin=stream.fileno(), stdout=stream.fileno(), stderr=subprocess.DEVNULL,
            env={"PATH": path}, start_new_session=True,
        )  # fmt: skip

    def end(self) -> None:
        """See `Supervisor`."""
        try:
            self._process.wait(timeout=_END_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class _Shared:
    """The process that forks; it is started when it is first needed, and replaced when it has died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def fork(self, stream: socket.socket, path: str) -> int:
        """The descriptor of a new supervisor."""
        with self._lock:
            try:
                return self._ask(stream, path)
            except (BrokenPipeError, ConnectionResetError, EOFError):
                self._end()
                return self._ask(stream, path)

    def _ask(self, stream: socket.socket, path: str) -> int:
        control = self._control or self._begin()
        socket.send_fds(control, [os.fsencode(path)], [stream.fileno()])
        said, descriptors, *_ = socket.recv_fds(control, _SMALL, 1)
        if descriptors:
            return descriptors[0]
        if not said:
            raise EOFError("the process that forks supervisors has ended")
        raise OSError(said.decode("utf-8", "replace"))

    def _begin(self) -> socket.socket:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        *python, _, bootstrap = waiting_argv(sys.executable)
        with there:
            self._process = subprocess.Popen(
                [*python, str(Path(__file__).with_name(_TEMPLATE)), str(there.fileno())],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                cwd="/", env={}, pass_fds=[there.fileno()], start_new_session=True,
            )  # fmt: skip
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self._process.stdin as pipe:
            pipe.write(json.dumps([bootstrap, supervisor_sources()]).encode("ascii"))
        self._control = here
        return here

    def close(self) -> None:
        """End the process; supervisors go on until their streams end."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def forget(self) -> None:
        """Leave the process to that which this one is a fork of."""
        self._lock = threading.Lock()
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.returncode = 0  # it is no child of this process
            self._process = None


_SHARED: Final = _Shared()
atexit.register(_SHARED.close)
os.register_at_fork(after_in_child=_SHARED.forget)
