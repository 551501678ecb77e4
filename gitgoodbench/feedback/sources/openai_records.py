"""One exchange with a model, in the shapes in which gateways and loggers write OpenAI's requests and responses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.feedback.records import Message
from gitgoodbench.feedback.sources.tool_calls import arguments_of
from gitgoodbench.feedback.sources.values import at, count, name, number, rows, seconds, table, text

_SESSION: Final = (
    "session_id", "sessionId", "session", "conversation_id", "conversation", "thread_id", "trace_id", "traceId",
)  # fmt: skip
_TIMES: Final = ("created", "created_at")
_LOGGED: Final = (
    "timestamp",
    "time",
    "startTime",
    "start_time",
    "endTime",
    "end_time",
    "createdAt",
    "created_at",
    "ts",
)
_BEGAN: Final = (("startTime", "endTime"), ("start_time", "end_time"))
_COSTS: Final = ("response_cost", "cost", "calculatedTotalCost", "cost_usd", "total_cost")
_FIRST: Final = 2
"""Messages by which a conversation without a name is known."""


@dataclass(frozen=True)
class Call:
    """A call of a tool. known_by: its id; arguments: an object or a text."""

    known_by: str
    tool: str
    arguments: Any


@dataclass(frozen=True)
class Exchange:
    """One request and its whole answer.

    results: what calls of earlier answers gave, by their ids, as the request tells the model.
    """

    session: str
    message: Message
    texts: tuple[str, ...]
    calls: tuple[Call, ...]
    results: tuple[tuple[str, str], ...]
    folder: str | None
    variant: str | None
    randomised: bool


def exchange_of(record: dict[str, Any]) -> Exchange | str:
    """The exchange of a line, or why it is none."""
    request, response = _request(record), _response(record)
    if text(response, "object") == "chat.completion.chunk" or text(record, "object") == "chat.completion.chunk":
        return "a piece of a streamed answer"
    outputs = list(_outputs(response))
    if not outputs:
        return "a line without an answer"
    metadata = (table(record, "metadata"), table(request, "metadata"), table(response, "metadata"))
    own = name(response, "id") or name(record, "id") or _hash(response)
    return Exchange(
        _named((record, *metadata, request, response)) or _hash(_beginning(request)),
        _message(own, record, request, response),
        tuple(said for output in outputs if (said := _said(output))),
        tuple(call for output in outputs for call in _calls(output)),
        tuple(_results(request)),
        next((found for one in (record, *metadata) for key in ("cwd", "folder") if (found := name(one, key))), None),
        next((found for one in (record, *metadata) if (found := name(one, "variant"))), None),
        any(one.get("randomised") is True for one in (record, *metadata)),
    )


def _request(record: dict[str, Any]) -> dict[str, Any]:
    for key in ("request", "kwargs", "body"):
        if found := table(record, key):
            return table(found, "body") or found
    given = record.get("input")
    if isinstance(given, dict) and ("messages" in given or "input" in given):
        return given
    return {**record, "messages": given} if isinstance(given, list) and "messages" not in record else record


def _response(record: dict[str, Any]) -> dict[str, Any]:
    for key in ("response", "output", "completion"):
        found = arguments_of(record.get(key))
        if isinstance(found, dict):
            return table(found, "body") or found
        if isinstance(found, str) and found:
            return {"choices": [{"message": {"role": "assistant", "content": found}}]}
        if isinstance(found, list) and found:
            return {**record, "output": found}
    return record


def _outputs(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages of all choices, or the items of a response."""
    for choice in rows(response, "choices"):
        if isinstance(at(choice, "message"), dict):
            yield choice["message"]
    for item in rows(response, "output"):
        if isinstance(item, dict) and (item.get("type") or item.get("role") == "assistant"):
            yield item
    if response.get("role") == "assistant":
        yield response


def _said(output: dict[str, Any]) -> str:
    """The text of a message; of other items, as those of reasoning, none."""
    if output.get("type") not in (None, "message"):
        return ""
    content = output.get("content")
    if isinstance(content, list):
        return "\n".join(found for part in content if (found := text(part, "text")))
    return content if isinstance(content, str) else ""


