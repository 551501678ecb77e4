"""The model through the bridge: passed on as it is in each API, with our model and key; counted and recorded."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from gitgoodbench.models.meter import Budget
from gitgoodbench.models.recording import Exchange, Fate
from tests.support.bridge_clients import APIS, KEY, PATHS, answer, bridge_to, question
from tests.support.listening import Listener
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import Request, fault

BOTH = pytest.mark.parametrize("streamed", [False, True])
EACH = pytest.mark.parametrize("api", APIS)


@EACH
@BOTH
def test_a_request_is_passed_on_with_our_model_and_key_and_the_answer_as_it_comes(api: str, streamed: bool) -> None:
    books = Listener()
    more: dict[str, Any] = {"stream_options": {"include_usage": True}} if api == "chat" and streamed else {}
    with bridge_to([answer(api, streamed=streamed)], recorder=books) as bridge:
        reply = bridge.post(api, question(api, "Hi.", streamed=streamed, **more), {"Authorization": "Bearer theirs"})

        assert reply == (200, answer(api, streamed=streamed).body)
        (sent,) = bridge.server.requests
        kept = {"store": False} if api == "responses" else {}
        assert sent.body == {**question(api, "Hi.", streamed=streamed, **more), **kept, "model": "scripted"}
        assert sent.path == PATHS[api]
        assert sent.headers["authorization"] == f"Bearer {KEY}"
        assert "theirs" not in str(sent.headers)
        (told,) = books.told
        assert (told.fate, told.tokens.prompt, told.tokens.completion) == (Fate.ANSWERED, 100, 10)
        assert told.cost_usd == pytest.approx(120e-6)
        assert told.message is not None
        assert (told.message["role"], told.message["content"]) == ("assistant", "Hello.")
        assert told.request.messages == (
            {"role": "system", "content": "Be good."},
            {"role": "user", "content": "Hi."},
        )
        assert (bridge.meter.turns, bridge.meter.usage.prompt_tokens, bridge.meter.requests) == (1, 100, 1)
        bridge.endpoint.close()
        (call,) = bridge.endpoint.account.calls
        assert (call.conversation, call.api, call.streamed, call.status) == (0, api, streamed, 200)
        assert bridge.endpoint.ending is None
        assert bridge.endpoint.reports == {}


def test_a_client_that_did_not_ask_for_usage_gets_no_chunk_of_it() -> None:
    with bridge_to([answer("chat", streamed=True)]) as bridge:
        status, body = bridge.post("chat", question("chat", streamed=True))
        assert bridge.server.requests[0].body["stream_options"] == {"include_usage": True}
        assert bridge.meter.usage.prompt_tokens == 100
    assert status == 200
    assert b'"choices": []' not in body
    assert body.endswith(b"data: [DONE]\n\n")


def test_a_kept_connection_serves_one_request_after_the_other() -> None:
    with bridge_to([answer("chat", text) for text in "abc"]) as bridge:
        connection = bridge.connect()
        for text in "abc":
            connection.request("POST", PATHS["chat"], json.dumps(question("chat")))
            reply = json.loads(connection.getresponse().read())
            assert reply["choices"][0]["message"]["content"] == text
        connection.close()
        _until(lambda: len(bridge.endpoint.account.calls) == 3)


def test_conversations_are_told_apart_and_kept_whole() -> None:
    books = Listener()
    with bridge_to(lambda request: answer("chat", f"to {request.last}"), recorder=books) as bridge:
        for said in (("main",), ("helper",), ("main", "to main", "more"), ("helper", "to helper", "and more")):
            assert bridge.post("chat", question("chat", *said))[0] == 200
        bridge.endpoint.close()
        spoken = [
            [message["content"] for message in conversation[1:]]
            for conversation in bridge.endpoint.account.conversations()
        ]
        assert [call.conversation for call in bridge.endpoint.account.calls] == [0, 1, 0, 1]
    assert spoken == [
        ["main", "to main", "more", "to more"],
        ["helper", "to helper", "and more", "to and more"],
    ]


def test_what_would_lead_around_the_network_is_left_out_and_said() -> None:
    tools = [{"type": "web_search_20250305", "name": "web_search"}, {"name": "shell", "input_schema": {}}]
    servers = [{"type": "url", "url": "https://example.com"}]
    with bridge_to([answer("anthropic")]) as bridge:
        assert bridge.post("anthropic", question("anthropic", tools=tools, mcp_servers=servers))[0] == 200
        assert bridge.server.requests[0].body["tools"] == tools[1:]
        assert "mcp_servers" not in bridge.server.requests[0].body
        assert bridge.endpoint.reports == {
            "anthropic: tool web_search_20250305 left out": 1,
            "anthropic: field mcp_servers left out": 1,
        }
        assert len(bridge.meter.notes) == 2


def test_an_answer_kept_at_the_provider_is_refused() -> None:
    with bridge_to([]) as bridge:
        status, body = bridge.post("responses", question("responses", previous_response_id="resp_1"))
        assert (status, bridge.server.requests, bridge.meter.turns) == (400, [], 0)
        assert "send the whole conversation" in json.loads(body)["error"]["message"]
        assert bridge.endpoint.ending is None


def test_a_failing_provider_is_asked_again_before_the_client_hears_of_it() -> None:
    books = Listener()
    script = [fault.status(500), fault.rate_limit(), fault.drop(), fault.half_json(), answer("chat")]
    with bridge_to(script, recorder=books) as bridge:
        assert bridge.post("chat", question("chat")) == (200, answer("chat").body)
    assert [told.fate for told in books.told] == [
        Fate.REFUSED, Fate.REFUSED, Fate.LOST, Fate.UNREADABLE, Fate.ANSWERED
    ]  # fmt: skip
    assert [told.attempt for told in books.told] == [1, 2, 3, 4, 5]


def test_what_a_client_can_mend_is_passed_on_to_it() -> None:
    with bridge_to([fault.overflow(), answer("chat")]) as bridge:
        status, body = bridge.post("chat", question("chat"))
        assert (status, json.loads(body)["error"]["code"]) == (400, "context_length_exceeded")
        assert bridge.endpoint.ending is None
        assert bridge.post("chat", question("chat"))[0] == 200
        assert bridge.meter.turns == 1


@EACH
@BOTH
def test_a_key_that_a_provider_repeats_does_not_arrive(api: str, streamed: bool) -> None:
    with bridge_to([answer(api, streamed=streamed), fault.status(400, f"bad key {KEY}")]) as bridge:
        echoed = answer(api, "x", streamed=streamed)
        bridge.server._script = [
            Reply(echoed.body.replace(b"scripted", KEY.encode()), content_type=echoed.content_type),
            fault.status(400, f"not with {KEY}"),
        ]
        for _ in range(2):
            _, body = bridge.post(api, question(api, streamed=streamed))
            assert KEY.encode() not in body
            assert b"[API key]" in body


class _Slow(Listener):
    """Takes an answer only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = threading.Event()

    def received(self, exchange: Exchange) -> None:
        assert self.let.wait(20)
        super().received(exchange)


