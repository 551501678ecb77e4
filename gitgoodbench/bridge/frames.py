"""The frames between the relay in a sandbox and the harness; both ends use this module.

A frame is one byte of kind, four with the number of a connection, four of length (big endian), and the payload.

| kind | from | payload |
|---|---|---|
| LISTENING | relay, first of all | the port |
| OPEN | relay | - : a client has connected |
| DATA | both | bytes of the connection |
| END | both | - : this side sends no more |
| RESET | both | - : the connection is gone |
| CREDIT | both | how many bytes more the other side may send |

Neither side sends more than `WINDOW` bytes of a connection that the other has not taken: so a slow connection never
holds up the others, and what either side keeps is bounded.

Travels into the sandbox as source text: Python >= 3.9, standard library.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:  # the sandbox's Python has no need of them, and half a megabyte
    from collections.abc import Iterator

    Frame = tuple[bytes, int, bytes]

LISTENING, OPEN, DATA, END, RESET, CREDIT = (bytes([kind]) for kind in b"LODFXW")
HEAD = struct.Struct(">cII")
NUMBER = struct.Struct(">I")
CHUNK = 64 * 1024
"""Bytes that the payload of a frame may have."""

WINDOW = 512 * 1024
"""Bytes of one connection, in one direction, that are under way at most."""

STREAMS = 64
"""Connections at once."""

_LENGTHS = {OPEN: (0, 0), END: (0, 0), RESET: (0, 0), LISTENING: (4, 4), CREDIT: (4, 4), DATA: (1, CHUNK)}


class BadFrame(Exception):
    """The other side breaks the rules."""


def pack(kind: bytes, number: int, payload: bytes | memoryview = b"") -> bytes:
    """A frame as it is sent."""
    return b"".join((HEAD.pack(kind, number, len(payload)), payload))


class Frames:
    """Cuts what arrives into frames. Keeps less than one frame, however it is fed."""

    def __init__(self) -> None:
        self._arrived = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are whole with this data: kind, number of the connection, payload.

        Raises:
            BadFrame: what came is none, or of a length that its kind does not have.
        """
        self._arrived += data
        start = 0
        try:
            while len(self._arrived) - start >= HEAD.size:
                kind, number, length = HEAD.unpack_from(self._arrived, start)
                least, most = _LENGTHS.get(kind, (1, 0))
                if not least <= length <= most:
                    raise BadFrame(f"no frame: {kind!r} of {length} bytes")
                end = start + HEAD.size + length
                if len(self._arrived) < end:
                    return
                payload = bytes(self._arrived[start + HEAD.size : end])
                start = end
                yield kind, number, payload
        finally:
            del self._arrived[:start]


class Window:
    """How many bytes of a connection may still go in one direction. Each side keeps one for each direction."""

    def __init__(self) -> None:
        self.left = WINDOW

    def take(self, size: int) -> None:
        """So many bytes are sent, or have arrived.

        Raises:
            BadFrame: they are more than were allowed.
        """
        if size > self.left:
            raise BadFrame(f"{size} bytes where {self.left} are allowed")
        self.left -= size

    def give(self, size: int) -> None:
        """The receiver has taken so many bytes; as many more may follow.

        Raises:
            BadFrame: so many were never under way.
        """
        if not 0 < size <= WINDOW - self.left:
            raise BadFrame(f"credit for {size} bytes, of which {WINDOW - self.left} were sent")
        self.left += size
