"""The conversation of a trial: its ATIF document, which is the agent's and hostile, as messages of Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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
    yield from _result_messages([str(call.get("tool_call_id")) for call in calls], results)


def _result_messages(calls: Sequence[str], results: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Results behind their calls. A terminal prints once for several commands, and names none: the last has it all."""
    named = {str(result.get("source_call_id")): _text(result.get("content")) for result in results}
    loose = [_text(result.get("content")) for result in results if str(result.get("source_call_id")) not in calls]
    open_calls = [call for call in calls if call not in named]
    if loose and open_calls:
        named |= dict.fromkeys(open_calls, "") | {open_calls[-1]: "\n".join(loose)}
        loose = []
    for call in calls:
        if call in named:
            yield {"role": "tool", "tool_call_id": call, "content": named[call]}
    if loose:  # what the model saw next, though it called nothing
        yield {"role": "user", "content": "\n".join(loose)}


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
