"""The Responses API and the Messages API, with and without thinking, whole and streamed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support import llm_fault as fault
from tests.support.dialect import STREAMS, Body, Dialect, Play, Step, sse, wants_stream
from tests.support.llm_reply import Reply

_ENCRYPTED = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}],
              "encrypted_content": "ZW5j"}  # fmt: skip


def _responses_items(play: Play, step: Step) -> list[Body]:
    items: list[Body] = [_ENCRYPTED]
    if step.text:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
    for call in step.calls:
        identity = play.next_id()
        items.append(
            {"type": "function_call", "id": f"fc_{identity}", "call_id": identity, "name": call.name,
             "arguments": call.arguments, "status": "completed"}
        )  # fmt: skip
    return items


def responses(play: Play, step: Step) -> Reply:
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40}, "output_tokens": 10,
             "output_tokens_details": {"reasoning_tokens": 4}}  # fmt: skip
    body = {"id": "resp_1", "object": "response", "model": "scripted-1", "status": "completed", "error": None,
            "output": _responses_items(play, step), "usage": usage}  # fmt: skip
    return play.dialect.wraps(body)


def check_responses(body: Body) -> None:
    assert body["store"] is False
    assert all(tool["type"] == "function" and "parameters" in tool for tool in body["tools"])
    calls = [item["call_id"] for item in body["input"] if item.get("type") == "function_call"]
    outputs = [item["call_id"] for item in body["input"] if item.get("type") == "function_call_output"]
    assert calls == outputs
    assert len(set(calls)) == len(calls)
    said = [item for item in body["input"] if item.get("role") == "assistant"]
    assert all((item["type"], item["content"][0]["type"]) == ("message", "output_text") for item in said)


def _check_reasoning(body: Body) -> None:
    assert body["include"] == ["reasoning.encrypted_content"]
    assert _ENCRYPTED in body["input"]


def _without_reasoning(body: Body) -> Reply:
    return fault.answer(body | {"output": [item for item in body["output"] if item["type"] != "reasoning"]})


def _responses_streamed(body: Body) -> Reply:
    events = [{"type": "response.created", "response": {**body, "output": [], "status": "in_progress"}}]
    events += [{"type": "response.output_item.done", "item": item} for item in body["output"]]
    return sse(*events, {"type": "response.completed", "response": {**body, "output": []}}, end="")


_THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}


def messages(play: Play, step: Step) -> Reply:
    content: list[Body] = [{"type": "text", "text": step.text}] if step.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{play.next_id()}", "name": call.name, "input": json.loads(call.arguments)}
        for call in step.calls
    ]
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 60, "output_tokens": 10}
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1", "content": content,
            "stop_reason": "tool_use", "usage": usage}  # fmt: skip
    return play.dialect.wraps(play.dialect.message(body))


def check_messages(body: Body) -> None:
    """Turns alternate; each call has its result at the beginning of the next turn; the cache is used."""
    assert body["max_tokens"] > 0
    assert body["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert all("input_schema" in tool for tool in body["tools"])
    turns = body["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * (len(turns) // 2) + ["user"]
    assert turns[-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
    marks = [block for turn in turns for block in turn["content"] if "cache_control" in block]
    assert len(marks) == min(2, (len(turns) + 1) // 2)
    for asked, answered in zip(turns[1::2], turns[2::2], strict=True):
        calls = [block["id"] for block in asked["content"] if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in answered["content"][: len(calls)]]
        assert calls == results


def _check_thinking(body: Body) -> None:
    assert body["thinking"]["type"] in ("adaptive", "enabled")
    assert "temperature" not in body
    assert all(turn["content"][0] == _THOUGHT for turn in body["messages"][1::2])


def _thinks(body: Body) -> Body:
    return body | {"content": [_THOUGHT, *body["content"]]}


def _refuses_adaptive(body: Body) -> Reply | None:
    if body.get("thinking", {}).get("type") == "adaptive":
        message = "adaptive thinking is not supported on this model"
        return fault.answer({"type": "error", "error": {"type": "invalid_request_error", "message": message}}, code=400)
    assert body["thinking"]["budget_tokens"] < body["max_tokens"]
    return None


def _messages_streamed(body: Body) -> Reply:
    start = body | {"content": [], "stop_reason": None, "usage": body["usage"] | {"output_tokens": 1}}
    events: list[Mapping[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(body["content"]):
        deltas: list[Body] = []
        empty = dict(block)
        if block["type"] == "thinking":
            empty |= {"thinking": "", "signature": ""}
            deltas = [{"thinking": "H"}, {"thinking": "m."}, {"signature": block["signature"]}]
        elif block["type"] == "text":
            empty["text"] = ""
            deltas = [{"text": letter} for letter in block["text"]]
        else:
            empty["input"] = {}
            written = json.dumps(block["input"])
            deltas = [{"partial_json": written[i : i + 7]} for i in range(0, len(written), 7)]
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 10}}
    return sse(*events, end, {"type": "message_stop"}, end="")


OTHERS: Mapping[str, Dialect] = {
    "responses": Dialect(api="responses", checks=_check_reasoning),
    "responses without reasoning": Dialect(api="responses", wraps=_without_reasoning),
    "responses, streams only": Dialect(
        ("answers as a stream", STREAMS), api="responses", refuses=wants_stream, wraps=_responses_streamed
    ),
    "messages": Dialect(
        ("a thinking budget instead: the server wants it so",), api="anthropic", refuses=_refuses_adaptive
    ),
    "messages, thinking": Dialect(api="anthropic", message=_thinks, checks=_check_thinking),
    "messages, streams only": Dialect(
        ("answers as a stream", STREAMS), api="anthropic", message=_thinks, checks=_check_thinking,
        refuses=wants_stream, wraps=_messages_streamed,
    ),
}  # fmt: skip
