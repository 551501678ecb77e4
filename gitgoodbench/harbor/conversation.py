"""The conversation of a trial: its ATIF document, which is the agent's and hostile, as messages of Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

_LIMIT: Final = 256 * 1024 * 1024
_ROLES: Final = ("system", "user")
_USAGE: Final = {
    "prompt_tokens": "total_prompt_tokens",
    "cached_tokens": "total_cached_tokens",
    "completion_tokens": "total_completion_tokens",
    "cost_usd": "total_cost_usd",
}


def read_document(path: Path) -> dict[str, Any] | None:
    """The document in a file; None where there is none, or nobody can read it."""
    try:
        if path.is_symlink() or path.stat().st_size > _LIMIT:
            return None
        found = json.loads(path.read_bytes(), parse_constant=_no_number)
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("steps"), list) else None


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def messages_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """An ATIF document as messages: calls with their results behind them."""
    messages: list[dict[str, Any]] = []
    for step in _objects(document.get("steps")):
        if step.get("source") == "agent":
            messages += _agent_messages(step)
        else:
            role = step["source"] if step.get("source") in _ROLES else "user"
            messages.append({"role": role, "content": _text(step.get("message"))})
    return messages


def _agent_messages(step: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    calls = list(_objects(step.get("tool_calls")))
    message: dict[str, Any] = {"role": "assistant", "content": _text(step.get("message"))}
    if reasoning := _text(step.get("reasoning_content")):
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = [_call(call) for call in calls]
    yield message
    observation = step.get("observation")
    results = list(_objects(observation.get("results") if isinstance(observation, dict) else None))
    answered = {str(result.get("source_call_id")): result for result in results}
    for call in calls:
        found = answered.get(str(call.get("tool_call_id")))
        if found is None and len(calls) == len(results) == 1:  # some agents name no call where there is but one
            found = results[0]
        if found is not None:
            text = _text(found.get("content"))
            yield {"role": "tool", "tool_call_id": str(call.get("tool_call_id")), "content": text}
    if not calls and results:  # a shell without calls: what it printed is what the model saw next
        yield {"role": "user", "content": "\n".join(_text(result.get("content")) for result in results)}


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else iter(())


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": str(call.get("function_name")), "arguments": json.dumps(call.get("arguments") or {})}
    return {"id": str(call.get("tool_call_id")), "type": "function", "function": function}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in _objects(value))
    return value if isinstance(value, str) else ""


def usage_of(told: Mapping[str, Any], document: Mapping[str, Any] | None) -> dict[str, Any]:
    """Tokens and costs as Harbor has them of a trial, else as the document has them; what is unknown is null."""
    names = {
        "prompt_tokens": "n_input_tokens",
        "cached_tokens": "n_cache_tokens",
        "completion_tokens": "n_output_tokens",
        "cost_usd": "cost_usd",
    }
    found = {ours: _count(told.get(theirs)) for ours, theirs in names.items()}
    metrics = (document or {}).get("final_metrics")
    if isinstance(metrics, dict) and all(value is None for value in found.values()):
        found = {ours: _count(metrics.get(theirs)) for ours, theirs in _USAGE.items()}
    return {name: value if name == "cost_usd" or isinstance(value, int) else None for name, value in found.items()}


def _count(value: Any) -> int | float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number and 0 <= value < 2**53 else None
