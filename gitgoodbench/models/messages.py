"""Messages of the Chat Completions API, and the tool calls in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gitgoodbench.errors import ToolError
from gitgoodbench.text import capped, clean, clean_json, one_line

Message = dict[str, Any]
"""A chat message as the Chat Completions API has it: role, content, tool_calls, tool_call_id."""


@dataclass(frozen=True)
class Aside:
    """A conversation beside the main one of an episode: a sub-agent's, or one for a title or a summary.

    name: in the records of requests. call: id of the call of another conversation that it works on.
    """

    name: str
    messages: tuple[Message, ...]
    call: str | None = None


_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


@dataclass(frozen=True)
class ToolCall:
    """A call as the model wrote it; `arguments` is text that should be a JSON object."""

    id: str
    name: str
    arguments: str


def read_arguments(text: str) -> dict[str, Any]:
    """The arguments of a call; no text at all stands for none.

    Raises:
        ToolError: the text is no JSON object.
    """
    try:
        arguments = json.loads(text, parse_constant=_refuse_constant) if text.strip() else {}
    except RecursionError:
        raise ToolError("the arguments are nested too deep") from None
    except ValueError as problem:
        raise ToolError(f"the arguments are not valid JSON: {one_line(str(problem))}") from None
    if not isinstance(arguments, dict):
        raise ToolError(f"the arguments must be a JSON object, not {type(arguments).__name__}")
    return arguments


def recorded_call(call: ToolCall, extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The call as it goes into the conversation.

    Servers read the arguments of earlier calls again and some refuse the whole request over one bad call, so the
    record always holds a JSON object and a well-formed name: what is none becomes {"unreadable_arguments": text}.
    """
    name = _NOT_IN_A_NAME.sub("_", call.name)[:_LONGEST_NAME] or "_"
    function = {"name": name, "arguments": _recorded_arguments(call.arguments)}
    return {**(extra or {}), "id": clean(call.id), "type": "function", "function": function}


def tool_result(call_id: str, text: str) -> Message:
    """A tool's answer as a message, clean and capped."""
    return {"role": "tool", "tool_call_id": clean(call_id), "content": capped(clean(text))}


def _recorded_arguments(text: str) -> str:
    try:
        arguments = read_arguments(text)
        cleaned = clean_json(arguments)
    except (ToolError, RecursionError):
        return json.dumps({"unreadable_arguments": clean(text)}, ensure_ascii=False)
    if not text.strip() or not _is_utf8(arguments):
        return json.dumps(cleaned, ensure_ascii=False)
    return clean(text)


def _is_utf8(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")
