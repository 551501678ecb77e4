"""Requests to one address over kept connections, on the calling thread, each bounded by one deadline.

An SDK's client costs a millisecond a request, and a deadline around it a thread, whose changes cost more on a busy
machine. Here every send and receive gets the time that is left, so a server that trickles is cut off in time, too.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import select
import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self, cast
from urllib.parse import urlsplit

_CONNECT_S: Final = 30.0
_IDLE: Final = 32
"""Connections that are kept while nothing is asked over them."""

_PIECE: Final = 64 * 1024


@dataclass(frozen=True)
class Answered:
    """The head of a reply. pieces: its body, as it arrives."""

    status: int
    headers: http.client.HTTPMessage
    pieces: Iterator[bytes]


class Wire:
    """For any thread. url: where the paths of what is asked begin. headers: of every request."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port
        self._path = parts.path
        self._tls = _tls() if parts.scheme == "https" else None
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []

    @classmethod
    def to(cls, url: str, headers: Mapping[str, str]) -> Self | None:
        """A wire to an address; None where a proxy stands before it."""
        parts = urlsplit(url)
        proxies = urllib.request.getproxies()
        proxied = parts.scheme in proxies or "all" in proxies
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        if proxied and not urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
            return None
        return cls(url, headers)

    @contextlib.contextmanager
    def post(
        self, path: str, data: bytes, headers: Mapping[str, str], seconds: float, meanwhile: Callable[[], None]
    ) -> Iterator[Answered]:
        """Send a request; the connection is kept where the body is read to its end.

        Args:
            seconds: for everything, to the last byte.
            meanwhile: done once it is sent, before the reply is waited for.

        Raises:
            ConnectionRefusedError, socket.gaierror: nothing was sent.
            OSError, http.client.HTTPException: no reply, or half of one; TimeoutError: the time is up.
        """
        deadline = time.monotonic() + seconds
        connection = self._connection(deadline)
        kept = False
        try:
            connection.request("POST", self._path + path, data, {**self._headers, **headers})
            meanwhile()
            response = connection.getresponse()
            yield Answered(response.status, response.msg, _pieces(response))
            kept = not response.will_close and (response.isclosed() or response.length == 0)
            response.close()
        finally:
            if kept:
                self._keep(connection)
            else:
                connection.close()

    def _connection(self, deadline: float) -> _Connection:
        """One that is open, or a new one."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                break
            if connection.is_quiet():
                connection.until(deadline)
                return connection
            connection.close()
        connection = _Connection(self._host, self._port or (443 if self._tls else 80))
        connection.open(deadline, self._tls)
        return connection

    def _keep(self, connection: _Connection) -> None:
        with self._lock:
            if len(self._idle) < _IDLE:
                self._idle.append(connection)
                return
        connection.close()


class _Connection(http.client.HTTPConnection):
    """A connection whose socket is made here, and bounded."""

    def open(self, deadline: float, tls: ssl.SSLContext | None) -> None:
        plain = socket.create_connection((self.host, self.port), min(_CONNECT_S, _left(deadline)))
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.settimeout(_left(deadline))
            self._bounded = _Bounded(tls.wrap_socket(plain, server_hostname=self.host) if tls else plain, deadline)
        except BaseException:
            plain.close()
            raise
        self.sock = cast(Any, self._bounded)

    def connect(self) -> None:
        """Never again by itself: a request is sent once."""
        raise http.client.NotConnected

    def until(self, deadline: float) -> None:
        self._bounded.deadline = deadline

    def is_quiet(self) -> bool:
        """Whether it still stands: one that the server has closed can be read."""
        return not select.select([self._bounded], [], [], 0)[0]


class _Bounded(io.RawIOBase):
    """A socket that is read and written until a deadline."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self._socket = connected
        self.deadline = deadline

    def fileno(self) -> int:
        return self._socket.fileno()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._socket.settimeout(_left(self.deadline))
        return self._socket.recv_into(buffer)

    def sendall(self, data: bytes) -> None:
        self._socket.settimeout(_left(self.deadline))
        self._socket.sendall(data)

    def makefile(self, _: str) -> io.BufferedReader:
        """For one reply: what it reads ahead is of nothing else, since nothing is asked before it has ended."""
        return io.BufferedReader(_Unclosed(self), _PIECE)

    def close(self) -> None:
        super().close()
        self._socket.close()


class _Unclosed(io.RawIOBase):
    """Reads a socket, and leaves it open."""

    def __init__(self, bounded: _Bounded) -> None:
        self._bounded = bounded

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._bounded.readinto(buffer)


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body as it arrives.

    Raises:
        http.client.IncompleteRead: it ends before it is whole.
    """
    while piece := response.read1(_PIECE):
        yield piece
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _tls() -> ssl.SSLContext:
    """What the system trusts, and what certifi does, as SDKs have it."""
    context = ssl.create_default_context()
    with contextlib.suppress(ImportError):
        import certifi

        context.load_verify_locations(certifi.where())
    return context
