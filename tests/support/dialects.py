"""Servers that speak as real ones do: every API, and Chat Completions in its dialects. Each is strict in what it takes.

    with speaking(DIALECTS["Gemini"], STEPS) as server:
        ...

plays the steps in the dialect, to a conversation or after a preflight, and fails where a request is not what a server
of that kind takes: results that belong to no call, thoughts that do not come back, parameters that it refuses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gitgoodbench.models.finding import OPENING
from tests.support import llm_fault as fault
from tests.support.llm_reply import Call, Reply
from tests.support.scripted_llm import Request, ScriptedServer

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
Body = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """What the model wants to say: text, and calls."""

    calls: tuple[Call, ...]
    text: str = ""


READY = Step((Call.of("report_ready", word="ready"),))


@dataclass(frozen=True)
class Dialect:
    """One kind of server. found: what a preflight says of it, the dialect in words.

    refuses: an error in place of an answer. message: a message as this server sends it. wraps: the whole reply.
    checks: fails where a later request is not what this server takes.
    """

    found: tuple[str, ...] = ()
    api: str = "chat"
    model: str = "scripted"
    refuses: Callable[[Body], Reply | None] = lambda _: None
    message: Callable[[Body], Body] = lambda message: message
    wraps: Callable[[Body], Reply] = lambda body: fault.answer(body)
    checks: Callable[[Body], None] = lambda _: None
    one_call: bool = False


@dataclass
class _Play:
    """Where a server is in its script."""

    dialect: Dialect
    steps: list[Step]
    done: int = 0
    number: int = field(default=0)

    def __call__(self, request: Request) -> Reply:
        body = request.body
        refusal = self.dialect.refuses(body)
        if refusal is not None:
            return refusal
        if OPENING in request.raw.decode():
            return _ANSWERS[self.dialect.api](self, READY)
        _CHECKS[self.dialect.api](body)
        if self.done:
            self.dialect.checks(body)
        step = self.steps[self.done]
        self.done += 1
        return _ANSWERS[self.dialect.api](self, step)

    def next_id(self) -> str:
        self.number += 1
        return f"call_{self.number}"


@contextmanager
def speaking(dialect: Dialect, steps: Sequence[Step]) -> Iterator[ScriptedServer]:
    """A server of that kind that plays the steps."""
    if dialect.one_call:
        steps = [Step((call,), step.text) for step in steps for call in step.calls]
    with ScriptedServer(_Play(dialect, list(steps)), preflights=False) as server:
        yield server


# Chat Completions


def _chat(play: _Play, step: Step) -> Reply:
    calls = [
        {"id": play.next_id(), "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in step.calls
    ]
    message = play.dialect.message({"role": "assistant", "content": step.text or None, "tool_calls": calls})
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return play.dialect.wraps({"id": "chatcmpl-1", "model": "scripted-1", "choices": [choice], "usage": USAGE})


def _check_chat(body: Body) -> None:
    """Each call has a result, in order, under an id of its own, as OpenAI wants it."""
    seen: set[str] = set()
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert waiting == []
        for call in message.get("tool_calls") or ():
            assert call["type"] == "function"
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert isinstance(call["id"], str)
            assert call["id"].strip()
            assert call["id"] not in seen
            seen.add(call["id"])
            waiting.append(call["id"])
    assert waiting == []


def answers_in(body: Body) -> list[Body]:
    """The assistant's messages of a Chat Completions request."""
    return [message for message in body["messages"] if message["role"] == "assistant"]


def _with_calls(change: Callable[[int, Body], Body]) -> Callable[[Body], Body]:
    def shape(message: Body) -> Body:
        return message | {"tool_calls": [change(number, call) for number, call in enumerate(message["tool_calls"])]}

    return shape


def _with_ids(identity: Callable[[int], Any]) -> Callable[[Body], Body]:
    return _with_calls(lambda number, call: call | {"id": identity(number)})


def _without_ids(_: int, call: Body) -> Body:
    return {"function": call["function"]}


def _with_arguments(written: Callable[[str], Any]) -> Callable[[Body], Body]:
    def shape(_: int, call: Body) -> Body:
        function = call["function"]
        return call | {"function": function | {"arguments": written(function["arguments"])}}

    return _with_calls(shape)


def _with_prefix(_: int, call: Body) -> Body:
    return call | {"function": call["function"] | {"name": f"functions.{call['function']['name']}"}}


def _without_function(_: int, call: Body) -> Body:
    return {"id": call["id"], **call["function"]}


def _legacy(message: Body) -> Body:
    (call,) = message["tool_calls"]
    return {"role": "assistant", "content": None, "function_call": call["function"]}


_THINKING = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": True}]


def _in_parts(message: Body) -> Body:
    return message | {"content": [*_THINKING, {"type": "text", "text": message["content"] or "Well."}]}


