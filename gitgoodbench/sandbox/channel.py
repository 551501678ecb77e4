"""The harness's end of a supervisor's streams: sends a request and reads its reply, however long, late or forged.

The frames are described in `frames.py`. Whatever arrives is bounded by what the request allows; a reply that is late,
cut off or not what a supervisor sends breaks the channel for good.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, Protocol

from gitgoodbench.sandbox.frames import ABORT, CHUNK, DATA, END, FRAME, REQUEST, RESULT

_RESULT_LIMIT: Final = 64 * 1024
_SHOWN: Final = 200
_RECEIVE: Final = 64 * 1024
_SEND_STALL_S: Final = 30.0
_ABORT_S: Final = 2.0
"""Seconds in which an aborted request has to end."""


class ByteStream(Protocol):
    """A connected stream of bytes, as a socket is one. `recv` returns b"" at its end.

    `shutdown` ends it for both sides, and wakes a thread that waits in `recv`; `close` then gives back what it holds.
    """

    def settimeout(self, seconds: float | None, /) -> None: ...

    def sendall(self, data: bytes, /) -> None: ...

    def recv(self, size: int, /) -> bytes: ...

    def shutdown(self) -> None: ...

    def close(self) -> None: ...


class ChannelBroken(Exception):
    """The channel cannot be used any more. `late`: no whole reply came in time."""

    def __init__(self, reason: str, *, late: bool = False) -> None:
        super().__init__(reason)
        self.late = late


@dataclass(frozen=True)
class Reply:
    """What came back: the result, and the payloads of the other kinds of frame, joined by kind."""

    result: Mapping[str, Any]
    payloads: Mapping[bytes, bytes] = field(default_factory=dict)


class Channel:
    """Requests to one supervisor, one at a time. greeting: bytes that go before the first request."""

    def __init__(self, stream: ByteStream, greeting: bytes = b"") -> None:
        self._stream = stream
        self._greeting = greeting
        self._received = bytearray()
        self._in_call = threading.RLock()
        self._sending = threading.Lock()
        self.closed = False

    def call(
        self,
        request: Mapping[str, Any],
        body: Iterable[bytes] = (),
        *,
        room: Mapping[bytes, int] | None = None,
        timeout_s: float,
    ) -> Reply:
        """Send a request with its body and wait for the reply.

        Args:
            room: the kinds of payload that may come, each with the most bytes of it.
            timeout_s: seconds from the sending of the request to the end of the reply.

        Raises:
            ChannelBroken: no reply, a late one, or one that breaks the rules. The channel is closed then. After any
                other exception (of the body, or a Ctrl-C) the request is aborted, and the channel goes on.
        """
        left = dict(room or {})
        with self._in_call:
            try:
                self._send(request, body)
                return self._receive(left, time.monotonic() + timeout_s)
            except ChannelBroken:
                self.close()
                raise
            except BaseException:
                self._abort(left)
                raise

    def abort(self) -> None:
        """From another thread: end the request that is under way. Its reply comes, as of one that was aborted."""
        with contextlib.suppress(OSError), self._sending:
            self._stream.sendall(FRAME.pack(ABORT, 0))

    def close(self) -> None:
        """Let go of the stream: the supervisor at its other end kills what it runs and goes.

        From another thread it ends a call that waits. The descriptor lives until that has noticed: its number could be
        taken by another file, for which the call would go on to wait.
        """
        self.closed = True
        self._stream.shutdown()
        with self._in_call:
            self._stream.close()

    def _send(self, request: Mapping[str, Any], body: Iterable[bytes]) -> None:
        header = json.dumps(request).encode("ascii")
        waiting = bytearray(self._greeting + FRAME.pack(REQUEST, len(header)) + header)
        self._greeting = b""
        pieces = iter(body)
        while (data := self._next(pieces, waiting)) is not None:
            waiting += FRAME.pack(DATA, len(data)) + data
            if len(waiting) >= CHUNK:
                self._transmit(bytes(waiting))
                waiting.clear()
        self._transmit(bytes(waiting) + FRAME.pack(END, 0))

    def _next(self, pieces: Iterator[bytes], waiting: bytearray) -> bytes | None:
        """The next piece of a body. If its source fails, what waits is sent first, so that it can be aborted."""
        try:
            return next(pieces, None)
        except BaseException:
            self._transmit(bytes(waiting))
            raise

    def _abort(self, room: dict[bytes, int]) -> None:
        """End the request that is under way and drop its reply; failing that, close the channel."""
        try:
            self._transmit(FRAME.pack(ABORT, 0))
            self._receive(room, time.monotonic() + _ABORT_S)
        except ChannelBroken:
            self.close()
        except BaseException:
            self.close()
            raise

    def _transmit(self, data: bytes) -> None:
        with _breaking(), self._sending:
            self._stream.settimeout(_SEND_STALL_S)
            self._stream.sendall(data)

    def _receive(self, room: dict[bytes, int], deadline: float) -> Reply:
        """Read a reply. Whole frames are taken at once, so that an interrupted reply can be read on."""
        payloads = {kind: bytearray() for kind in room}
        while True:
            kind, length = FRAME.unpack(self._wait_for(FRAME.size, deadline))
            if length > (_RESULT_LIMIT if kind == RESULT else min(CHUNK, room.get(kind, -1))):
                raise ChannelBroken(f"not a reply: {bytes(self._received[:_SHOWN])!r}")
            payload = self._wait_for(FRAME.size + length, deadline)[FRAME.size :]
            del self._received[: FRAME.size + length]
            if kind == RESULT:
                if self._received:
                    raise ChannelBroken("bytes after the end of a reply")
                return Reply(_parse(payload), {kind: bytes(payload) for kind, payload in payloads.items()})
            room[kind] -= length
            payloads[kind] += payload

    def _wait_for(self, length: int, deadline: float) -> bytes:
        """The first bytes received, so many, which stay."""
        while len(self._received) < length:
            with _breaking():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                self._stream.settimeout(left)
                data = self._stream.recv(_RECEIVE)
            if not data:
                raise ChannelBroken("the supervisor is gone")
            self._received += data
        return bytes(self._received[:length])


def chunks(data: bytes | BinaryIO) -> Iterator[bytes]:
    """The data in pieces that fit a frame."""
    if isinstance(data, bytes):
        for start in range(0, len(data), CHUNK):
            yield data[start : start + CHUNK]
        return
    while piece := data.read(CHUNK):
        yield piece


@contextlib.contextmanager
def _breaking() -> Iterator[None]:
    """What goes wrong with the stream breaks the channel; what goes wrong with a body that is read does not."""
    try:
        yield
    except TimeoutError as problem:
        raise ChannelBroken("no reply in time", late=True) from problem
    except OSError as problem:
        raise ChannelBroken(str(problem)) from problem


def _parse(payload: bytes) -> Mapping[str, Any]:
    try:
        result = json.loads(payload)
    except (ValueError, RecursionError) as problem:
        raise ChannelBroken("a result that is not JSON") from problem
    if not isinstance(result, dict):
        raise ChannelBroken("a result that is not an object")
    return result
