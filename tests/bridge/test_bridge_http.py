"""What is no request of a known kind is turned away, said, and never hurts the harness or the next request."""

from __future__ import annotations

import gzip
import json
import random
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gitgoodbench.bridge.frames import STREAMS
from gitgoodbench.bridge.handler import BODY_LIMIT
from tests.support.bridge_clients import PATHS, Bridged, answer, bridge_to, question

POST = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
BODY = json.dumps(question("chat")).encode()


@pytest.fixture
def bridge() -> Iterator[Bridged]:
    """It answers whatever is asked, and must do so when the test is over."""
    with bridge_to(lambda _: answer("chat")) as bridge:
        yield bridge
        assert bridge.post("chat", question("chat"))[0] == 200
        assert bridge.endpoint.ending is None


def _status(reply: bytes) -> int:
    return int(reply.split(b" ", 2)[1])


@pytest.mark.parametrize(
    ("request_line", "status", "report"),
    [
        ("CONNECT api.openai.com:443", 403, "CONNECT api.openai.com:443: there is no way out"),
        ("GET http://169.254.169.254/latest/meta-data", 404, "GET http://169.254.169.254/latest/meta-data: not served"),
        ("POST http://api.openai.com/v1/chat/completions", 404, "POST http://api.openai.com/v1/chat/completions: not"),
        ("GET /v1/models/gpt-9", 404, "GET /v1/models/gpt-9: not served"),
        ("POST /v1/files", 404, "POST /v1/files: not served"),
        ("POST /v1/../../admin", 404, "POST /v1/../../admin: not served"),
        ("DELETE /v1/models", 501, "DELETE /v1/models: not served"),
        ("HEAD /v1/files", 404, "HEAD /v1/files: not served"),
    ],
)
def test_other_addresses_lead_nowhere_and_are_reported(
    bridge: Bridged, request_line: str, status: int, report: str
) -> None:
    reply = bridge.raw(f"{request_line} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    assert _status(reply) == status
    assert [words for words in bridge.endpoint.reports if words.startswith(report)]
    assert bridge.server.requests == []


@pytest.mark.parametrize(
    "asked", ["GET /", "HEAD /", "POST /api/event_logging/batch", "POST /v1/messages/count_tokens"]
)
def test_what_every_agent_asks_by_the_way_is_turned_away_without_a_word(bridge: Bridged, asked: str) -> None:
    assert _status(bridge.raw(f"{asked} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".encode())) == 404
    assert bridge.endpoint.reports == {}
    assert bridge.server.requests == []


def test_an_api_without_a_provider_is_not_served() -> None:
    with bridge_to([], apis=("chat",)) as bridge:
        assert bridge.post("anthropic", question("anthropic"))[0] == 404


def test_the_models_are_listed(bridge: Bridged) -> None:
    connection = bridge.connect()
    connection.request("GET", "/v1/models?beta=true")
    listed = json.loads(connection.getresponse().read())
    connection.request("HEAD", "/v1/models")
    head = connection.getresponse()
    assert (head.status, head.read()) == (200, b"")
    connection.request("GET", "/v1/models/scripted")
    assert json.loads(connection.getresponse().read())["id"] == "scripted"
    connection.close()
    assert [entry["id"] for entry in listed["data"]] == ["scripted"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (POST + b"\r\n", 411),
        (POST + b"Content-Length: -5\r\n\r\n", 400),
        (POST + b"Content-Length: +5\r\n\r\n", 400),
        (POST + b"Content-Length: 1_0\r\n\r\n", 400),
        (POST + b"Content-Length: " + "²".encode("latin-1") + b"\r\n\r\n", 400),
        (POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
        (POST + b"Content-Length: 99999999999\r\n\r\n", 413),
        (POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", 413),
        (POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400),
        (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n", 400),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
        (POST + b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\n", 413),
        (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (POST + b"Content-Length: 1\r\n\r\n{", 400),
        (POST + b"Content-Length: 5\r\n\r\n[1,2]", 400),
        (POST + b"Content-Length: 9\r\n\r\n{\"a\":NaN}", 400),
        (POST + b"Content-Length: 4\r\n\r\n\xff\xfe\xff\xfe", 400),
        (POST + b"Content-Length: 200000\r\n\r\n" + b"[" * 200000, 400),
        (POST + b"Content-Length: 3\r\nContent-Encoding: gzip\r\n\r\nabc", 400),
        (POST + b"Content-Length: 3\r\nContent-Encoding: zstd\r\n\r\nabc", 415),
        (b"GET / HTTP/9.9\r\n\r\n", 505),
        (b"GET  /\r\n\r\n\r\n", 404),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + random.Random(1).randbytes(300) + b"\n", 400),
        (b"A" * 100_000, 414),
        (POST + b"".join(b"X-%d: y\r\n" % number for number in range(200)) + b"\r\n", 431),
        (POST + b"X: " + b"y" * 70_000 + b"\r\n\r\n", 431),
    ],
)  # fmt: skip
def test_what_is_no_request_is_turned_away(bridge: Bridged, sent: bytes, status: int) -> None:
    assert _status(bridge.raw(sent)) == status
    assert bridge.server.requests == []


def test_a_bomb_is_not_unpacked(bridge: Bridged) -> None:
    bomb = gzip.compress(bytes(BODY_LIMIT + 1))
    reply = bridge.raw(POST + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb) + bomb)
    assert _status(reply) == 413


@pytest.mark.parametrize(
    "sent",
    [
        b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY),
        b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(gzip.compress(BODY)), gzip.compress(BODY)),
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n%b\r\n%x;ext=1\r\n%b\r\n0\r\nTrailer: x\r\n\r\n"
        % (BODY[:5], len(BODY) - 5, BODY[5:]),
        b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY),
    ],
)
def test_a_body_may_come_in_each_usual_form(bridge: Bridged, sent: bytes) -> None:
    reply = bridge.raw(POST + sent)
    assert b"HTTP/1.1 200 OK\r\n" in reply
    assert bridge.server.requests[0].body == {**question("chat"), "model": "scripted"}


