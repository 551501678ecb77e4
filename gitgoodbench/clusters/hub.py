"""Where pieces of work reach the process that started them: one listening socket, and a seat for each piece."""

from __future__ import annotations

import contextlib
import hmac
import os
import queue
import secrets
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from gitgoodbench.clusters.wire import CALLER, LISTENER, NONCE, Wire, WireBroken, connection_key, read_exactly
from gitgoodbench.errors import UserError

_HANDSHAKE_S: Final = 30.0


@dataclass(frozen=True)
class Ticket:
    """What a piece of work needs to reach its seat. It travels with the work and is good for one connection."""

    address: tuple[str, int]
    name: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True)
class Seat:
    """Where news of one piece of work arrive: (`joined`, `Wire`), and what the pool tells."""

    ticket: Ticket
    news: queue.SimpleQueue[tuple[str, Any]] = field(default_factory=queue.SimpleQueue)

    def tell(self, kind: str, what: Any) -> None:
        self.news.put((kind, what))


class Hub:
    """Listens until it is closed.

    Args:
        host: the address that workers use.
        port: 0 takes a free one.
        everywhere: listen on all addresses of this machine, not on `host` alone.

    Raises:
        UserError: nobody can listen there.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, *, everywhere: bool = False) -> None:
        self._seats: dict[bytes, Seat] = {}
        self._lock = threading.Lock()
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            self._listening = socket.create_server(("" if everywhere else host, port), family=family)
        except OSError as problem:
            raise UserError(f"workers cannot be listened for at {host}:{port}: {problem.strerror}") from problem
        self.address = (host, self._listening.getsockname()[1])
        threading.Thread(target=self._accept, name="hub", daemon=True).start()

    def seat(self) -> Seat:
        """A seat for one piece of work; `leave` gives it back."""
        seat = Seat(Ticket(self.address, secrets.token_bytes(NONCE), secrets.token_bytes(NONCE)))
        with self._lock:
            self._seats[seat.ticket.name] = seat
        return seat

    def leave(self, seat: Seat) -> None:
        """Whoever still comes for this seat is turned away."""
        with self._lock:
            self._seats.pop(seat.ticket.name, None)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._greet, args=(connection,), name="hub-greeting", daemon=True).start()

    def _greet(self, connection: socket.socket) -> None:
        """Let in who knows the key of a seat that waits, once."""
        try:
            connection.settimeout(_HANDSHAKE_S)
            name, other = read_exactly(connection, NONCE), read_exactly(connection, NONCE)
            with self._lock:
                seat = self._seats.get(name)
            if seat is None:
                raise WireBroken("nobody waits for it")
            own = os.urandom(NONCE)
            shared = connection_key(seat.ticket.key, name, other, own)
            connection.sendall(own + hmac.digest(shared, LISTENER, "sha256"))
            if not hmac.compare_digest(read_exactly(connection, NONCE), hmac.digest(shared, CALLER, "sha256")):
                raise WireBroken("it has not the key")
            with self._lock:
                if self._seats.pop(name, None) is not seat:
                    raise WireBroken("nobody waits for it any more")
            connection.settimeout(None)
        except (OSError, WireBroken):
            connection.close()
            return
        seat.tell("joined", Wire(connection, shared, LISTENER))


def address_towards(host: str, port: int) -> str:
    """The address of this machine from which it would send to `host`; nothing is sent."""
    with contextlib.suppress(OSError):
        family = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0][0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((host, port))
            return str(probe.getsockname()[0])
    return socket.gethostname()


def read_address(text: str) -> tuple[str, int]:
    """`HOST` or `HOST:PORT`; the port is 0 where none is given.

    Raises:
        UserError: it is neither.
    """
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, "0"
    if not host or not port.isdecimal() or int(port) > 65535:
        raise UserError(f"--driver-address {text}: write HOST or HOST:PORT, as workers reach this machine")
    return host.strip("[]"), int(port)


Told = Callable[[str, Any], None]
"""Hears `done` with what a piece of work returned, or `lost` with why nothing will be returned."""
