"""A relay as a plain process of this machine, and small clients of it."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gitgoodbench.bridge.mux import Mux, Serve
from gitgoodbench.bridge.start import relay_program
from gitgoodbench.sandbox.local import SocketStream
from gitgoodbench.sandbox.travelling import waiting_argv


@contextmanager
def relay_process() -> Iterator[tuple[SocketStream, subprocess.Popen[bytes]]]:
    """A relay that listens on a free port: the stream to it, and the process."""
    near, far = socket.socketpair()
    with far:
        process = subprocess.Popen(waiting_argv(sys.executable), stdin=far.fileno(), stdout=far.fileno())
    stream = SocketStream(near)
    try:
        stream.sendall(relay_program(0))
        yield stream, process
    finally:
        stream.shutdown()
        stream.close()
        process.wait(10)


@contextmanager
def relayed(serve: Serve, lost: Callable[[str], None] = lambda _: None) -> Iterator[Mux]:
    """Whatever connects to `port` is served here."""
    with relay_process() as (stream, _), Mux(stream, serve, lost) as mux:
        yield mux


def connected(mux: Mux) -> socket.socket:
    """A client's connection."""
    return socket.create_connection(("127.0.0.1", mux.port), timeout=20)


def everything(connection: socket.socket) -> bytes:
    """What a client gets, up to the end."""
    data = bytearray()
    while piece := connection.recv(65536):
        data += piece
    return bytes(data)