def test_half_a_request_asks_nobody(bridge: Bridged) -> None:
    assert bridge.raw(POST + b"Content-Length: 500\r\n\r\n{") == b""
    assert bridge.raw(POST + b"Transfer-Encoding: chunked\r\n\r\n50\r\n{") == b""
    assert bridge.endpoint.reports == {"POST /v1/chat/completions: cut off in the middle": 2}
    assert bridge.server.requests == []


def test_an_old_client_gets_a_stream_without_chunks(bridge: Bridged) -> None:
    bridge.server._script = [answer("chat", streamed=True), answer("chat")]
    body = json.dumps(question("chat", streamed=True, stream_options={"include_usage": True})).encode()
    reply = bridge.raw(b"POST /v1/chat/completions HTTP/1.0\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
    assert reply.partition(b"\r\n\r\n")[2] == answer("chat", streamed=True).body


def test_fields_that_break_json_elsewhere_do_not_break_a_request(bridge: Bridged) -> None:
    odd: Any = question("chat", "lone \ud800 surrogate \0")
    assert bridge.post("chat", json.dumps(odd).encode())[0] == 200
    assert bridge.server.requests[0].body["messages"][1]["content"] == "lone \\ud800 surrogate \\x00"


@pytest.mark.parametrize(
    ("depth", "statuses"),
    [(50, {200}), *((depth, {200, 400}) for depth in (150, 240, 320, 480, 900)), (20_000, {400})],
)
def test_deep_nesting_hurts_nobody(bridge: Bridged, depth: int, statuses: set[int]) -> None:
    body = b'{"messages":[' + b'{"content":[' * depth + b"]}" * depth + b"]}"
    status, _ = bridge.post("chat", body)
    assert status in statuses


def test_reports_are_bounded(bridge: Bridged) -> None:
    connection = bridge.connect()
    for number in range(300):
        connection.request("GET", f"/{number}")
        connection.getresponse().read()
    connection.close()
    assert len(bridge.endpoint.reports) == 201
    assert bridge.endpoint.reports["further ones"] == 100


def test_many_idle_connections_hold_up_only_their_own_sandbox(bridge: Bridged) -> None:
    idle = [socket.create_connection(("127.0.0.1", bridge.port)) for _ in range(60)]
    for client in idle:
        client.sendall(b"POST " + PATHS["chat"].encode())
    assert bridge.post("chat", question("chat"))[0] == 200
    for client in idle:
        client.close()


def test_as_many_connections_as_there_can_be_are_told(bridge: Bridged) -> None:
    words = f"{STREAMS} connections at once: more have to wait"
    idle = [socket.create_connection(("127.0.0.1", bridge.port)) for _ in range(STREAMS)]
    while words not in bridge.endpoint.reports:
        time.sleep(0.01)
    for client in idle:
        client.close()
