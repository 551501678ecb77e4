"""The process whose forks read outcomes: `python -m gitgoodbench.contained.server FD`.

It has loaded everything that scoring needs, has one thread, and never reads an outcome itself. On the socket FD come
connections, one for each outcome. Each is served by a fork, which leads a process group of its own and ends with its
answer. When the other end of a connection is closed, its group is killed; when that of FD is, all are, and the server
ends: so nothing outlives the harness, however that ends. No more forks live at once than there is work for the
processors; further connections wait.

The last frame of a connection is the server's: how the fork ended, and what it took.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from gitgoodbench.contained.frames import send
from gitgoodbench.contained.reading import serve
from gitgoodbench.plugins import SAMPLES, SCENARIOS, SCORES, Objects
from gitgoodbench.scenario import LateScoring
from gitgoodbench.ted.compiled import has_compiled
from gitgoodbench.ted.languages import LANGUAGES, grammar
from gitgoodbench.ted.warming import warm_up

_LATE: Final = ("commit_check.imperatives", "encodings.ascii", "scipy.sparse")
MOST_FORKS: Final = max(2, os.cpu_count() or 1)
"""Forks at once: one for each processor, and two at least, since one may wait for the harness."""

_AGAIN: Final = "again"
_GONE: Final = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0x2000)


@dataclass(frozen=True)
class _Job:
    """A fork, and the harness's connection to it."""

    process: int
    connection: socket.socket


class _Server:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._jobs: dict[int, _Job] = {}
        self._waiting: dict[int, socket.socket] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._ended, wake = os.pipe()
        os.set_blocking(self._ended, False)
        os.set_blocking(wake, False)
        self._poll.register(self._ended, select.POLLIN)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        """Serve until the harness closes the socket."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._ended:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self._ended, 4096)
                    self._reap()
                elif descriptor != self._control.fileno():
                    self._drop(descriptor)
                elif not self._accept():
                    for job in self._jobs.values():
                        self._kill(job.process)
                    return

    def _accept(self) -> bool:
        """Take a connection; False at the end."""
        message, descriptors, *_ = socket.recv_fds(self._control, 1, 1)
        if not message:
            return False
        connection = socket.socket(fileno=descriptors[0])
        self._poll.register(connection, _GONE)
        self._waiting[connection.fileno()] = connection
        self._begin()
        return True

    def _drop(self, descriptor: int) -> None:
        """Nobody waits for this connection any more."""
        if descriptor in self._waiting:
            self._poll.unregister(descriptor)
            self._waiting.pop(descriptor).close()
        elif descriptor in self._jobs:  # else its process has just been reaped
            self._poll.unregister(descriptor)
            self._kill(self._jobs[descriptor].process)  # it stays open until its process is reaped

    def _begin(self) -> None:
        """Fork for those that wait, as long as there is room."""
        while self._waiting and len(self._jobs) < MOST_FORKS:
            self._fork_for(self._waiting.pop(next(iter(self._waiting))))

    def _fork_for(self, connection: socket.socket) -> None:
        process = os.fork()
        if not process:
            self._serve(connection)
        with contextlib.suppress(OSError):  # the fork does so, too: whoever comes first
            os.setpgid(process, process)
        self._jobs[connection.fileno()] = _Job(process, connection)

    def _serve(self, connection: socket.socket) -> None:
        status = 1
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._control.close()
            for other in (*self._waiting.values(), *(job.connection for job in self._jobs.values())):
                other.close()
            serve(connection)
            status = 0
        finally:
            os._exit(status)  # nothing that the server would do at its end

    def _reap(self) -> None:
        while (ended := _ended_process()) is not None:
            self._kill(ended)  # what is left of its group, as long as nobody else can have its number
            _, status, usage = os.wait4(ended, 0)
            found = next((job for job in self._jobs.values() if job.process == ended), None)
            if found is None:
                continue
            descriptor = found.connection.fileno()
            del self._jobs[descriptor]
            with contextlib.suppress(KeyError):
                self._poll.unregister(descriptor)
            with contextlib.suppress(OSError), found.connection as connection:
                connection.setblocking(False)
                took = {"seconds": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss * 1024}
                send(connection, {"ended": os.waitstatus_to_exitcode(status), **took})
        self._begin()

    def _kill(self, process: int) -> None:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(process, signal.SIGKILL)


def _ended_process() -> int | None:
    """A child that has ended and is not yet reaped."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if found is None else found.si_pid


def load() -> None:
    """Load and compile what scoring takes. What cannot be loaded is told to whoever asks for it."""
    warm_up()
    for name in _LATE:
        import_module(name)
    for language in LANGUAGES:
        if language.core:
            grammar(language.name)
    for group in (SAMPLES, SCENARIOS, SCORES):
        for name in (found := Objects(group)):
            with contextlib.suppress(Exception):
                if isinstance(loaded := found[name], LateScoring):
                    loaded.load_scoring()


def main() -> None:
    """Load what scoring needs, then serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the harness decides
    load()
    if has_compiled() and _AGAIN not in sys.argv:  # the compiler gives no memory back; what is loaded takes less
        os.execv(sys.executable, [*sys.orig_argv, _AGAIN])
    with socket.socket(fileno=int(sys.argv[1])) as control:
        gc.collect()
        gc.freeze()  # pages that forks would copy only to look at them
        control.send(b"r")
        _Server(control).run()


if __name__ == "__main__":
    main()