def _check_parts(body: Body) -> None:
    assert all(answer["content"][0] == _THINKING[0] for answer in answers_in(body))


def _needs(name: str, value: Any) -> Callable[[Body], None]:
    """A server that wants a field of its answers back."""

    def check(body: Body) -> None:
        assert [answer.get(name) for answer in answers_in(body)] == [value] * len(answers_in(body))

    return check


def _refuses_field(name: str) -> Callable[[Body], Reply | None]:
    def refuse(body: Body) -> Reply | None:
        if any(name in answer for answer in answers_in(body)):
            return fault.status(400, f"'messages.2' : property '{name}' is unsupported, did you mean 'role'?")
        return None

    return refuse


_SIGNED = {"google": {"thought_signature": "c2lnbmVk"}}


def _gemini(message: Body) -> Body:
    calls = [call | {"id": "", "extra_content": _SIGNED} for call in message["tool_calls"]]
    return {"role": "assistant", "tool_calls": calls}


def _check_gemini(body: Body) -> None:
    calls = [call for answer in answers_in(body) for call in answer["tool_calls"]]
    assert [call.get("extra_content") for call in calls] == [_SIGNED] * len(calls)


def _wants_stream(body: Body) -> Reply | None:
    if body.get("stream") is not True:
        return fault.status(400, "This model only support stream mode, please enable the stream parameter.")
    return None


def _sse(*events: Any, end: str = "data: [DONE]\n\n") -> Reply:
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + end
    return Reply(text.encode(), content_type="text/event-stream")


def _chunks(body: Body) -> Iterator[Body]:
    """A reply as OpenAI streams it: names first, arguments in pieces, usage last."""
    head = {"id": body["id"], "model": body["model"], "object": "chat.completion.chunk"}
    message = body["choices"][0]["message"]

    def chunk(delta: Body, reason: str | None = None) -> Body:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": "", "reasoning_content": "Hm"})
    yield chunk({"reasoning_content": "."})
    for letter in message["content"] or "":
        yield chunk({"content": letter})
    for number, call in enumerate(message["tool_calls"]):
        function = call["function"]
        named = {"index": number, **call, "function": {"name": function["name"], "arguments": ""}}
        yield chunk({"tool_calls": [named]})
        for start in range(0, len(function["arguments"]), 5):
            piece = {"index": number, "function": {"arguments": function["arguments"][start : start + 5]}}
            yield chunk({"tool_calls": [piece]})
    yield chunk({}, "tool_calls")
    yield {**head, "choices": [], "usage": body["usage"]}


def _streamed(body: Body) -> Reply:
    return _sse(*_chunks(body))


def _streamed_whole(body: Body) -> Reply:
    """As Gemini streams it: every call whole, all of them number 0 and without an id; no [DONE]."""
    message = body["choices"][0]["message"]
    deltas = [{"tool_calls": [{**call, "index": 0, "id": ""}]} for call in message["tool_calls"]]
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    last = {"choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": "stop"}], "usage": USAGE}
    return _sse(*events, last, end="")


def _without_usage(body: Body) -> Reply:
    return fault.answer({key: value for key, value in body.items() if key != "usage"})


def _refuses_as_o_series(body: Body) -> Reply | None:
    for name in ("temperature", "max_tokens", "top_p"):
        if name in body:
            return fault.status(400, f"Unsupported parameter: '{name}' is not supported.", param=name)
    assert body["reasoning_effort"] == "low"
    assert body["max_completion_tokens"] == 5000
    return None


def _refuses_max_tokens(body: Body) -> Reply | None:
    if "max_tokens" in body:
        message = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        return fault.status(400, f"Unsupported parameter: {message}", param="max_tokens")
    assert body["max_completion_tokens"] == 5000
    return None


def _finished_oddly(body: Body) -> Reply:
    (choice,) = body["choices"]
    return fault.answer({"choices": [choice | {"finish_reason": None}], "usage": USAGE, "error": None})


# Responses

_ENCRYPTED = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}],
              "encrypted_content": "ZW5j"}  # fmt: skip


def _responses_items(play: _Play, step: Step) -> list[Body]:
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


def _responses(play: _Play, step: Step) -> Reply:
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40}, "output_tokens": 10,
             "output_tokens_details": {"reasoning_tokens": 4}}  # fmt: skip
    body = {"id": "resp_1", "object": "response", "model": "scripted-1", "status": "completed", "error": None,
            "output": _responses_items(play, step), "usage": usage}  # fmt: skip
    return play.dialect.wraps(body)


def _check_responses(body: Body) -> None:
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
    return _sse(*events, {"type": "response.completed", "response": {**body, "output": []}}, end="")


# Messages

_THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}


