"""The relay: listens on the sandbox's loopback and carries each connection over its own standard streams, as frames.

It has a user of its own, so that commands can neither kill, stop, trace nor replace it. It knows nothing of HTTP, and
holds no secret. It ends when its standard input does: with the harness.

Travels into the sandbox as source text, with `frames`: Python >= 3.9, standard library, one thread.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
from contextlib import suppress
from functools import partial

from gitgoodbench.bridge.frames import (
    CHUNK,
    CREDIT,
    DATA,
    END,
    LISTENING,
    NUMBER,
    OPEN,
    RESET,
    STREAMS,
    Frames,
    Window,
    pack,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # the sandbox's Python has no need of them, and half a megabyte
    from collections.abc import Callable
    from typing import Any

_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
_ENOUGH = 1024 * 1024
"""Bytes that wait for the harness; beyond them, no client is read."""

_PIECE = 256 * 1024
_SHIELDED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_PR_SET_DUMPABLE = 4


class Client:
    """One connection. waiting: bytes from the harness that the client has not taken."""

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self.waiting = bytearray()
        self.upwards = Window()
        self.reads = True
        self.ending = False
        self.ended = False

    def wants(self, *, full: bool) -> int:
        """What to watch its socket for. full: the harness is behind."""
        reading = _READ if self.reads and self.upwards.left and not full else 0
        return reading | (_WRITE if self.waiting or (self.ending and not self.ended) else 0)


class Relay:
    """See the module's docstring. source, sink: descriptors of the harness's stream."""

    def __init__(self, source: int, sink: int, listener: socket.socket) -> None:
        self._source, self._sink, self._listener = source, sink, listener
        self._selector = selectors.DefaultSelector()
        self._watched: dict[Any, int] = {}
        self._clients: dict[int, Client] = {}
        self._last = 0
        self._frames = Frames()
        self._upwards = bytearray()
        for descriptor in (source, sink):
            os.set_blocking(descriptor, False)
        listener.setblocking(False)

    def serve(self) -> None:
        """Carry until the harness is gone.

        Raises:
            EOFError, OSError: it is.
        """
        self._send(LISTENING, 0, NUMBER.pack(self._listener.getsockname()[1]))
        while True:
            self._watch_all()
            for key, events in self._selector.select():
                key.data(events)

    def _watch_all(self) -> None:
        self._watch(self._source, _READ, self._hear)
        self._watch(self._sink, _WRITE if self._flush() else 0, lambda _: None)
        self._watch(self._listener, _READ if len(self._clients) < STREAMS else 0, self._accept)
        full = len(self._upwards) >= _ENOUGH
        for number, client in self._clients.items():
            self._watch(client.socket, client.wants(full=full), partial(self._move, number))

    def _watch(self, file: Any, events: int, react: Callable[[int], None]) -> None:
        before = self._watched.get(file, 0)
        if events == before:
            return
        if not events:
            self._selector.unregister(file)
        elif not before:
            self._selector.register(file, events, react)
        else:
            self._selector.modify(file, events, react)
        self._watched[file] = events

    def _send(self, kind: bytes, number: int, payload: bytes = b"") -> None:
        self._upwards += pack(kind, number, payload)

    def _flush(self) -> bool:
        """Write to the harness what it takes now; whether more waits."""
        with suppress(BlockingIOError):
            while self._upwards:
                del self._upwards[: os.write(self._sink, self._upwards[:_PIECE])]
        return bool(self._upwards)

    def _accept(self, _: int) -> None:
        try:
            accepted, _address = self._listener.accept()
        except OSError:  # it has hung up already, or descriptors are short
            return
        accepted.setblocking(False)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._last += 1
        self._clients[self._last] = Client(accepted)
        self._send(OPEN, self._last)

    def _move(self, number: int, events: int) -> None:
        client = self._clients.get(number)
        if client is None:  # another event of the same round has ended it
            return
        try:
            if events & _WRITE:
                self._write(number, client)
            if events & _READ and number in self._clients:
                self._read(number, client)
        except BlockingIOError:
            pass
        except OSError:
            self._drop(number)
            self._send(RESET, number)

    def _write(self, number: int, client: Client) -> None:
        if client.waiting:
            size = client.socket.send(client.waiting[:_PIECE])
            del client.waiting[:size]
            self._send(CREDIT, number, NUMBER.pack(size))
        if client.ending and not client.waiting:
            client.ended = True
            client.socket.shutdown(socket.SHUT_WR)
            if not client.reads:
                self._drop(number)

    def _read(self, number: int, client: Client) -> None:
        data = client.socket.recv(min(CHUNK, client.upwards.left))
        if data:
            client.upwards.take(len(data))
            self._send(DATA, number, data)
            return
        client.reads = False
        self._send(END, number)
        if client.ended:
            self._drop(number)

    def _drop(self, number: int) -> None:
        client = self._clients.pop(number)
        self._watch(client.socket, 0, lambda _: None)
        del self._watched[client.socket]
        client.socket.close()

    def _hear(self, _: int) -> None:
        try:
            data = os.read(self._source, _PIECE)
        except BlockingIOError:
            return
        if not data:
            raise EOFError
        for kind, number, payload in self._frames.feed(data):
            client = self._clients.get(number)
            if client is None:  # it ended meanwhile
                continue
            if kind == DATA:
                client.waiting += payload
            elif kind == CREDIT:
                client.upwards.give(NUMBER.unpack(payload)[0])
            elif kind == END:
                client.ending = True
            elif kind == RESET:
                self._drop(number)


def main(port: int) -> None:
    """Relay standard input and output. port: to listen on; 0 takes a free one."""
    for number in _SHIELDED:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    listener = socket.create_server(("127.0.0.1", port), backlog=2 * STREAMS)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        Relay(0, 1, listener).serve()
