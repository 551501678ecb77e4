"""Reading a reply of the Chat Completions API.

Nothing in it is taken on trust: a reply of any other shape is a fault of the server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gitgoodbench.models.faults import Refusal, Refused, ServerFault
from gitgoodbench.models.messages import Message, ToolCall, recorded_call
from gitgoodbench.models.meter import Tokens
from gitgoodbench.text import clean_json, one_line

_SENT_BACK = ("reasoning_content", "reasoning", "reasoning_details")
"""Parts of a message beyond the API's own that servers want back with the next request, under the same name."""

_SENT_BACK_WITH_CALLS = ("extra_content",)


@dataclass(frozen=True)
class Answer:
    """One answer of the model: the message for the conversation, its calls as written, why it ended, what it used."""

    message: Message
    calls: tuple[ToolCall, ...]
    finish_reason: str
    tokens: Tokens

    @property
    def is_empty(self) -> bool:
        return not self.calls and not self.message["content"].strip()


def read_answer(body: bytes) -> Answer:
    """The answer in the body of a reply with status 200.

    Raises:
        Refused: the body is an error after all (gateways send errors with status 200).
        ServerFault: it is not what the API promises.
    """
    try:
        reply = json.loads(body, parse_constant=_refuse_constant)
        if isinstance(reply, dict) and reply.get("error") and not reply.get("choices"):
            raise Refused(_error_in(reply, body))
        return _read(reply)
    except (ValueError, RecursionError) as problem:
        start = one_line(body[:200].decode("utf-8", "replace"), 80)
        raise ServerFault(
            f"the reply is not what the API promises: {one_line(str(problem))} (it begins {start!r})"
        ) from None


def _error_in(reply: Mapping[str, Any], body: bytes) -> Refusal:
    error = reply["error"]
    status = error.get("code") if isinstance(error, dict) else None
    status = status if isinstance(status, int) and 400 <= status <= 599 else 502
    return Refusal.of(status, body.decode("utf-8", "replace"))


def _read(reply: Any) -> Answer:
    choices = _take(_take(reply, dict, "the reply").get("choices"), list, "choices")
    if not choices:
        raise ValueError("choices is empty")
    choice = _take(choices[0], dict, "choices[0]")
    message = _take(choice.get("message"), dict, "message")
    text = _take(message.get("content") or message.get("refusal") or "", str, "content")
    written = _take(message.get("tool_calls") or [], list, "tool_calls")
    calls = tuple(_read_call(call) for call in written)
    recorded: Message = {"role": "assistant", "content": text}
    recorded |= {key: message[key] for key in _SENT_BACK if message.get(key)}
    if calls:
        recorded["content"] = text or None
        recorded["tool_calls"] = [_record(call, source) for call, source in zip(calls, written, strict=True)]
    return Answer(clean_json(recorded), calls, str(choice.get("finish_reason")), _read_usage(reply.get("usage")))


def _read_call(value: Any) -> ToolCall:
    call = _take(value, dict, "a tool call")
    function = _take(call.get("function"), dict, "function of a tool call")
    return ToolCall(
        id=_take(call.get("id"), str, "id of a tool call"),
        name=_take(function.get("name"), str, "name of a tool call"),
        arguments=_take(function.get("arguments"), str, "arguments of a tool call"),
    )


def _record(call: ToolCall, source: Mapping[str, Any]) -> dict[str, Any]:
    return recorded_call(call, {key: source[key] for key in _SENT_BACK_WITH_CALLS if source.get(key)})


def _read_usage(value: Any) -> Tokens:
    """The reported token counts; whatever is missing or no count is unknown."""
    usage = value if isinstance(value, dict) else {}
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    return Tokens(
        prompt=_count(usage.get("prompt_tokens")),
        cached=_count(details.get("cached_tokens")),
        completion=_count(usage.get("completion_tokens")),
    )


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _take(value: Any, kind: type[Any], what: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{what} is {type(value).__name__}, not {kind.__name__}")  # noqa: TRY004
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")