def _calls(output: dict[str, Any]) -> Iterator[Call]:
    kind = output.get("type")
    if kind == "apply_patch_call":
        yield Call(name(output, "call_id") or "patch", "apply_patch", _as_patch(table(output, "operation")))
    elif kind in ("function_call", "custom_tool_call"):
        given = output.get("arguments") if kind == "function_call" else output.get("input")
        if (tool := name(output, "name")) is not None:
            yield Call(name(output, "call_id") or name(output, "id") or "call", tool, arguments_of(given))
    for position, one in enumerate(rows(output, "tool_calls")):
        said = table(one, "function") or table(one, "custom")
        if (tool := name(said, "name")) is not None:
            given = said.get("arguments") if "arguments" in said else said.get("input")
            yield Call(name(one, "id") or str(position), tool, arguments_of(given))
    if (tool := name(output, "function_call", "name")) is not None:
        yield Call("call", tool, arguments_of(at(output, "function_call", "arguments")))


def _as_patch(operation: dict[str, Any]) -> str:
    """An operation of the built-in patch tool as the patch that it is a part of."""
    kind = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}.get(
        text(operation, "type") or "", ""
    )
    path, diff = name(operation, "path") or "", text(operation, "diff") or ""
    return f"*** Begin Patch\n*** {kind} File: {path}\n{diff}\n*** End Patch"


def _results(request: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for message in [*rows(request, "messages"), *rows(request, "input")]:
        known_by = name(message, "tool_call_id") or name(message, "call_id")
        if known_by is None or at(message, "role") == "assistant":
            continue
        content = at(message, "content") if "content" in message else at(message, "output")
        if isinstance(content, list):
            content = "\n".join(found for part in content if (found := text(part, "text")))
        if isinstance(content, str) and (at(message, "role") == "tool" or str(at(message, "type")).endswith("_output")):
            yield known_by, content


def _message(known_by: str, record: dict[str, Any], request: dict[str, Any], response: dict[str, Any]) -> Message:
    usage = table(response, "usage") or table(record, "usage") or table(record, "usageDetails")
    began, ended = next(
        ((b, e) for first, last in _BEGAN if (b := seconds(record, first)) and (e := seconds(record, last))),
        (None, None),
    )
    created = [seconds(response, key) for key in _TIMES] + [seconds(record, key) for key in _LOGGED]
    latency = None if began is None or ended is None else ended - began
    took = number(record, "duration_ms")
    costs = [number(record, key) for key in _COSTS] + [number(usage, "cost")]
    return Message(
        known_by,
        next((one for one in created if one is not None), None),
        name(response, "model") or name(request, "model") or name(record, "model"),
        _either(usage, "prompt_tokens", "input_tokens", "input"),
        _detail(usage, ("prompt_tokens_details", "input_tokens_details"), "cached_tokens"),
        _either(usage, "completion_tokens", "output_tokens", "output"),
        _detail(usage, ("completion_tokens_details", "output_tokens_details"), "reasoning_tokens"),
        next((one for one in costs if one is not None and one >= 0), None),
        latency if took is None else took / 1000,
    )


def _either(usage: dict[str, Any], *keys: str) -> int | None:
    return next((found for key in keys if (found := count(usage, key)) is not None), None)


def _detail(usage: dict[str, Any], groups: tuple[str, ...], key: str) -> int | None:
    return next((found for group in groups if (found := count(usage, group, key)) is not None), None)


def _named(places: tuple[dict[str, Any], ...]) -> str | None:
    for one in places:
        for key in _SESSION:
            found = name(one, key) or name(one, key, "id")
            if found is not None:
                return found
    return None


def _beginning(request: dict[str, Any]) -> Any:
    """What all requests of one conversation begin with."""
    said = request.get("messages") or request.get("input")
    return [request.get("instructions"), said[:_FIRST] if isinstance(said, list) else said]


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