def _messages(play: _Play, step: Step) -> Reply:
    content: list[Body] = [{"type": "text", "text": step.text}] if step.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{play.next_id()}", "name": call.name, "input": json.loads(call.arguments)}
        for call in step.calls
    ]
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 60, "output_tokens": 10}
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1", "content": content,
            "stop_reason": "tool_use", "usage": usage}  # fmt: skip
    return play.dialect.wraps(play.dialect.message(body))


def _check_messages(body: Body) -> None:
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
    return _sse(*events, end, {"type": "message_stop"}, end="")


_ANSWERS: Mapping[str, Callable[[_Play, Step], Reply]] = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _messages,
}
_CHECKS: Mapping[str, Callable[[Body], None]] = {
    "chat": _check_chat,
    "responses": _check_responses,
    "anthropic": _check_messages,
}

_OWN_IDS = "tool call ids of our own"
_STREAMS = "answers are asked for as streams: the server sends no others"

CHAT: Mapping[str, Dialect] = {
    "as documented": Dialect(),
    "content in parts": Dialect(("content as a list of parts",), message=_in_parts, checks=_check_parts),
    "no ids": Dialect((_OWN_IDS,), message=_with_calls(_without_ids)),
    "ids null": Dialect((_OWN_IDS,), message=_with_ids(lambda _: None)),
    "ids empty": Dialect((_OWN_IDS,), message=_with_ids(lambda _: "")),
    "one id for all": Dialect(message=_with_ids(lambda _: "call_0")),
    "ids numbers": Dialect(("numbers as tool call ids",), message=_with_ids(lambda number: number)),
    "arguments an object": Dialect(("arguments as an object",), message=_with_arguments(json.loads)),
    "arguments twice over": Dialect(("arguments as JSON twice over",), message=_with_arguments(json.dumps)),
    "no arguments where none": Dialect(message=_with_arguments(lambda text: None if text == "{}" else text)),
    "function_call": Dialect(("function_call", _OWN_IDS), message=_legacy, one_call=True),
    "functions. prefix": Dialect(("a prefix before tool names",), message=_with_calls(_with_prefix)),
    "no function": Dialect(("tool calls without function",), message=_with_calls(_without_function)),
    "reasoning_content, wanted back": Dialect(
        ("reasoning_content",),
        message=lambda message: message | {"reasoning_content": "Hm."},
        checks=_needs("reasoning_content", "Hm."),
    ),
    "reasoning_content, not wanted back": Dialect(
        ("reasoning_content",),
        message=lambda message: message | {"reasoning_content": "Hm."},
        refuses=_refuses_field("reasoning_content"),
    ),
    "reasoning_details, wanted back": Dialect(
        message=lambda message: message | {"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]},
        checks=_needs("reasoning_details", [{"type": "reasoning.encrypted", "data": "x"}]),
    ),
    "<think>": Dialect(
        ("thoughts in <think>",),
        message=lambda message: message | {"content": "<think>\nHm.\n</think>\n\nWell."},
        checks=_needs("content", "<think>\nHm.\n</think>\n\nWell."),
    ),
    "Gemini": Dialect((_OWN_IDS,), message=_gemini, checks=_check_gemini),
    "streams only": Dialect(
        ("reasoning_content", "answers as a stream", _STREAMS), refuses=_wants_stream, wraps=_streamed,
        checks=_needs("reasoning_content", "Hm."),
    ),
    "streams unasked, as Gemini": Dialect((_OWN_IDS, "answers as a stream"), wraps=_streamed_whole),
    "no usage": Dialect(("no usage",), wraps=_without_usage),
    "o-series": Dialect(
        ("temperature left out: o4-mini takes none",), model="o4-mini", refuses=_refuses_as_o_series
    ),
    "max_completion_tokens": Dialect(
        ("max_completion_tokens instead: the server wants it so",), refuses=_refuses_max_tokens
    ),
    "no finish reason": Dialect(wraps=_finished_oddly),
}  # fmt: skip
OTHERS: Mapping[str, Dialect] = {
    "responses": Dialect(api="responses", checks=_check_reasoning),
    "responses without reasoning": Dialect(api="responses", wraps=_without_reasoning),
    "responses, streams only": Dialect(
        ("answers as a stream", _STREAMS), api="responses", refuses=_wants_stream, wraps=_responses_streamed
    ),
    "messages": Dialect(
        ("a thinking budget instead: the server wants it so",), api="anthropic", refuses=_refuses_adaptive
    ),
    "messages, thinking": Dialect(api="anthropic", message=_thinks, checks=_check_thinking),
    "messages, streams only": Dialect(
        ("answers as a stream", _STREAMS), api="anthropic", message=_thinks, checks=_check_thinking,
        refuses=_wants_stream, wraps=_messages_streamed,
    ),
}  # fmt: skip
DIALECTS = {**CHAT, **OTHERS}
