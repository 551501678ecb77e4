"""Messages between a piece of work and the process that started it."""

from __future__ import annotations

import os
import queue
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from gitgoodbench.clusters.hub import Hub, Seat, address_towards, read_address
from gitgoodbench.clusters.wire import CALLER, LISTENER, NONCE, Wire, WireBroken, offer
from gitgoodbench.errors import UserError

NEWS_S = 30


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.close()


def joined(seat: Seat) -> Wire:
    kind, wire = seat.news.get(timeout=NEWS_S)
    assert kind == "joined"
    assert isinstance(wire, Wire)
    return wire


def connect(seat: Seat, key: bytes | None = None) -> Wire:
    return offer(seat.ticket.address, seat.ticket.name, key or seat.ticket.key, NEWS_S)


def test_messages_arrive_whole_and_in_order_both_ways(hub: Hub) -> None:
    seat = hub.seat()
    there = connect(seat)
    here = joined(seat)
    for number in range(100):
        there.send((number, b"x" * number * 50))
        here.send(number)
    assert [here.receive() for _ in range(100)] == [(number, b"x" * number * 50) for number in range(100)]
    assert [there.receive() for _ in range(100)] == list(range(100))
    there.close()
    with pytest.raises(WireBroken, match="the other end is gone"):
        here.receive()
    here.close()


def test_who_has_not_the_key_is_turned_away_and_the_seat_stays_free(hub: Hub) -> None:
    seat = hub.seat()
    with pytest.raises(WireBroken, match="is not the process that sent this work"):
        connect(seat, os.urandom(NONCE))
    connect(seat).close()
    joined(seat).close()


def test_a_ticket_is_good_for_one_connection(hub: Hub) -> None:
    seat = hub.seat()
    first = connect(seat)
    joined(seat)
    with pytest.raises(WireBroken):
        connect(seat)
    first.close()
    gone = hub.seat()
    hub.leave(gone)
    with pytest.raises(WireBroken):
        connect(gone)
    with pytest.raises(queue.Empty):
        gone.news.get_nowait()


def test_a_ticket_does_not_show_its_key(hub: Hub) -> None:
    ticket = hub.seat().ticket
    assert repr(ticket.key) not in repr(ticket)
    assert repr(replace(ticket, key=b"other")) == repr(ticket)


@pytest.mark.parametrize("spoil", ["flipped", "repeated", "turned round"])
def test_a_message_that_somebody_changed_on_its_way_is_not_read(spoil: str) -> None:
    key = os.urandom(NONCE)
    here, near = socket.create_connection, socket.create_server(("127.0.0.1", 0))
    near.settimeout(NEWS_S)
    sender = here(near.getsockname())
    tapped, _ = near.accept()
    receiver = here(near.getsockname())
    injected, _ = near.accept()
    Wire(sender, key, LISTENER if spoil == "turned round" else CALLER).send("pay 1 dollar")
    data = tapped.recv(4096)
    if spoil == "flipped":
        data = data[:-8] + bytes([data[-8] ^ 1]) + data[-7:]
    injected.sendall(data * 2)
    wire = Wire(receiver, key, LISTENER)
    if spoil == "repeated":
        assert wire.receive() == "pay 1 dollar"
    with pytest.raises(WireBroken, match="did not write"):
        wire.receive()
    for each in (sender, tapped, receiver, injected, near):
        each.close()


def test_nobody_at_the_address_is_said_with_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(WireBroken, match=rf"127\.0\.0\.1:{port} cannot be reached"):
        offer(("127.0.0.1", port), b"n" * NONCE, b"k" * NONCE, 5)


def test_closing_wakes_who_waits(hub: Hub) -> None:
    seat = hub.seat()
    there = connect(seat)
    here = joined(seat)
    woken = threading.Event()

    def wait() -> None:
        with pytest.raises(WireBroken):
            here.receive()
        woken.set()

    thread = threading.Thread(target=wait)
    thread.start()
    here.close()
    thread.join(NEWS_S)
    assert woken.is_set()
    there.close()


@pytest.mark.parametrize(
    ("text", "read"),
    [("10.0.0.1", ("10.0.0.1", 0)), ("driver:7000", ("driver", 7000)), ("[fd00::1]:70", ("fd00::1", 70))],
)
def test_addresses_of_the_driver_are_read(text: str, read: tuple[str, int]) -> None:
    assert read_address(text) == read


@pytest.mark.parametrize("text", [":80", "host:port", "host:70000"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="--driver-address"):
        read_address(text)


def test_the_address_towards_this_machine_is_its_own() -> None:
    assert address_towards("127.0.0.1", 80) == "127.0.0.1"
