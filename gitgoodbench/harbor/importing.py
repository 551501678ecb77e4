"""Read finished jobs of Harbor as predictions: what agents left, their conversations, and what they used."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gitgoodbench.errors import AgentFailed, Status, UserError
from gitgoodbench.harbor.outcome import COLLECTED, collected_outcome
from gitgoodbench.runs.prediction_lines import Line
from gitgoodbench.scenario import Outcome
from gitgoodbench.text import one_line

_TIMEOUT: Final = "AgentTimeoutError"
_TRAJECTORY_LIMIT: Final = 256 * 1024 * 1024


@dataclass(frozen=True)
class Job:
    """lines: of trials that left an outcome. others: the trials that did not, and why."""

    lines: tuple[Line, ...]
    others: tuple[str, ...]
    agent: str | None


def read_job(folder: Path) -> Job:
    """The trials of a job.

    Raises:
        UserError: it is no job, or two of its trials are of one episode.
    """
    lines: dict[str, Line] = {}
    others, agents = [], set()
    for trial in _trials(folder):
        result = _json(trial / "result.json")
        collected = trial / "artifacts" / COLLECTED.lstrip("/")
        agents.add(str((result.get("agent_info") or {}).get("name") or ""))
        episode = _episode(collected)
        if episode is None:
            others.append(f"{trial.name}: {_exception(result) or 'no outcome was collected'}")
            continue
        if episode in lines:
            raise UserError(
                f"{trial}: {episode} has a trial already, {lines[episode].place}; import jobs with one attempt each"
            )
        lines[episode] = _line(trial, episode, result, collected)
    if not lines and not others:
        raise UserError(f"{folder} is no job of Harbor: no trial in it has a result.json")
    agents.discard("")
    return Job(tuple(lines.values()), tuple(others), agents.pop() if len(agents) == 1 else None)


def _trials(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.glob("*/result.json")):
        if "trial_name" in _json(path):
            yield path.parent


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        raise UserError(f"{path} cannot be read: {one_line(str(problem), 200)}") from problem
    if not isinstance(found, dict):
        raise UserError(f"{path} is no JSON object")
    return found


def _episode(collected: Path) -> str | None:
    path = collected / "episode"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 1000:
        return None
    text = path.read_text("utf-8", "replace").strip()
    return text if text.count("/") == 1 else None


def _exception(result: Mapping[str, Any]) -> str | None:
    raised = result.get("exception_info")
    if not isinstance(raised, dict):
        return None
    return one_line(f"{raised.get('exception_type')}: {raised.get('exception_message')}", 300)


def _line(trial: Path, episode: str, result: Mapping[str, Any], collected: Path) -> Line:
    scenario, _, sample_id = episode.partition("/")
    try:
        outcome = collected_outcome(collected)
    except AgentFailed as problem:
        outcome = Outcome(None, None, problem=str(problem))
    raised = _exception(result)
    if raised is not None and "Agent" in raised.partition(":")[0]:  # else what came after the agent: it is scored here
        status = Status.LIMIT_REACHED if raised.startswith(_TIMEOUT) else Status.AGENT_FAILED
        outcome = replace(outcome, agent_status=status, agent_error=raised)
    model = ((result.get("agent_info") or {}).get("model_info") or {}).get("name")
    fields: dict[str, Any] = {"outcome": json.loads(outcome.to_json()), "model_name_or_path": model}
    document = _trajectory(trial / "agent" / "trajectory.json")
    if document is not None:
        fields["messages"] = messages_of(document)
    fields["usage"] = _usage(result.get("agent_result") or {})
    if not any(value is not None for value in fields["usage"].values()) and document is None:
        del fields["usage"]
    return Line(str(trial), sample_id, scenario, fields)


def _usage(told: Mapping[str, Any]) -> dict[str, Any]:
    names = {
        "n_input_tokens": "prompt_tokens",
        "n_cache_tokens": "cached_tokens",
        "n_output_tokens": "completion_tokens",
    }
    return {ours: told.get(theirs) for theirs, ours in names.items()} | {"cost_usd": told.get("cost_usd")}


def _trajectory(path: Path) -> dict[str, Any] | None:
    """The ATIF document of a trial; None where there is none, or nobody can read it."""
    try:
        if path.is_symlink() or path.stat().st_size > _TRAJECTORY_LIMIT:
            return None
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("steps"), list) else None


def messages_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """An ATIF document as messages of Chat Completions: calls with their results behind them."""
    messages: list[dict[str, Any]] = []
    for step in document["steps"]:
        if not isinstance(step, dict):
            continue
        if step.get("source") != "agent":
            messages.append({"role": step.get("source") or "user", "content": _text(step.get("message"))})
            continue
        calls = [call for call in step.get("tool_calls") or () if isinstance(call, dict)]
        message: dict[str, Any] = {"role": "assistant", "content": _text(step.get("message"))}
        if step.get("reasoning_content"):
            message["reasoning_content"] = step["reasoning_content"]
        if calls:
            message["tool_calls"] = [_call(call) for call in calls]
        messages.append(message)
        results = (step.get("observation") or {}).get("results") or ()
        answered = {result.get("source_call_id"): result for result in results if isinstance(result, dict)}
        messages += [
            {"role": "tool", "tool_call_id": str(call.get("tool_call_id")), "content": _text(found.get("content"))}
            for call in calls
            if (found := answered.get(call.get("tool_call_id"))) is not None
        ]
    return messages


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": str(call.get("function_name")), "arguments": json.dumps(call.get("arguments") or {})}
    return {"id": str(call.get("tool_call_id")), "type": "function", "function": function}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(str(part.get("text") or "") for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""
