"""The harness's end of a relay: every connection of a client in the sandbox is served by a thread here.

Whatever arrives is checked and bounded, though commands cannot reach the relay: a frame that breaks the rules ends the
bridge, not the harness.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from gitgoodbench.bridge.connection import Connection
from gitgoodbench.bridge.frames import (
    CREDIT,
    DATA,
    END,
    LISTENING,
    NUMBER,
    OPEN,
    RESET,
    STREAMS,
    BadFrame,
    Frames,
    pack,
)
from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.sandbox.channel import ByteStream

if TYPE_CHECKING:
    from gitgoodbench.bridge.frames import Frame

_START_S: Final = 30.0
_PIECE: Final = 256 * 1024
_END_S: Final = 5.0

Serve = Callable[[Connection], None]


class Mux:
    """Serves the connections that a relay carries, until it is closed or the relay is gone.

    serve: called in a thread for each connection, which is closed when it returns. What clients do to their connection
        comes as OSError, and ends nothing but that.
    lost: called once if the relay goes before `close`, with why.

    Raises:
        InfrastructureFailed: no relay answers.
    """

    def __init__(self, stream: ByteStream, serve: Serve, lost: Callable[[str], None] = lambda _: None) -> None:
        self._stream, self._serve, self._lost = stream, serve, lost
        self._sending = threading.Lock()
        self._connections: dict[int, Connection] = {}
        self._last = 0
        self._frames = Frames()
        self._closed = False
        self.ended = threading.Event()
        self.problem: str | None = None
        early = self._start()
        self._thread = threading.Thread(target=self._carry, args=(early,), name="bridge", daemon=True)
        self._thread.start()

    @property
    def opened(self) -> int:
        """How many connections there were."""
        return self._last

    def close(self) -> None:
        """End the relay and every connection. May be called twice."""
        self._closed = True
        self._stream.shutdown()
        self.ended.wait(_END_S)
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> list[Frame]:
        """Wait for the first frame, which says where the relay listens; frames that came with it."""
        try:
            self._stream.settimeout(_START_S)
            frames: list[Frame] = []
            while not frames:
                frames += self._frames.feed(self._receive())
            kind, _, payload = frames[0]
            if kind != LISTENING:
                raise BadFrame(f"{kind!r} comes first")
            self.port = NUMBER.unpack(payload)[0]
            self._stream.settimeout(None)
        except (OSError, BadFrame) as problem:
            self._stream.shutdown()
            self._stream.close()
            said = getattr(self._stream, "errors", b"")[-300:].decode("utf-8", "replace").strip()
            raise InfrastructureFailed(f"no relay in the sandbox: {said or problem}") from problem
        return frames[1:]

    def _receive(self) -> bytes:
        data = self._stream.recv(_PIECE)
        if not data:
            raise ConnectionResetError("the relay in the sandbox is gone")
        return data

    def _carry(self, early: list[Frame]) -> None:
        try:
            for frame in self._arriving(early):
                self._take(*frame)
        except (OSError, BadFrame) as problem:
            self.problem = str(problem)
        finally:
            for connection in list(self._connections.values()):
                connection.reset()
            self.ended.set()
        if not self._closed:
            self._stream.shutdown()
            self._lost(self.problem or "")

    def _arriving(self, early: list[Frame]) -> Iterator[Frame]:
        yield from early
        while True:
            yield from self._frames.feed(self._receive())

    def _take(self, kind: bytes, number: int, payload: bytes) -> None:
        if kind == OPEN:
            self._open(number)
            return
        if kind == LISTENING or number > self._last:
            raise BadFrame(f"{kind!r} of connection {number}")
        connection = self._connections.get(number)
        if connection is None:  # of one that has ended here
            return
        if kind == DATA:
            connection.put(payload)
        elif kind == CREDIT:
            connection.credit(NUMBER.unpack(payload)[0])
        elif kind == END:
            connection.end()
        elif kind == RESET:
            connection.reset()

    def _open(self, number: int) -> None:
        if number != self._last + 1 or len(self._connections) >= STREAMS:
            raise BadFrame(f"connection {number} after {self._last}, with {len(self._connections)} open")
        self._last = number
        connection = Connection(number, self._send, self._forget)
        self._connections[number] = connection
        threading.Thread(target=self._attend, args=(connection,), name=f"bridge-{number}", daemon=True).start()

    def _attend(self, connection: Connection) -> None:
        try:
            with contextlib.suppress(OSError):
                self._serve(connection)
        finally:
            connection.close()

    def _forget(self, number: int) -> None:
        self._connections.pop(number, None)

    def _send(self, kind: bytes, number: int, payload: bytes | memoryview = b"") -> None:
        with self._sending:
            self._stream.sendall(pack(kind, number, payload))
