"""Answers of a model, as each API writes them, whole and streamed: a text, or the call of a tool.

Streams are as the providers' own, event by event, so that the agents' own clients read them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from gitgoodbench.models.meter import Tokens
from tests.support.dialect import Body
from tests.support.llm_reply import Reply
from tests.support.rules.asked import Asked, Shell


@dataclass(frozen=True)
class Said:
    """What the model says: a text, or arguments for a tool. number: of the answer, for ids."""

    number: int
    text: str = ""
    shell: Shell | None = None
    arguments: Body | None = None


def write(asked: Asked, said: Said, bill: Tokens) -> Reply:
    """The answer to a request."""
    return _WRITERS[asked.api](asked, said, bill)


def _chat(asked: Asked, said: Said, bill: Tokens) -> Reply:
    message: Body = {"role": "assistant", "content": said.text or None}
    if said.shell is not None:
        function = {"name": said.shell.name, "arguments": json.dumps(said.arguments)}
        message["tool_calls"] = [{"id": f"call_{said.number}", "type": "function", "function": function}]
    usage = {
        "prompt_tokens": bill.prompt,
        "completion_tokens": bill.completion,
        "total_tokens": (bill.prompt or 0) + (bill.completion or 0),
        "prompt_tokens_details": {"cached_tokens": bill.cached},
        "completion_tokens_details": {"reasoning_tokens": bill.reasoning},
    }
    base = {"id": f"chatcmpl-{said.number}", "created": 1_800_000_000, "model": asked.model}
    reason = "tool_calls" if said.shell else "stop"
    if not asked.streamed:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return _whole({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
    pieces: list[Body] = [{"role": "assistant", "content": ""}]
    pieces += [{"content": part} for part in _cut(said.text)]
    for call in message.get("tool_calls", ()):
        function = call["function"]
        pieces.append({"tool_calls": [{"index": 0, **call, "function": {**function, "arguments": ""}}]})
        pieces += [
            {"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in _cut(function["arguments"])
        ]
    chunk = {**base, "object": "chat.completion.chunk"}
    events = [{**chunk, "choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in pieces]
    events.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    if asked.wants_usage:
        events.append({**chunk, "choices": [], "usage": usage})
    return _stream(events, named=False, end="data: [DONE]\n\n")


def _responses(asked: Asked, said: Said, bill: Tokens) -> Reply:
    item, starts, deltas = _item(said)
    body: Body = {
        "id": f"resp_{said.number}", "object": "response", "created_at": 1_800_000_000, "status": "completed",
        "model": asked.model, "output": [item], "error": None, "incomplete_details": None, "metadata": {},
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "temperature": 1, "top_p": 1,
        "usage": {
            "input_tokens": bill.prompt,
            "input_tokens_details": {"cached_tokens": bill.cached},
            "output_tokens": bill.completion,
            "output_tokens_details": {"reasoning_tokens": bill.reasoning},
            "total_tokens": (bill.prompt or 0) + (bill.completion or 0),
        },
    }  # fmt: skip
    if not asked.streamed:
        return _whole(body)
    place = {"output_index": 0, "item_id": item["id"]}
    events: list[Body] = [
        {"type": "response.created", "response": {**body, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress", **starts}},
        *({**place, **delta} for delta in deltas),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": body},
    ]
    return _stream([{**event, "sequence_number": number} for number, event in enumerate(events)], named=True)


def _item(said: Said) -> tuple[Body, Body, list[Body]]:
    """What is said as an item of the Responses API, how it begins in a stream, and the events that fill it."""
    if said.shell is None:
        part = {"type": "output_text", "text": said.text, "annotations": []}
        item = {"type": "message", "id": f"msg_{said.number}", "role": "assistant", "status": "completed"}
        place = {"content_index": 0}
        deltas: list[Body] = [{"type": "response.content_part.added", **place, "part": {**part, "text": ""}}]
        deltas += [{"type": "response.output_text.delta", **place, "delta": piece} for piece in _cut(said.text)]
        deltas.append({"type": "response.output_text.done", **place, "text": said.text})
        deltas.append({"type": "response.content_part.done", **place, "part": part})
        return {**item, "content": [part]}, {"content": []}, deltas
    identity = {"id": f"fc_{said.number}", "call_id": f"call_{said.number}", "status": "completed"}
    if said.shell.kind == "local_shell":
        action = {"type": "exec", "command": ["bash", "-c", (said.arguments or {})["command"]], "env": {}}
        return {"type": "local_shell_call", **identity, "action": action}, {}, []
    if said.shell.kind == "custom":
        return {"type": "custom_tool_call", **identity, "name": said.shell.name, **(said.arguments or {})}, {}, []
    written = json.dumps(said.arguments)
    kind = "response.function_call_arguments"
    deltas = [{"type": f"{kind}.delta", "delta": piece} for piece in _cut(written)]
    deltas.append({"type": f"{kind}.done", "arguments": written})
    item = {"type": "function_call", **identity, "name": said.shell.name, "arguments": written}
    return item, {"arguments": ""}, deltas


def _messages(asked: Asked, said: Said, bill: Tokens) -> Reply:
    kind = "text" if said.shell is None else "tool_use"
    block: Body = {"type": kind, "text": said.text}
    empty: Body = {"type": kind, "text": ""}
    name, written = "text", said.text
    if said.shell is not None:
        block = {"type": kind, "id": f"toolu_{said.number}", "name": said.shell.name, "input": said.arguments}
        empty = {**block, "input": {}}
        name, written = "partial_json", json.dumps(said.arguments)
    reason = "end_turn" if said.shell is None else "tool_use"
    usage = {
        "input_tokens": (bill.prompt or 0) - (bill.cached or 0) - (bill.written or 0),
        "cache_read_input_tokens": bill.cached,
        "cache_creation_input_tokens": bill.written,
        "output_tokens": bill.completion,
        "output_tokens_details": {"thinking_tokens": bill.reasoning},
    }
    body: Body = {
        "id": f"msg_{said.number}", "type": "message", "role": "assistant", "model": asked.model, "content": [block],
        "stop_reason": reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if not asked.streamed:
        return _whole(body)
    delta = "text_delta" if said.shell is None else "input_json_delta"
    begun = {**body, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events: list[Body] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": delta, name: part}} for part in _cut(written)),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {name: usage[name] for name in ("output_tokens", "output_tokens_details")},
        },
        {"type": "message_stop"},
    ]
    return _stream(events, named=True)


def _google(asked: Asked, said: Said, bill: Tokens) -> Reply:
    part: Body = {"text": said.text}
    if said.shell is not None:
        part = {"functionCall": {"name": said.shell.name, "args": said.arguments}}
    body = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": bill.prompt,
            "cachedContentTokenCount": bill.cached,
            "candidatesTokenCount": (bill.completion or 0) - (bill.reasoning or 0),
            "thoughtsTokenCount": bill.reasoning,
            "totalTokenCount": (bill.prompt or 0) + (bill.completion or 0),
        },
        "modelVersion": asked.model,
        "responseId": f"r{said.number}",
    }
    return _stream([body], named=False) if asked.streamed else _whole(body)


def _whole(body: Body) -> Reply:
    return Reply(json.dumps(body).encode())


def _stream(events: list[Body], *, named: bool, end: str = "") -> Reply:
    """Server-sent events; some clients go by the events' names."""
    text = "".join(
        (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events
    )
    return Reply((text + end).encode(), content_type="text/event-stream")


def _cut(text: str, size: int = 400) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


_WRITERS: dict[str, Callable[[Asked, Said, Tokens], Reply]] = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _messages,
    "google": _google,
}
