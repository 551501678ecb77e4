"""Tool calls: reading a model's arguments, running the tool, and both in the form of chat messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gitgoodbench.errors import ToolError
from gitgoodbench.scenario import Message
from gitgoodbench.text import capped, clean, clean_json, one_line
from gitgoodbench.tools import Tool, ToolResult

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


@dataclass(frozen=True)
class ToolCall:
    """A call as the model wrote it; `arguments` is text that should be a JSON object."""

    id: str
    name: str
    arguments: str


def run_call(tools: Sequence[Tool], call: ToolCall) -> ToolResult:
    """Run a model's call. What the model did wrong comes back as text, `error: ...`."""
    try:
        return call_tool(tools, call.name, read_arguments(call.arguments))
    except ToolError as problem:
        return ToolResult(f"error: {problem}", is_error=True)


def call_tool(tools: Sequence[Tool], name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Run the tool of that name; an error says that there is none, or what is wrong with the call."""
    for tool in tools:
        if tool.name == name:
            return tool.run(arguments)
    offered = ", ".join(tool.name for tool in tools) or "none"
    return ToolResult(f"error: there is no tool {one_line(name, 80)!r}; the tools are: {offered}", is_error=True)


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
