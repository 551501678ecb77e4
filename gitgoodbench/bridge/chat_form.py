"""Requests and replies of each API as Chat Completions has them: for the record, never to be sent.

What has no place there is kept beside it, under `other`. Marks for caches, which move from request to request, are
left out. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from gitgoodbench.bridge.google_form import answer_in, functions_in, messages_in
from gitgoodbench.models.apis.base import mapping
from gitgoodbench.models.messages import Message

_TEXTS: Final = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})
_NAMES: Final = {"developer": "system"}


def messages_of(api: str, body: Mapping[str, Any]) -> list[Message]:
    """The conversation in a request."""
    if api == "chat":
        return [dict(message) for message in _objects(body.get("messages"))]
    if api == "responses":
        instructions = body.get("instructions")
        system: list[Message] = [{"role": "system", "content": instructions}] if instructions else []
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else _objects(given)
        return [*system, *_of_items(items)]
    if api == "google":
        return messages_in(body)
    messages: list[Message] = []
    if body.get("system"):
        messages.append({"role": "system", "content": _content(body["system"])})
    for turn in _objects(body.get("messages")):
        messages += _of_turn(turn)
    return messages


def tools_of(api: str, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tools in a request."""
    if api == "google":
        return functions_in(body)
    return [tool if api == "chat" else _tool(tool) for tool in _objects(body.get("tools"))]


def answer_of(api: str, reply: Any) -> Message:
    """The model's message in a reply.

    Raises:
        ValueError: there is none.
    """
    if api == "google":
        return answer_in(reply)
    reply = mapping(reply)
    if api == "chat":
        choices = _objects(reply.get("choices"))
        message = choices[0].get("message") if choices else None
        if not isinstance(message, dict):
            raise ValueError("choices hold no message")
        return message
    name = "output" if api == "responses" else "content"
    if not isinstance(reply.get(name), list):
        raise ValueError(f"{name} is missing")  # noqa: TRY004
    parts = _objects(reply[name])
    spoken = _of_items(parts) if api == "responses" else _of_turn({"role": "assistant", "content": parts})
    return spoken[0] if spoken else {"role": "assistant", "content": ""}


def _of_items(items: Iterable[Mapping[str, Any]]) -> list[Message]:
    """Items of the Responses API; those of one answer, which follow one another, are one message."""
    messages: list[Message] = []
    for item in items:
        kind = str(item.get("type") or "message")
        if kind.endswith("_output"):
            content = _content(item.get("output"))
            messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": content})
        elif kind == "message" and item.get("role") != "assistant":
            role = str(item.get("role"))
            messages.append({"role": _NAMES.get(role, role), "content": _content(item.get("content"))})
        else:
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"role": "assistant", "content": None})
            _add_item(messages[-1], kind, item)
    return messages


def _add_item(message: Message, kind: str, item: Mapping[str, Any]) -> None:
    if kind == "message":
        message["content"] = _joined(message["content"], _content(item.get("content")))
    elif kind == "reasoning":
        text = _content([*_objects(item.get("summary")), *_objects(item.get("content"))])
        message["reasoning"] = _joined(message.get("reasoning"), text)
    elif kind == "function_call":
        _add_call(message, item.get("call_id"), item.get("name"), item.get("arguments"))
    elif kind == "custom_tool_call":
        _add_call(message, item.get("call_id"), item.get("name"), {"input": item.get("input")})
    elif kind.endswith("_call") and "call_id" in item:
        _add_call(message, item["call_id"], kind.removesuffix("_call"), item.get("action") or item.get("operation"))
    else:
        message.setdefault("other", []).append(dict(item))


def _of_turn(turn: Mapping[str, Any]) -> list[Message]:
    """A turn of the Messages API: results of tools are messages of their own."""
    role = str(turn.get("role"))
    content = turn.get("content")
    if not isinstance(content, list):
        return [{"role": role, "content": content}]
    message: Message = {"role": role, "content": None}
    results: list[Message] = []
    spoken: list[Mapping[str, Any]] = []
    for block in _objects(content):
        kind = block.get("type")
        if kind == "tool_result":
            text = _content(block.get("content"))
            results.append({"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": text})
        elif kind == "tool_use":
            _add_call(message, block.get("id"), block.get("name"), block.get("input"))
        elif kind == "thinking":
            message["reasoning"] = _joined(message.get("reasoning"), block.get("thinking"))
        elif kind == "text" or role == "user":
            spoken.append(block)
        else:
            message.setdefault("other", []).append(dict(block))
    message["content"] = _content(spoken) if spoken else None
    return [*results, message] if spoken or len(message) > len(("role", "content")) else results


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    parameters = tool.get("parameters") or tool.get("input_schema")
    if parameters is None:
        return dict(tool)
    function = {"name": tool.get("name"), "description": tool.get("description"), "parameters": parameters}
    return {"type": "function", "function": {name: value for name, value in function.items() if value is not None}}


def _add_call(message: Message, identity: Any, name: Any, arguments: Any) -> None:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    call = {"id": identity, "type": "function", "function": {"name": name, "arguments": text}}
    message.setdefault("tool_calls", []).append(call)


def _content(value: Any) -> Any:
    """Content as one text where it is nothing but text."""
    if not isinstance(value, list):
        return value
    parts = [part if isinstance(part, dict) else {"type": "text", "text": str(part)} for part in value]
    if all(part.get("type") in _TEXTS for part in parts):
        return "".join(str(part.get("text") or "") for part in parts)
    return [{name: entry for name, entry in part.items() if name != "cache_control"} for part in parts]


def _joined(before: Any, more: Any) -> Any:
    return before + more if isinstance(before, str) and isinstance(more, str) else before or more


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
