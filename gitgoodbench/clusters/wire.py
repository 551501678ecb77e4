"""Messages over a socket between a piece of work and the process that started it; each end proves that it has the key.

The key of a piece of work travels with the work, over the cluster's own connections. Nonces of both ends and the key
make a key of this one connection; every message carries its HMAC, so nothing is read that another wrote, left out,
repeated or put elsewhere. Messages are authentic, not secret: who can listen on the network can read them.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import pickle
import socket
import struct
import threading
from typing import Any, Final

from gitgoodbench.errors import GitGoodBenchError

NONCE: Final = 32
_LENGTH: Final = struct.Struct(">Q")
_LARGEST: Final = 4 * 1024**3
"""Bytes of one message."""

_KEEPALIVE: Final = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
"""A machine that is gone without a word is noticed after a minute."""

CALLER: Final = b"work"
LISTENER: Final = b"hub"


class WireBroken(GitGoodBenchError):
    """The other end is gone, or is not who it should be."""


class Wire:
    """One end, from any thread: one that receives, several that send. Made by `offer` and `accept`."""

    def __init__(self, connection: socket.socket, key: bytes, own: bytes) -> None:
        self._connection = connection
        self._keys = {name: hmac.digest(key, name, "sha256") for name in (CALLER, LISTENER)}
        self._own, self._other = own, CALLER if own == LISTENER else LISTENER
        self._sent = self._received = 0
        self._sending = threading.Lock()
        keep_alive(connection)

    def send(self, message: object) -> None:
        """
        Raises:
            WireBroken: the other end is gone.
        """
        payload = pickle.dumps(message)
        with self._sending:
            code = self._code(self._own, self._sent, payload)
            self._sent += 1
            try:
                self._connection.sendall(_LENGTH.pack(len(payload)) + code)
                self._connection.sendall(payload)
            except OSError as problem:
                raise WireBroken(f"the other end is gone ({problem.strerror or problem})") from problem

    def receive(self) -> Any:
        """The next message.

        Raises:
            WireBroken: the other end is gone, or is another.
        """
        (length,) = _LENGTH.unpack(read_exactly(self._connection, _LENGTH.size))
        code = read_exactly(self._connection, hashlib.sha256().digest_size)
        if length > _LARGEST:
            raise WireBroken("a message that is too long")
        payload = read_exactly(self._connection, length)
        if not hmac.compare_digest(code, self._code(self._other, self._received, payload)):
            raise WireBroken("a message that the other end did not write")
        self._received += 1
        return pickle.loads(payload)

    def close(self) -> None:
        """End it for both sides; a thread that waits in `receive` wakes."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _code(self, whose: bytes, number: int, payload: bytes) -> bytes:
        code = hmac.new(self._keys[whose], _LENGTH.pack(number), "sha256")
        code.update(payload)
        return code.digest()


def connection_key(key: bytes, name: bytes, first: bytes, second: bytes) -> bytes:
    """The key of one connection of the piece of work `name`."""
    return hmac.digest(key, b"\0".join((b"gitgoodbench", name, first, second)), "sha256")


def offer(address: tuple[str, int], name: bytes, key: bytes, timeout_s: float) -> Wire:
    """Connect a piece of work with who started it.

    Args:
        name: of the piece of work, as long as `NONCE`.

    Raises:
        WireBroken: nobody answers there, or somebody who has not the key.
    """
    try:
        connection = socket.create_connection(address, timeout_s)
    except OSError as problem:
        where = f"{address[0]}:{address[1]}"
        raise WireBroken(f"{where} cannot be reached ({problem.strerror or problem})") from problem
    own = os.urandom(NONCE)
    try:
        connection.sendall(name + own)
        other = read_exactly(connection, NONCE)
        proof = read_exactly(connection, NONCE)
        shared = connection_key(key, name, own, other)
        if not hmac.compare_digest(proof, hmac.digest(shared, LISTENER, "sha256")):
            raise WireBroken(f"{address[0]}:{address[1]} is not the process that sent this work")
        connection.sendall(hmac.digest(shared, CALLER, "sha256"))
        connection.settimeout(None)
    except BaseException as problem:
        connection.close()
        if isinstance(problem, OSError):
            raise WireBroken(f"{address[0]}:{address[1]} does not answer") from problem
        raise
    return Wire(connection, shared, CALLER)


def read_exactly(connection: socket.socket, length: int) -> bytes:
    """So many bytes.

    Raises:
        WireBroken: the other end is gone.
    """
    data = bytearray()
    while len(data) < length:
        try:
            received = connection.recv(min(length - len(data), 1024 * 1024))
        except OSError as problem:
            raise WireBroken(f"the other end is gone ({problem.strerror or problem})") from problem
        if not received:
            raise WireBroken("the other end is gone")
        data += received
    return bytes(data)


def keep_alive(connection: socket.socket) -> None:
    """Have the system notice a machine that is gone."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for name, value in _KEEPALIVE:
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