@EACH
def test_text_streams_but_the_end_of_an_answer_waits_until_it_is_on_record(api: str) -> None:
    books = _Slow()
    with bridge_to([answer(api, "Long text.", streamed=True)], recorder=books) as bridge:
        connection = bridge.connect()
        connection.request("POST", PATHS[api], json.dumps(question(api, streamed=True)))
        response = connection.getresponse()
        begun = bytearray()
        while b'"."' not in begun:
            begun += response.read1()
        time.sleep(0.2)
        assert not any(end in begun for end in (b"[DONE]", b"response.completed", b"message_stop", b'"stop"'))
        books.let.set()
        rest = response.read()
        connection.close()
    assert any(end in rest for end in (b"[DONE]", b"response.completed", b"message_stop"))


def test_a_stream_that_breaks_off_is_seen_to_break_off() -> None:
    books = Listener()
    whole = answer("chat", "A long text that is never heard.", streamed=True)
    half = Reply(whole.body, content_type=whole.content_type, drop_after=len(whole.body) // 2)
    with bridge_to([half, answer("chat")], recorder=books) as bridge:
        with pytest.raises(http.client.IncompleteRead):
            bridge.post("chat", question("chat", streamed=True))
        assert bridge.post("chat", question("chat"))[0] == 200
        assert bridge.endpoint.ending is None
    assert [told.fate for told in books.told] == [Fate.LOST, Fate.ANSWERED]


def test_a_client_that_goes_away_is_recorded_all_the_same() -> None:
    books, asked, go = Listener(), threading.Event(), threading.Event()

    def script(_: Request) -> Reply:
        asked.set()
        assert go.wait(20)
        return answer("chat", streamed=True)

    with bridge_to(script, recorder=books) as bridge:
        connection = bridge.connect()
        connection.request("POST", PATHS["chat"], json.dumps(question("chat", streamed=True)))
        assert asked.wait(20)
        connection.close()
        go.set()
        _until(lambda: len(books.told) == 1)
    assert books.told[0].fate is Fate.ANSWERED


def test_several_ask_at_once() -> None:
    together = threading.Barrier(8, timeout=20)

    def script(request: Request) -> Reply:
        together.wait()
        return answer("chat", request.last)

    with bridge_to(script) as bridge:
        heard: dict[str, Any] = {}

        def ask(name: str) -> None:
            heard[name] = json.loads(bridge.post("chat", question("chat", name))[1])["choices"][0]["message"]["content"]

        threads = [threading.Thread(target=ask, args=(str(number),)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert heard == {str(number): str(number) for number in range(8)}
        assert bridge.meter.turns == 8


def test_a_closed_bridge_answers_nothing_and_waits_for_what_is_paid() -> None:
    books, asked = Listener(), threading.Event()

    def script(_: Request) -> Reply:
        asked.set()
        return answer("chat").after(0.3)

    with bridge_to(script, Budget(), recorder=books) as bridge:
        thread = threading.Thread(target=bridge.post, args=("chat", question("chat")))
        thread.start()
        assert asked.wait(20)
        bridge.endpoint.close()
        assert [told.fate for told in books.told] == [Fate.ANSWERED]
        assert bridge.post("chat", question("chat"))[0] == 402
        thread.join()
    assert bridge.interruptions == []


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)
