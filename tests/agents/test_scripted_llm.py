"""The scripted server itself: what the other tests lean on."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.scripted_llm import Reply, Request, Script, ScriptedServer, calls, each_episode, fault, says


def test_a_list_is_played_in_order_and_requests_are_kept() -> None:
    with ScriptedServer([says("one"), calls("look", at="a")]) as server:
        assert _message(_post(server, "hello"))["content"] == "one"
        call = _message(_post(server, "again"))["tool_calls"][0]["function"]
        assert call == {"name": "look", "arguments": '{"at": "a"}'}
        assert [request.last for request in server.requests] == ["hello", "again"]
        assert [request.turn for request in server.requests] == [0, 0]


def test_a_script_that_is_used_up_says_so() -> None:
    with ScriptedServer([]) as server:
        status, body = _post(server, "x")
        assert status == 400
        assert body["error"]["message"] == "the script has no step 0"


def test_a_function_sees_the_request() -> None:
    def script(request: Request) -> Reply:
        return says(f"{request.path} {request.prompt} {request.turn} {request.last}")

    with ScriptedServer(script) as server:
        answered = {"role": "assistant", "content": "a"}
        assert _message(_post(server, "q", answered, {"role": "user", "content": "r"}))["content"] == (
            "/v1/chat/completions q 1 r"
        )


def test_each_episode_goes_through_the_steps_by_itself() -> None:
    answered = {"role": "assistant", "content": "a"}
    with ScriptedServer(each_episode([says("first"), says("second")])) as server:
        assert _message(_post(server, "x"))["content"] == "first"
        assert _message(_post(server, "y"))["content"] == "first"
        assert _message(_post(server, "x", answered))["content"] == "second"
        assert _post(server, "x", answered, answered)[1]["error"]["message"] == "the script has no step 2"


def test_what_a_script_raises_is_raised_at_the_end() -> None:
    def script(request: Request) -> Reply:
        raise KeyError(request.last)

    def use(broken: Script) -> None:
        with ScriptedServer(broken) as server:
            assert _post(server, "x")[0] == 400

    with pytest.raises(KeyError, match="x"):
        use(script)


def test_replies_come_with_their_status_and_headers() -> None:
    with ScriptedServer([fault.rate_limit("5")]) as server:
        connection = _connect(server)
        connection.request("POST", "/v1/chat/completions", json.dumps({"messages": []}))
        reply = connection.getresponse()
        assert (reply.status, reply.headers["Retry-After"]) == (429, "5")
        assert json.loads(reply.read())["error"]["code"] == "rate_limit_exceeded"
        connection.close()


def test_closing_the_server_ends_a_hanging_reply() -> None:
    arrived = threading.Event()

    def script(request: Request) -> Reply:
        arrived.set()
        return fault.hang() if request.raw else says("nothing was asked")

    with ScriptedServer(script) as server:
        connection = _connect(server)
        connection.request("POST", "/v1/chat/completions", json.dumps({"messages": []}))
        assert arrived.wait(10)
    assert json.loads(connection.getresponse().read())["choices"][0]["message"]["content"] == "too late"
    connection.close()


def _connect(server: ScriptedServer) -> http.client.HTTPConnection:
    parts = urlsplit(server.url)
    return http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=10)


def _post(server: ScriptedServer, text: str, *more: dict[str, Any]) -> tuple[int, Any]:
    connection = _connect(server)
    messages = [{"role": "user", "content": text}, *more]
    connection.request("POST", "/v1/chat/completions", json.dumps({"model": "m", "messages": messages}))
    reply = connection.getresponse()
    answer = reply.status, json.loads(reply.read())
    connection.close()
    return answer


def _message(answer: tuple[int, Any]) -> Any:
    assert answer[0] == 200
    return answer[1]["choices"][0]["message"]
