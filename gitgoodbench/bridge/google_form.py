"""Conversations of Google's Gemini API as Chat Completions has them; see `chat_form`. Pure.

Calls may come without an id there, and results with one that only the client knows. Here each call has one, made of
what it says, and a result belongs to the first open call of its name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from gitgoodbench.bridge.google import field_of, first_parts, plain
from gitgoodbench.models.apis.base import mapping
from gitgoodbench.models.messages import Message


def messages_in(body: Mapping[str, Any]) -> list[Message]:
    """The conversation in a request."""
    messages: list[Message] = []
    system = field_of(body, "systeminstruction")
    if system:
        text = system if isinstance(system, str) else _text(mapping(system).get("parts"))
        messages.append({"role": "system", "content": text})
    pending: list[tuple[str, str]] = []
    contents = body.get("contents")
    for turn in contents if isinstance(contents, list) else [contents]:
        parts = _objects(mapping(turn).get("parts"))
        if mapping(turn).get("role") == "model":
            message = _answer(parts)
            pending = [(call["function"]["name"], call["id"]) for call in message.get("tool_calls", ())]
            messages.append(message)
        else:
            messages += _asked(parts, pending)
    return messages


def answer_in(reply: Any) -> Message:
    """The model's message in a reply.

    Raises:
        ValueError: there is none.
    """
    parts = first_parts(reply)
    if parts is None:
        raise ValueError("candidates are missing")
    return _answer(_objects(parts))


def functions_in(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tools in a request."""
    return [
        {"type": "function", "function": _function(entry)}
        for tool in _objects(body.get("tools"))
        for entry in _objects(field_of(tool, "functiondeclarations"))
    ]


def _function(declared: Mapping[str, Any]) -> dict[str, Any]:
    parameters = declared.get("parameters") or field_of(declared, "parametersjsonschema")
    function = {"name": declared.get("name"), "description": declared.get("description"), "parameters": parameters}
    return {name: value for name, value in function.items() if value is not None}


def _answer(parts: Iterable[Mapping[str, Any]]) -> Message:
    message: Message = {"role": "assistant", "content": None}
    for part in parts:
        call = field_of(part, "functioncall")
        if isinstance(call, dict):
            calls = message.setdefault("tool_calls", [])
            calls.append(_call(call, len(calls)))
        elif isinstance(part.get("text"), str):
            name = "reasoning" if part.get("thought") else "content"
            message[name] = (message.get(name) or "") + part["text"]
        else:
            message.setdefault("other", []).append(dict(part))
    return message if len(message) > len(("role", "content")) else {**message, "content": message["content"] or ""}


def _call(call: Mapping[str, Any], number: int) -> dict[str, Any]:
    name, arguments = str(call.get("name")), json.dumps(call.get("args") or {}, ensure_ascii=False)
    made = hashlib.sha256(f"{number} {name} {arguments}".encode("utf-8", "replace")).hexdigest()[:12]
    identity = call.get("id") or f"call_{made}"
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def _asked(parts: Iterable[Mapping[str, Any]], pending: list[tuple[str, str]]) -> list[Message]:
    """A turn of the user: results of tools are messages of their own."""
    results: list[Message] = []
    spoken: list[Mapping[str, Any]] = []
    for part in parts:
        result = field_of(part, "functionresponse")
        if isinstance(result, dict):
            content = _result(result.get("response"))
            results.append({"role": "tool", "tool_call_id": _answered(result, pending), "content": content})
        else:
            spoken.append(part)
    if not spoken:
        return results
    plain_text = all(isinstance(part.get("text"), str) for part in spoken)
    content = _text(spoken) if plain_text else [_part(part) for part in spoken]
    return [*results, {"role": "user", "content": content}]


def _answered(result: Mapping[str, Any], pending: list[tuple[str, str]]) -> Any:
    """The id of the call that a result belongs to, which is open no longer."""
    name, identity = str(result.get("name")), result.get("id")
    found = next((at for at, call in enumerate(pending) if call[1] == identity), None)
    if found is None:
        found = next((at for at, call in enumerate(pending) if call[0] == name), None)
    return identity or name if found is None else pending.pop(found)[1]


def _result(response: Any) -> Any:
    """What a tool said: a text where the response is nothing but one."""
    if isinstance(response, dict) and len(response) == 1:
        (text,) = response.values()
        if isinstance(text, str):
            return text
    return response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    data = field_of(part, "inlinedata")
    if isinstance(data, dict):
        kind = next((entry for name, entry in data.items() if plain(name) == "mimetype"), "")
        return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data.get('data')}"}}
    return dict(part)


def _text(parts: Any) -> str:
    return "".join(str(part.get("text") or "") for part in _objects(parts))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
