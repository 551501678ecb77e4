"""What the scripted server sends: replies of a model, as values."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field, replace
from typing import Any

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "total_tokens": 110,
    "prompt_tokens_details": {"cached_tokens": 40},
}
_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Reply:
    """One HTTP reply.

    drop_after: close the connection after so many bytes of the body (0: before anything is sent at all).
    """

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0
    seconds_per_byte: float = 0.0
    drop_after: int | None = None

    def after(self, seconds: float) -> Reply:
        """The same reply, later."""
        return replace(self, delay_s=seconds)


@dataclass(frozen=True)
class Call:
    """One tool call; `arguments` is the text that the model wrote."""

    name: str
    arguments: str

    @classmethod
    def of(cls, name: str, /, **arguments: Any) -> Call:
        return cls(name, json.dumps(arguments))


def says(text: str | None, **options: Any) -> Reply:
    """An answer without tool calls. Options as for `replies`."""
    return replies(text, [], **options)


def calls(name: str, /, **arguments: Any) -> Reply:
    """An answer with one tool call."""
    return replies(None, [Call.of(name, **arguments)])


def calls_raw(name: str, arguments: str) -> Reply:
    """An answer with one tool call whose arguments are exactly this text."""
    return replies(None, [Call(name, arguments)])


def calls_all(*several: Call, text: str | None = None) -> Reply:
    """An answer with several tool calls: `calls_all(Call.of("a", x=1), Call.of("b"))`."""
    return replies(text, several)


def replies(
    text: str | None,
    several: tuple[Call, ...] | list[Call],
    *,
    finish_reason: str | None = None,
    usage: Any = USAGE,
    **message_fields: Any,
) -> Reply:
    """An answer of the model in full. usage: None leaves it out. message_fields: further fields of the message."""
    message: dict[str, Any] = {"role": "assistant", "content": text, **message_fields}
    if several:
        message["tool_calls"] = [
            {
                "id": f"call_{next(_NUMBERS)}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in several
        ]
    reason = finish_reason or ("tool_calls" if several else "stop")
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    if usage is not None:
        body["usage"] = usage
    return Reply(json.dumps(body).encode())
