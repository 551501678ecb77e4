"""One connection of a client in the sandbox, as the harness holds it: read and written as a socket is."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Final

from gitgoodbench.bridge.frames import CHUNK, CREDIT, DATA, END, NUMBER, RESET, WINDOW, Window

Send = Callable[[bytes, int, "bytes | memoryview"], None]
"""Sends a frame: kind, number of the connection, payload. Raises OSError where the relay is gone."""

_OWED: Final = WINDOW // 4
"""Bytes taken for which no credit was given yet, at most: credit is not given piece by piece."""

_LINGER: Final = 1024 * 1024
"""Bytes that are thrown away after the end of this side, so that a client can read why, before it is cut off."""


class Connection:
    """`recv`, `sendall` and `close` are for one thread; what arrives is put in by the multiplexer's.

    forget: called once, when nothing more can come of the connection, before the last frame is sent.
    """

    def __init__(self, number: int, send: Send, forget: Callable[[int], None]) -> None:
        self.number = number
        self._send, self._forget = send, forget
        self._changed = threading.Condition()
        self._arrived = bytearray()
        self._inwards, self._outwards = Window(), Window()
        self._owed = 0
        self._thrown_away = 0
        self._ended = self._closed = self._gone = False

    @property
    def gone(self) -> bool:
        """Whether the client is gone: nothing that is sent arrives."""
        return self._gone

    def recv(self, size: int) -> bytes:
        """Bytes of the client, as soon as there are some; none at their end.

        Raises:
            ConnectionResetError: the client is gone.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._arrived or self._ended or self._gone)
            if self._gone:
                raise ConnectionResetError("the client is gone")
            data = bytes(self._arrived[:size])
            del self._arrived[:size]
            credit = self._take(len(data))
        self._give(credit)
        return data

    def sendall(self, data: bytes | memoryview) -> None:
        """Send it all, as fast as the client takes it.

        Raises:
            BrokenPipeError: the client is gone.
        """
        view = memoryview(data)
        while view:
            with self._changed:
                self._changed.wait_for(lambda: self._outwards.left or self._gone or self._closed)
                if self._gone or self._closed:
                    raise BrokenPipeError("the client is gone")
                size = min(len(view), self._outwards.left, CHUNK)
                self._outwards.take(size)
            self._send(DATA, self.number, view[:size])
            view = view[size:]

    def close(self) -> None:
        """Send no more, and throw away what still comes."""
        with self._changed:
            if self._closed or self._gone:
                return
            self._closed = True
            credit = self._take(len(self._arrived))
            self._arrived.clear()
            if self._ended:
                self._forget(self.number)
            self._changed.notify_all()
        self._give(0 if self._ended else credit)
        self._send_quietly(END)

    def put(self, data: bytes) -> None:
        """The client sent this.

        Raises:
            BadFrame: it may not send so much yet.
        """
        with self._changed:
            self._inwards.take(len(data))
            if not self._closed:
                self._arrived += data
                self._changed.notify_all()
                return
            self._thrown_away += len(data)
            credit = self._take(len(data))
        if self._thrown_away > _LINGER:
            self.reset()
            self._send_quietly(RESET)
        else:
            self._give(credit)

    def end(self) -> None:
        """The client sends no more."""
        with self._changed:
            self._ended = True
            if self._closed:
                self._forget(self.number)
            self._changed.notify_all()

    def credit(self, size: int) -> None:
        """The client has taken so many bytes.

        Raises:
            BadFrame: it was never sent so many.
        """
        with self._changed:
            self._outwards.give(size)
            self._changed.notify_all()

    def reset(self) -> None:
        """The connection is gone."""
        with self._changed:
            self._gone = True
            self._arrived.clear()
            self._forget(self.number)
            self._changed.notify_all()

    def _take(self, size: int) -> int:
        """Note that so many bytes were taken; for how many credit is to be given now."""
        self._owed += size
        if self._owed < _OWED:
            return 0
        credit, self._owed = self._owed, 0
        self._inwards.give(credit)
        return credit

    def _give(self, credit: int) -> None:
        if credit:
            self._send_quietly(CREDIT, NUMBER.pack(credit))

    def _send_quietly(self, kind: bytes, payload: bytes = b"") -> None:
        """Without complaint where the relay is gone: reading and writing tell."""
        try:
            self._send(kind, self.number, payload)
        except OSError:
            self._gone = True


class Reading(io.RawIOBase):
    """A connection as a file to read from."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._connection.recv(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class Writing(io.RawIOBase):
    """A connection as a file to write to; nothing is held back."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def writable(self) -> bool:
        return True

    def write(self, data: bytes | memoryview) -> int:  # type: ignore[override]
        self._connection.sendall(data)
        return len(data)
