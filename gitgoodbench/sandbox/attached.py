"""The streams of a container's first process, or of another one in it, over Docker's socket."""

from __future__ import annotations

import contextlib
import socket
import struct
from typing import Any, Final

_MULTIPLEX: Final = struct.Struct(">BxxxI")
_STDERR: Final = 2


class AttachedStream:
    """Standard input and output of a container over Docker's socket, which multiplexes output and standard error."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._socket = getattr(handle, "_sock", handle)
        self._buffer = bytearray()
        self._left = 0
        self._kind = 0
        self.errors = b""

    def settimeout(self, seconds: float | None, /) -> None:
        self._socket.settimeout(seconds)

    def sendall(self, data: bytes, /) -> None:
        self._socket.sendall(data)

    def recv(self, size: int, /) -> bytes:
        while True:
            if self._left == 0 and len(self._buffer) >= _MULTIPLEX.size:
                self._kind, self._left = _MULTIPLEX.unpack_from(self._buffer)
                del self._buffer[: _MULTIPLEX.size]
                continue
            if self._left and self._buffer:
                data = bytes(self._buffer[: min(size, self._left)])
                del self._buffer[: len(data)]
                self._left -= len(data)
                if self._kind != _STDERR:
                    return data
                self.errors = (self.errors + data)[:1000]
                continue
            received = self._socket.recv(64 * 1024)
            if not received:
                return b""
            self._buffer += received

    def shutdown(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._handle.close()
        if self._socket is not self._handle:
            self._socket.close()
