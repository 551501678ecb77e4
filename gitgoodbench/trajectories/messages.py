"""Messages as training needs them. Our own are well-formed; those of conversations from elsewhere may be anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from gitgoodbench.models.messages import Message, ToolCall, recorded_call

ROLES: Final = ("system", "user", "assistant", "tool")


def cleaned(message: Mapping[str, Any]) -> Message | None:
    """What training needs of a message: no ids and signatures of a server, reasoning under one name.

    None where its role is none of `ROLES`. Calls without an id or a name are left out: no result can belong to them.
    """
    role = message.get("role")
    if role not in ROLES:
        return None
    kept: Message = {"role": role}
    content = _text(message.get("content"))
    calls = _calls(message.get("tool_calls")) if role == "assistant" else []
    if content is not None or not calls:
        kept["content"] = content or ""
    if calls:
        kept["tool_calls"] = calls
    if role == "tool":
        kept["tool_call_id"] = str(message.get("tool_call_id"))
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(reasoning, str) and role == "assistant":
        kept["reasoning_content"] = reasoning
    well: Message = well_formed(kept)
    return well


def well_formed(value: Any) -> Any:
    """JSON values whose texts UTF-8 can hold: a lone surrogate, which models do send, becomes U+FFFD."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [well_formed(each) for each in value]
    if isinstance(value, dict):
        return {well_formed(name): well_formed(each) for name, each in value.items()}
    return value


def _text(content: Any) -> str | None:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else None


def _calls(calls: Any) -> list[dict[str, Any]]:
    found = []
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(call.get("id"), str):
            continue
        name, arguments = function.get("name"), function.get("arguments")
        if not isinstance(name, str) or not name or not call["id"]:
            continue
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        found.append(recorded_call(ToolCall(call["id"], name, text)))
    return found
