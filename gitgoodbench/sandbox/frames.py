"""The frames between the harness and a supervisor; both ends use this module.

A frame is one byte of kind, four of length (big endian) and the payload. A request is one REQUEST frame (JSON whose
strings are bytes as latin-1), DATA frames and END. The reply is OUT, ERR and DATA frames and one RESULT (JSON).
Requests never overlap. ABORT may come at any moment: the request ends, with its reply; between two it says nothing.

Travels into the sandbox as source text: Python >= 3.9, standard library.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:  # the sandbox's Python has no need of them, and half a megabyte
    from collections.abc import Iterator

REQUEST, DATA, END, ABORT, OUT, ERR, RESULT = (bytes([kind]) for kind in b"QDEAOXR")
FRAME = struct.Struct(">cI")
CHUNK = 256 * 1024
"""Bytes that the payload of a DATA, OUT or ERR frame may have."""


class Aborted(Exception):
    """The request is to end."""


class Link:
    """The supervisor's end: two descriptors. Nothing is read ahead; small replies leave in one write."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink
        self._pending = bytearray()

    def read(self) -> tuple[bytes, bytes]:
        """The next frame: kind and payload.

        Raises:
            EOFError: the other end is gone.
        """
        kind, length = FRAME.unpack(self._exactly(FRAME.size))
        return kind, self._exactly(length)

    def body(self) -> Iterator[bytes]:
        """The DATA payloads of a request, up to its END.

        Raises:
            Aborted: see there.
        """
        while True:
            kind, payload = self.read()
            if kind == END:
                return
            if kind == ABORT:
                raise Aborted
            yield payload

    def send(self, kind: bytes, payload: bytes) -> None:
        """Put a frame in line; it leaves with the next `flush` at the latest."""
        self._pending += FRAME.pack(kind, len(payload))
        self._pending += payload
        if len(self._pending) >= CHUNK:
            self.flush()

    def flush(self) -> None:
        """Write everything that waits."""
        write_all(self.sink, bytes(self._pending))
        self._pending.clear()

    def _exactly(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            piece = os.read(self.source, length - len(data))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)


def write_all(descriptor: int, data: bytes) -> None:
    """Write to a blocking descriptor, to the last byte."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
