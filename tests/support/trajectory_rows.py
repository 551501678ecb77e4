"""Rows of our own making."""

from __future__ import annotations

import json
from typing import Any

from gitgoodbench.trajectories.rows import Row

TOOL = {
    "type": "function",
    "function": {
        "name": "view",
        "description": "Show a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}


def call(number: int, name: str = "view", **arguments: Any) -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def conversation(*paths: str, text: str | None = "I look.") -> tuple[dict[str, Any], ...]:
    """A prompt, one answer with a call for each path, their results, a reminder, and a last word."""
    calls = [call(number, path=path) for number, path in enumerate(paths)]
    answer: dict[str, Any] = {"role": "assistant", "tool_calls": calls}
    return (
        {"role": "system", "content": "You merge."},
        {"role": "user", "content": "Merge this."},
        answer if text is None else {**answer, "content": text},
        *({"role": "tool", "tool_call_id": one["id"], "content": f"content {at}"} for at, one in enumerate(calls)),
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "Done."},
    )


def row(number: int = 0, **fields: Any) -> Row:
    """A row; every field can be set."""
    usual: dict[str, Any] = {
        "id": f"run/mcr/sample/{number}",
        "run_id": "run",
        "scenario": "mcr",
        "sample_id": "sample",
        "epoch": number + 1,
        "messages": conversation(f"file{number}.py"),
        "tools": (TOOL,),
        "reward": 0.5,
        "solved": False,
        "status": "completed",
        "gates": {"committed": True},
        "scores": {"ted_similarity": 0.5, "unknown": None},
        "agent": "openai",
        "model": "gpt",
        "repository": "ada/app",
        "language": "python",
        "difficulty": "easy",
        "sample_type": "merge",
        "license": "mit",
        "tokens": 100,
        "tokens_estimated": False,
        "turns": 2,
        "cost_usd": 0.01,
        "commits": ("a" * 40,),
        "suite": "f" * 64,
        "harness": "0.1.0",
        "rules": {"gitgoodbench": "0.1.0"},
    }
    return Row(**(usual | fields))
