"""Requests on the calling thread: kept connections, and deadlines that no server can stretch."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from gitgoodbench.models.endpoint import Endpoint, NoAnswerInTime, Reply
from gitgoodbench.models.faults import ServerFault
from gitgoodbench.models.wire import Wire

Serve = Callable[[socket.socket, int], None]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"


@contextmanager
def server(serve: Serve) -> Iterator[str]:
    """A server at an address that does so with each connection, which has a number."""
    closing = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)

        def accept() -> None:
            number = 0
            while not closing.is_set():
                try:
                    accepted, _ = listener.accept()
                except TimeoutError:
                    continue
                number += 1
                threading.Thread(target=one, args=(accepted, number), daemon=True).start()

        def one(accepted: socket.socket, number: int) -> None:
            with accepted:
                try:
                    serve(accepted, number)
                except OSError:
                    return

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            closing.set()
            thread.join()


def heard(connection: socket.socket) -> bytes:
    """One request with a short body; nothing at the end."""
    data = b""
    while not data.endswith(b"}"):
        piece = connection.recv(65536)
        if not piece:
            return b""
        data += piece
    return data


def ask(endpoint: Endpoint, seconds: float = 20.0, done: Callable[[], None] = lambda: None) -> Reply:
    return endpoint.pass_on({"model": "m"}, seconds, headers={}, hear=lambda *_: None, meanwhile=done)


@pytest.mark.parametrize("reply", [OK, CHUNKED])
def test_a_connection_is_kept(reply: bytes) -> None:
    numbers: list[int] = []

    def serve(connection: socket.socket, number: int) -> None:
        while heard(connection):
            numbers.append(number)
            connection.sendall(reply)

    with server(serve) as url:
        endpoint = Endpoint("chat", url, "none")
        assert [ask(endpoint).body for _ in range(3)] == [b"{}"] * 3
    assert numbers == [1, 1, 1]


def test_a_connection_that_the_server_has_closed_is_not_used() -> None:
    ended = threading.Semaphore(0)

    def serve(connection: socket.socket, _: int) -> None:
        heard(connection)
        connection.sendall(OK)
        connection.shutdown(socket.SHUT_RDWR)
        ended.release()

    with server(serve) as url:
        endpoint = Endpoint("chat", url, "none")
        for _ in range(3):
            assert ask(endpoint).body == b"{}"
            assert ended.acquire(timeout=20)


@pytest.mark.parametrize("dripped", [b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1000, OK[:-2] + b" " * 1000])
def test_a_server_that_trickles_is_cut_off_in_time(dripped: bytes) -> None:
    stop = threading.Event()

    def serve(connection: socket.socket, _: int) -> None:
        heard(connection)
        for byte in dripped.replace(b"Length: 2", b"Length: 2000"):
            connection.sendall(bytes([byte]))
            if stop.wait(0.01):
                return

    with server(serve) as url:
        with pytest.raises(NoAnswerInTime, match=r"no answer within 0\.3 s"):
            ask(Endpoint("chat", url, "none"), 0.3)
        stop.set()


@pytest.mark.parametrize("half", [b"", OK[:30], OK[:-1], CHUNKED[:-9]])
def test_half_a_reply_is_a_fault_of_the_server(half: bytes) -> None:
    def serve(connection: socket.socket, _: int) -> None:
        heard(connection)
        connection.sendall(half)

    with server(serve) as url, pytest.raises(ServerFault, match="the connection failed") as failed:
        ask(Endpoint("chat", url, "none"))
    assert failed.value.connected


def test_a_server_that_is_not_there_has_not_got_the_request() -> None:
    with server(lambda *_: None) as url:
        pass
    with pytest.raises(ServerFault, match="the connection failed") as failed:
        ask(Endpoint("chat", url, "none"))
    assert not failed.value.connected


def test_what_is_done_meanwhile_is_done_before_the_reply() -> None:
    done = threading.Event()

    def serve(connection: socket.socket, _: int) -> None:
        heard(connection)
        if done.wait(20):
            connection.sendall(OK)

    with server(serve) as url:
        assert ask(Endpoint("chat", url, "none"), done=done.set).status == 200


def test_an_address_that_has_moved_is_followed() -> None:
    def serve(connection: socket.socket, _: int) -> None:
        while request := heard(connection):
            moved = request.startswith(b"POST /v1/chat")
            connection.sendall(
                b"HTTP/1.1 307 Moved\r\nLocation: /v2/chat\r\nContent-Length: 0\r\n\r\n" if moved else OK
            )

    with server(serve) as url:
        assert ask(Endpoint("chat", url, "none")).body == b"{}"


def test_a_reply_that_is_packed_is_refused() -> None:
    def serve(connection: socket.socket, _: int) -> None:
        heard(connection)
        connection.sendall(OK.replace(b"\r\n\r\n", b"\r\nContent-Encoding: br\r\n\r\n"))

    with server(serve) as url, pytest.raises(ServerFault, match="packed as br"):
        ask(Endpoint("chat", url, "none"))


def test_where_a_proxy_stands_in_the_way_the_sdk_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "localhost,10.0.0.1")
    assert Wire.to("http://10.0.0.1/v1", {}) is not None
    assert Wire.to("http://10.0.0.2/v1", {}) is None
    assert Wire.to("https://10.0.0.2/v1", {}) is not None
    assert Wire.to("unix:/run/x", {}) is None


def test_a_request_is_sent_once() -> None:
    """http.client would open a connection anew where one is closed between two sends."""
    with server(lambda *_: None) as url:
        wire = Wire.to(url, {})
        assert wire is not None
        with pytest.raises((OSError, http.client.HTTPException)), wire.post("/x", b"{}", {}, 20.0, lambda: None):
            pass
