"""Google's API through the bridge: passed on with our model and key, closed off, counted, recorded, refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from gitgoodbench.bridge.chat_form import answer_of, messages_of, tools_of
from gitgoodbench.bridge.conversations import Conversations
from gitgoodbench.bridge.google import Google
from gitgoodbench.bridge.refusals import NotAllowed, close_off
from gitgoodbench.bridge.session import Bridge
from gitgoodbench.bridge.upstream import Upstream
from gitgoodbench.errors import InfrastructureFailed, LimitReached, RunAborted
from gitgoodbench.models.endpoint import google_url
from gitgoodbench.models.meter import Budget
from gitgoodbench.models.options import ModelOptions, chat_settings
from gitgoodbench.models.recording import Fate
from tests.support.bridge_clients import KEY, UNLIMITED, Bridged, bridge_to
from tests.support.dialect import sse
from tests.support.listening import Listener
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import Script, fault

WHOLE = "/v1beta/models/theirs:generateContent"
STREAM = "/v1beta/models/theirs:streamGenerateContent?alt=sse"
CALL = {"functionCall": {"name": "shell", "args": {"command": "ls"}}}
USAGE = {"promptTokenCount": 90, "toolUsePromptTokenCount": 10, "cachedContentTokenCount": 40,
         "candidatesTokenCount": 6, "thoughtsTokenCount": 4, "totalTokenCount": 110}  # fmt: skip
BOTH = pytest.mark.parametrize("streamed", [False, True])


def body_of(*said: str, **more: Any) -> dict[str, Any]:
    turns = [{"role": ("user", "model")[i % 2], "parts": [{"text": text}]} for i, text in enumerate(said or ("Hi.",))]
    return {"contents": turns, "systemInstruction": {"parts": [{"text": "Be good."}]}, **more}


def event(*parts: dict[str, Any], **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **candidate}],
            "modelVersion": "scripted-1", "responseId": "r1"}  # fmt: skip


def reply_of(*parts: dict[str, Any], streamed: bool = False) -> Reply:
    if not streamed:
        return Reply(json.dumps({**event(*parts, finishReason="STOP"), "usageMetadata": USAGE}).encode())
    ended = {**event({"text": ""}, finishReason="STOP"), "usageMetadata": USAGE}
    return sse(*(event(part) for part in parts), ended, end="")


@contextmanager
def google_bridge(
    script: list[Reply] | Script, budget: Budget = UNLIMITED, books: Listener | None = None
) -> Iterator[Bridged]:
    with bridge_to(script, budget, books, ["google"]) as bridge:
        yield bridge


def ask(bridge: Bridged, body: dict[str, Any], path: str = WHOLE) -> tuple[int, bytes]:
    connection = bridge.connect()
    connection.request("POST", path, json.dumps(body), {"x-goog-api-key": "theirs", "Content-Type": "application/json"})
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


@BOTH
def test_a_request_is_passed_on_with_our_model_and_key_and_the_answer_as_it_comes(streamed: bool) -> None:
    books = Listener()
    parts = ({"text": "H", "thought": True}, {"text": "Hel"}, {"text": "lo."}, CALL)
    sent = body_of(generationConfig={"temperature": 0.5}, tools=[{"functionDeclarations": [{"name": "shell"}]}])
    with google_bridge([reply_of(*parts, streamed=streamed)], books=books) as bridge:
        reply = ask(bridge, sent, STREAM if streamed else WHOLE)
        assert reply == (200, reply_of(*parts, streamed=streamed).body)
        (got,) = bridge.server.requests
        assert got.path == "/v1/models/scripted:" + ("streamGenerateContent?alt=sse" if streamed else "generateContent")
        assert got.body == sent
        assert got.headers["x-goog-api-key"] == KEY
        assert "authorization" not in got.headers
        assert "theirs" not in str(got.headers)
        (told,) = books.told
        assert (told.fate, told.tokens.prompt, told.tokens.cached) == (Fate.ANSWERED, 100, 40)
        assert (told.tokens.completion, told.tokens.reasoning) == (10, 4)
        assert told.cost_usd == pytest.approx(120e-6)
        assert told.request.messages == (
            {"role": "system", "content": "Be good."},
            {"role": "user", "content": "Hi."},
        )
        assert told.request.parameters.get("generationConfig") == {"temperature": 0.5}
        message = told.message
        assert message is not None
        assert (message["content"], message["reasoning"]) == ("Hello.", "H")
        assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"command": "ls"}
        assert (bridge.meter.turns, bridge.endpoint.ending, bridge.endpoint.reports) == (1, None, {})


def test_a_call_waits_until_it_is_on_record() -> None:
    books = Listener()
    with google_bridge([reply_of({"text": "So:"}, CALL, streamed=True)], books=books) as bridge:
        connection = bridge.connect()
        connection.request("POST", STREAM, json.dumps(body_of()))
        response = connection.getresponse()
        received = b""
        while b"functionCall" not in received:
            received += response.read1()
        assert len(books.told) == 1
        connection.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1beta/models/x:streamGenerateContent", 404),  # a stream that is no stream of events
        ("/v1beta/models/x:countTokens", 404),
        ("/v1beta/models/x:embedContent", 404),
        ("/v1beta/cachedContents", 404),
        ("/v1beta/models/../x:generateContent", 404),
        ("/upload/v1beta/files", 404),
        ("/v1/messages", 404),
    ],
)
def test_nothing_else_is_served(path: str, status: int) -> None:
    with google_bridge([]) as bridge:
        assert ask(bridge, body_of(), path)[0] == status
        assert bridge.server.requests == []
        assert "not served" in next(iter(bridge.endpoint.reports))


def test_no_other_bridge_serves_it() -> None:
    with bridge_to([], apis=["chat"]) as bridge:
        status, body = ask(bridge, body_of())
        assert (status, json.loads(body)["error"]["status"]) == (404, "NOT_FOUND")


@BOTH
def test_a_spent_budget_is_402_in_its_words(streamed: bool) -> None:
    with google_bridge([reply_of({"text": "a"})], Budget(1, None, None, None)) as bridge:
        assert ask(bridge, body_of())[0] == 200
        status, body = ask(bridge, body_of("a", "b", "c"), STREAM if streamed else WHOLE)
        error = json.loads(body)["error"]
        assert (status, error["code"], error["status"]) == (402, 402, "FAILED_PRECONDITION")
        assert "turn limit" in error["message"]
        assert isinstance(bridge.endpoint.ending, LimitReached)


def test_a_broken_provider_is_asked_again_and_then_ends_it() -> None:
    with google_bridge([fault.status(503), reply_of({"text": "a"}), *[fault.status(500)] * 6]) as bridge:
        assert ask(bridge, body_of())[0] == 200
        assert ask(bridge, body_of("more"))[0] == 402
        assert len(bridge.server.requests) == 8
        assert isinstance(bridge.endpoint.ending, InfrastructureFailed)


def test_a_rejected_key_ends_the_run_and_is_hidden() -> None:
    error = {"code": 400, "message": f"API key not valid: {KEY}", "status": "INVALID_ARGUMENT"}
    with google_bridge([fault.answer({"error": error}, code=400)]) as bridge:
        status, body = ask(bridge, body_of())
        assert (status, KEY.encode() in body) == (402, False)
        assert isinstance(bridge.endpoint.ending, RunAborted)


def test_what_is_wrong_with_the_request_comes_back_as_the_provider_says_it() -> None:
    error = {"code": 400, "message": "thinking level is not supported", "status": "INVALID_ARGUMENT"}
    with google_bridge([fault.answer({"error": error}, code=400)]) as bridge:
        status, body = ask(bridge, body_of())
        assert (status, json.loads(body)) == (400, {"error": error})
        assert bridge.endpoint.ending is None


@pytest.mark.parametrize(
    "tool",
    ["googleSearch", "google_search", "googleSearchRetrieval", "codeExecution", "code_execution", "urlContext",
     "url_context", "googleMaps", "fileSearch", "computerUse", "mcpServers", "ofTomorrow"],
)  # fmt: skip
def test_tools_that_the_provider_carries_out_are_left_out(tool: str) -> None:
    kept = {"functionDeclarations": [{"name": "shell"}]}
    config = {"functionCallingConfig": {"mode": "AUTO"}, "retrievalConfig": {"latLng": {}}}
    closed = close_off("google", body_of(tools=[{tool: {}}, {**kept, tool: {}}], toolConfig=config))
    assert closed.body["tools"] == [kept]
    assert closed.body["toolConfig"] == {"functionCallingConfig": {"mode": "AUTO"}}
    assert closed.left_out == (f"tool {tool}", f"tool {tool}", "field toolConfig.retrievalConfig")
    alone = close_off("google", body_of(tools=[{tool: {}}], toolConfig=config))
    assert not alone.body.keys() & {"tools", "toolConfig"}


def test_fields_that_are_not_known_are_left_out() -> None:
    asked = {"temperature": 1, "candidateCount": 8, "speechConfig": {}, "thinkingConfig": {"thinkingLevel": "low"}}
    closed = close_off("google", body_of(generationConfig=asked, labels={"a": "b"}, safetySettings=[], store=True))
    assert closed.body["generationConfig"] == {"temperature": 1, "thinkingConfig": {"thinkingLevel": "low"}}
    assert set(closed.left_out) == {
        "field labels", "field generationConfig.candidateCount", "field generationConfig.speechConfig"
    }  # fmt: skip
    assert closed.body.keys() == {"contents", "systemInstruction", "generationConfig", "safetySettings"}


@pytest.mark.parametrize("name", ["cachedContent", "cached_content"])
def test_what_is_kept_at_the_provider_is_refused(name: str) -> None:
    with pytest.raises(NotAllowed, match=f"^{name} is not allowed"):
        close_off("google", body_of(**{name: "cachedContents/1"}))
    with pytest.raises(NotAllowed, match=r"^contents is missing"):
        close_off("google", {"tools": []})


@pytest.mark.parametrize("name", ["fileData", "file_data"])
def test_files_that_the_provider_would_fetch_are_left_out_wherever_they_stand(name: str) -> None:
    remote = {name: {"fileUri": "https://example.com/a.pdf", "mimeType": "application/pdf"}}
    text = {"text": "[fileData left out: it lies elsewhere]"}
    result = {"functionResponse": {"name": "f", "response": {"fileData": "its own words"}, "parts": [remote]}}
    data = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    closed = close_off("google", {"contents": [{"role": "user", "parts": [remote, result, data]}]})
    kept = {"functionResponse": {"name": "f", "response": {"fileData": "its own words"}, "parts": [text]}}
    assert closed.body["contents"][0]["parts"] == [text, kept, data]
    assert closed.left_out == ("remote fileData", "remote fileData")


def test_a_conversation_reads_as_chat_completions() -> None:
    result = {"functionResponse": {"id": "of-the-client", "name": "shell", "response": {"output": "a.py"}}}
    asked = {
        **body_of("List."),
        "tools": [{"functionDeclarations": [{"name": "shell", "parametersJsonSchema": {"a": 1}}]}],
    }
    said = {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "So:"}, CALL, CALL]}
    asked["contents"] += [said, {"role": "user", "parts": [result, result, {"text": "Go on."}]}]
    system, user, answer, first, second, more = messages_of("google", asked)
    assert (system["content"], user["content"], more) == ("Be good.", "List.", {"role": "user", "content": "Go on."})
    assert (answer["content"], answer["reasoning"]) == ("So:", "Hm.")
    ids = [call["id"] for call in answer["tool_calls"]]
    assert len(set(ids)) == 2
    assert [(message["tool_call_id"], message["content"]) for message in (first, second)] == [(i, "a.py") for i in ids]
    assert answer_of("google", {"candidates": [{"content": said}]}) == answer
    assert tools_of("google", asked)[0]["function"] == {"name": "shell", "parameters": {"a": 1}}


def test_a_later_request_continues_the_conversation_and_the_answer_is_the_model_s_own() -> None:
    told = Conversations()
    turns = body_of("List.")["contents"]
    result = {"functionResponse": {"id": "of-the-client", "name": "shell", "response": {"output": "a.py"}}}
    back = {"role": "model", "parts": [CALL]}
    mine = answer_of("google", {"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": True}, CALL]}}]})
    number, _ = told.place(messages_of("google", {"contents": turns}))
    told.answered(number, mine)
    told.ended(number)
    longer = [*turns, back, {"role": "user", "parts": [result]}]
    assert told.place(messages_of("google", {"contents": longer}))[0] == number
    user, answer, tool = told.messages(number)
    assert (user["content"], answer) == ("List.", mine)
    assert tool["tool_call_id"] == mine["tool_calls"][0]["id"]
    assert told.place(messages_of("google", body_of("Other.")))[0] == number + 1


@pytest.mark.parametrize("reply", [{}, [], None, {"candidates": None}, {"candidates": 1, "usageMetadata": []}])
def test_what_is_no_reply_is_none(reply: Any) -> None:
    assert Google().glance(reply).tokens.prompt is None
    with pytest.raises(ValueError, match="missing"):
        answer_of("google", reply)


def test_an_answer_that_is_blocked_is_an_empty_one() -> None:
    blocked = {
        "promptFeedback": {"blockReason": "SAFETY"},
        "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9},
    }
    assert answer_of("google", blocked) == {"role": "assistant", "content": ""}
    tokens = Google().glance(Google().assemble([blocked])).tokens
    assert (tokens.prompt, tokens.completion) == (9, 0)


def test_a_stream_without_its_end_is_cut_off() -> None:
    with pytest.raises(ValueError, match="cut off"):
        Google().assemble([event({"text": "a"})])
    with pytest.raises(ValueError, match="cut off"):
        Google().assemble([])


def test_addresses() -> None:
    assert google_url(None) == "https://generativelanguage.googleapis.com/v1beta"
    assert google_url("http://127.0.0.1:1/v1/") == "http://127.0.0.1:1/v1"
    bridge = Bridge("http://127.0.0.1:8099", None)  # type: ignore[arg-type]
    assert bridge.base_url("google") == "http://127.0.0.1:8099"


def test_settings_are_those_of_google(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL", raising=False)
    settings = chat_settings(ModelOptions(model="gemini-2.5-flash", api="google"))
    assert (settings["api_key"], settings["base_url"]) == (KEY, None)
    assert settings["price"] is not None
    assert Upstream("gemini-2.5-flash", **settings).api == "google"
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://localhost:2")
    assert chat_settings(ModelOptions(model="m", api="google"))["base_url"] == "http://localhost:2"
