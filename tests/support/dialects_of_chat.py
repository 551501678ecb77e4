"""Chat Completions as servers of many kinds speak it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.support import llm_fault as fault
from tests.support.dialect import STREAMS, USAGE, Body, Dialect, Play, Step, sse, wants_stream
from tests.support.llm_reply import Reply

_OWN_IDS = "tool call ids of our own"


def chat(play: Play, step: Step) -> Reply:
    calls = [
        {"id": play.next_id(), "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in step.calls
    ]
    message = play.dialect.message({"role": "assistant", "content": step.text or None, "tool_calls": calls})
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return play.dialect.wraps({"id": "chatcmpl-1", "model": "scripted-1", "choices": [choice], "usage": USAGE})


def check_chat(body: Body) -> None:
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
        return message | {
            "tool_calls": [change(number, call) for number, call in enumerate(message.get("tool_calls", ()))]
        }

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
    for number, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        named = {"index": number, **call, "function": {"name": function["name"], "arguments": ""}}
        yield chunk({"tool_calls": [named]})
        for start in range(0, len(function["arguments"]), 5):
            piece = {"index": number, "function": {"arguments": function["arguments"][start : start + 5]}}
            yield chunk({"tool_calls": [piece]})
    yield chunk({}, body["choices"][0]["finish_reason"])
    yield {**head, "choices": [], "usage": body["usage"]}


def streamed(body: Body) -> Reply:
    return sse(*_chunks(body))


def _streamed_whole(body: Body) -> Reply:
    """As Gemini streams it: every call whole, all of them number 0 and without an id; no [DONE]."""
    message = body["choices"][0]["message"]
    deltas = [{"tool_calls": [{**call, "index": 0, "id": ""}]} for call in message["tool_calls"]]
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    last = {"choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": "stop"}], "usage": USAGE}
    return sse(*events, last, end="")


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
        ("reasoning_content", "answers as a stream", STREAMS), refuses=wants_stream, wraps=streamed,
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
