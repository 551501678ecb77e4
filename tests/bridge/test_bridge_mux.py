"""Connections through a real relay: bytes both ways, slow and rude clients, and an end of either side."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable

import pytest

from gitgoodbench.bridge.connection import Connection
from gitgoodbench.bridge.frames import CHUNK, CREDIT, DATA, LISTENING, NUMBER, OPEN, STREAMS, WINDOW, pack
from gitgoodbench.bridge.mux import Mux
from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.sandbox.local import SocketStream
from tests.support.relays import connected, everything, relay_process, relayed


def echo(connection: Connection) -> None:
    while data := connection.recv(CHUNK):
        connection.sendall(data)


def _until(true: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_bytes_come_back_as_they_went() -> None:
    sent = random.Random(1).randbytes(8 * WINDOW + 12345)
    with relayed(echo) as mux, connected(mux) as client:

        def send() -> None:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        received = everything(client)
        sender.join()

        assert hashlib.sha256(received).digest() == hashlib.sha256(sent).digest()
        _until(lambda: not mux._connections)


def test_a_client_that_never_reads_and_one_that_never_sends_hold_up_nobody() -> None:
    def flood(connection: Connection) -> None:
        if connection.recv(1) == b"f":
            while True:
                connection.sendall(bytes(CHUNK))
        echo(connection)

    with relayed(flood) as mux:
        with connected(mux) as deaf, connected(mux), connected(mux) as brisk:
            deaf.sendall(b"f")
            brisk.sendall(b"-hello")
            brisk.shutdown(socket.SHUT_WR)
            assert everything(brisk) == b"hello"
        _until(lambda: not mux._connections)


def test_more_connections_than_allowed_wait_for_their_turn() -> None:
    with relayed(echo) as mux:
        idle = [connected(mux) for _ in range(STREAMS)]
        _until(lambda: len(mux._connections) == STREAMS)
        with connected(mux) as late:
            late.sendall(b"x")
            late.settimeout(0.2)
            with pytest.raises(TimeoutError):
                late.recv(1)
            late.settimeout(20)
            idle.pop().close()
            assert late.recv(1) == b"x"
        for client in idle:
            client.close()
        _until(lambda: not mux._connections)
        assert mux.opened == STREAMS + 1


def test_a_client_that_hangs_up_is_gone_for_its_handler() -> None:
    heard: list[type[BaseException]] = []

    def until_it_fails(connection: Connection) -> None:
        try:
            while True:
                connection.sendall(b"tick")
                time.sleep(0.01)
        except OSError as problem:
            heard.append(type(problem))
            assert connection.gone

    with relayed(until_it_fails) as mux:
        client = connected(mux)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.recv(4)
        client.close()
        _until(lambda: bool(heard))
        assert heard == [BrokenPipeError]


def test_a_client_reads_why_it_was_turned_away_while_it_still_sends() -> None:
    def refuse(connection: Connection) -> None:
        connection.sendall(b"too much")

    with relayed(refuse) as mux, connected(mux) as client:
        client.sendall(bytes(WINDOW + CHUNK))
        assert everything(client) == b"too much"


def test_a_client_that_sends_for_ever_after_the_end_is_cut_off() -> None:
    with relayed(lambda _: None) as mux, connected(mux) as client:
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            client.sendall(bytes(64 * WINDOW))
        _until(lambda: not mux._connections)


def test_the_end_of_the_harness_ends_the_relay() -> None:
    with relay_process() as (stream, process):
        mux = Mux(stream, echo)
        client = connected(mux)
        begun = time.monotonic()
        mux.close()
        assert process.wait(5) == 0
        assert time.monotonic() - begun < 1
        with client, contextlib.suppress(ConnectionResetError):
            assert client.recv(1) == b""
        with pytest.raises(ConnectionRefusedError):
            connected(mux)


def test_a_relay_that_dies_is_told_once_and_its_connections_end() -> None:
    told: list[str] = []
    ended = threading.Event()

    def wait(connection: Connection) -> None:
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
        ended.set()

    with relay_process() as (stream, process), Mux(stream, wait, told.append) as mux:
        with connected(mux):
            _until(lambda: mux.opened == 1)
            os.kill(process.pid, signal.SIGKILL)
            assert mux.ended.wait(5)
            assert ended.wait(5)
        _until(lambda: bool(told))
    assert told == ["the relay in the sandbox is gone"]


def test_signals_do_not_stop_a_relay() -> None:
    with relay_process() as (stream, process), Mux(stream, echo) as mux, connected(mux) as client:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            os.kill(process.pid, number)
        client.sendall(b"still")
        assert client.recv(5) == b"still"


_HELLO = pack(LISTENING, 0, NUMBER.pack(1))


@pytest.mark.parametrize(
    "said",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(300),
        pack(LISTENING, 0, NUMBER.pack(2)),
        pack(OPEN, 2),
        pack(OPEN, 1) + pack(OPEN, 1),
        pack(DATA, 1, b"x"),
        pack(OPEN, 1) + pack(CREDIT, 1, NUMBER.pack(1)),
        pack(OPEN, 1) + pack(CREDIT, 1, NUMBER.pack(2**32 - 1)),
        b"".join(pack(OPEN, number) for number in range(1, STREAMS + 2)),
        pack(OPEN, 1) + pack(DATA, 1, bytes(CHUNK)) * (WINDOW // CHUNK + 1),
    ],
)
def test_a_forged_relay_breaks_the_bridge_and_nothing_else(said: bytes) -> None:
    near, far = socket.socketpair()
    told: list[str] = []
    never = threading.Event()

    def wait(_: Connection) -> None:
        never.wait(20)

    with far:
        far.sendall(_HELLO)
        mux = Mux(SocketStream(near), wait, told.append)
        far.sendall(said)
        assert mux.ended.wait(5)
        _until(lambda: bool(told))
        never.set()
        mux.close()
    assert mux.problem == told[0] != "the relay in the sandbox is gone"


@pytest.mark.parametrize("said", [b"", pack(OPEN, 1), b"Traceback (most recent call last):\n" * 9])
def test_what_is_no_relay_is_said(said: bytes) -> None:
    near, far = socket.socketpair()
    far.sendall(said)
    far.close()
    with pytest.raises(InfrastructureFailed, match="no relay in the sandbox"):
        Mux(SocketStream(near), echo)
