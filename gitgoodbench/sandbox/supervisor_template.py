"""The process whose forks are supervisors on this machine: they share what it has loaded, so that each takes little.

A program of its own, `python supervisor_template.py FD`. What starts a supervisor, and the modules of one, come on
standard input and are loaded ahead. On the socket FD come a PATH and a stream for each supervisor, which then waits
for its program on it, as every supervisor does. What goes back is a descriptor of the process. It ends when the socket
does; supervisors end with their streams.
"""

# ruff: noqa: F401 - what supervisors import later is loaded here, once

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import types

with contextlib.suppress(ImportError):  # supervisors do without
    import ctypes

_MOST_BYTES = 256 * 1024
"""Of a PATH."""


def main(control: int) -> None:
    """Fork for each request, until there are no more."""
    bootstrap, sources = json.load(sys.stdin)
    program = compile(bootstrap, "bootstrap", "exec")
    ready = {source: _load(name, source) for name, source in sources.items()}
    signal.signal(signal.SIGCHLD, _reap)
    gc.collect()
    gc.freeze()  # pages that forks would copy only to look at them
    with socket.socket(fileno=control) as requests:
        while True:
            path, streams, *_ = socket.recv_fds(requests, _MOST_BYTES, 1)
            if not streams:
                return
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # it must not be reaped before it is described
            try:
                process = os.fork()
                if not process:
                    requests.close()
                    _become(program, ready, path, streams[0])
                described = os.pidfd_open(process)
                socket.send_fds(requests, [b"%d" % process], [described])
                os.close(described)
            except OSError as problem:
                requests.send(str(problem.strerror).encode())
            finally:
                os.close(streams[0])
                signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _load(name: str, source: str) -> types.ModuleType:
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
    return module


def _become(program: types.CodeType, ready: dict[str, types.ModuleType], path: bytes, stream: int) -> None:
    """In the fork: be a supervisor, and end with it."""
    status = 1
    try:
        os.setsid()
        os.dup2(stream, 0)
        os.dup2(stream, 1)
        os.close(stream)
        os.environb[b"PATH"] = path
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        exec(program, {"ready": ready})
        status = 0
    finally:
        os._exit(status)


def _reap(*_: object) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    main(int(sys.argv[1]))
