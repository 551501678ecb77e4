"""Conversations of trials: ATIF as agents write it, and as nobody should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.harbor.conversation import messages_of, read_document, usage_of

ATIF: dict[str, Any] = {
    "steps": [
        {"step_id": 1, "source": "user", "message": "Merge."},
        {
            "step_id": 2,
            "source": "agent",
            "message": "Looking.",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "git status"}}],
            "observation": {"results": [{"source_call_id": "c1", "content": "clean"}]},
        },
    ]
}


def agent_step(**fields: Any) -> dict[str, Any]:
    return {"steps": [{"source": "agent", "message": "", **fields}]}


def test_a_trajectory_becomes_messages_with_results_behind_their_calls() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "git status"}'}}
    assert messages_of(ATIF) == [
        {"role": "user", "content": "Merge."},
        {"role": "assistant", "content": "Looking.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "clean"},
    ]


def test_a_result_that_names_no_call_is_that_of_the_only_call() -> None:
    calls = [{"tool_call_id": "c1", "function_name": "bash", "arguments": {}}]
    document = agent_step(tool_calls=calls, observation={"results": [{"content": [{"type": "text", "text": "out"}]}]})
    assert messages_of(document)[1] == {"role": "tool", "tool_call_id": "c1", "content": "out"}


def test_what_a_terminal_printed_for_several_commands_is_the_last_ones_result() -> None:
    calls = [{"tool_call_id": f"c{number}", "function_name": "keys", "arguments": {}} for number in (1, 2)]
    results = messages_of(agent_step(tool_calls=calls, observation={"results": [{"content": "all of it"}]}))[1:]
    assert results == [
        {"role": "tool", "tool_call_id": "c1", "content": ""},
        {"role": "tool", "tool_call_id": "c2", "content": "all of it"},
    ]


def test_what_is_seen_without_a_call_is_said_by_the_user() -> None:
    seen = agent_step(message="ls", observation={"results": [{"content": "a"}, {"content": "b"}]})
    assert messages_of(seen) == [{"role": "assistant", "content": "ls"}, {"role": "user", "content": "a\nb"}]


@pytest.mark.parametrize(
    "steps",
    [
        [None, 1, "x", []],
        [{"source": ["agent"], "message": {"a": 1}}],
        [{"source": "agent", "tool_calls": {"a": 1}, "observation": "x", "reasoning_content": 5}],
        [{"source": "agent", "tool_calls": [{}], "observation": {"results": "x"}}],
        [{"source": "agent", "tool_calls": [{"tool_call_id": {}}], "observation": {"results": [None, {"a": []}]}}],
    ],
)
def test_junk_becomes_messages_all_the_same(steps: list[Any]) -> None:
    for message in messages_of({"steps": steps}):
        assert message["role"] in ("system", "user", "assistant", "tool")
        assert isinstance(message["content"], str)


@pytest.mark.parametrize("text", ["", "[]", '{"steps": {}}', '{"steps": [NaN]}', "[" * 100_000, "\xff"])
def test_what_is_no_document_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "trajectory.json"
    path.write_bytes(text.encode("latin-1"))
    assert read_document(path) is None
    link = tmp_path / "link.json"
    path.write_text(json.dumps(ATIF))
    link.symlink_to(path)
    assert read_document(path) == ATIF
    assert read_document(link) is None


def test_usage_is_harbors_else_the_documents_and_never_junk() -> None:
    metrics = {"final_metrics": {"total_prompt_tokens": 5, "total_cost_usd": 0.5, "total_completion_tokens": -1}}
    nothing = dict.fromkeys(("prompt_tokens", "cached_tokens", "completion_tokens", "cost_usd"))
    assert usage_of({}, metrics) == nothing | {"prompt_tokens": 5, "cost_usd": 0.5}
    assert usage_of({"n_output_tokens": 3}, metrics) == nothing | {"completion_tokens": 3}
    assert usage_of({"n_input_tokens": True, "n_cache_tokens": 1.5, "cost_usd": float("nan")}, None) == nothing
