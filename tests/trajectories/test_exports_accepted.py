"""Programs and a model play all three scenarios; each format is exported by the command and read by what it is for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from atif import Trajectory
from datasets import load_dataset  # type: ignore[import-untyped]
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter
from transformers.utils.chat_template_utils import render_jinja_template

from gitgoodbench import evaluate
from gitgoodbench.cli import run
from tests.support.llm_reply import Call, Reply, calls, replies
from tests.support.scripted_llm import Request, ScriptedServer

AGENTS = ("tool-oracle", "ours", "autosquash", "per-hunk")
LOOKS = {
    "view_file_at": [
        Call("view_current_merge_conflict_with", "{}"),
        Call("view_merge_conflict_at", '{"conflict_index": 0}'),
    ],
    "execute_rebase": [Call("view_rebase_todo", "{}"), Call("show_changes_in", '{"commit_index": 0}')],
    "commit_changes_in": [
        Call.of("commit_changes_in", selected_hunks=[99], commit_message="None such"),
        Call.of("commit_changes_in", selected_hunks=[1], commit_message="First"),
    ],
}
ENDS = {
    "view_file_at": calls("resolve_current_merge_conflict_by_choosing", choice="ours"),
    "execute_rebase": calls("execute_rebase"),
    "commit_changes_in": calls("commit_remaining_changes", commit_message="Commit everything"),
}
TEMPLATE = """{% for tool in tools %}{{ tool | tojson }}{% endfor %}
{% for m in messages %}[{{ m.role }}]{{ m.content }}{% for c in m.tool_calls %}<call>{{ c.function.name }}
{% for name, value in c.function.arguments.items() %}{{ name }}={{ value | tojson }};{% endfor %}{% endfor %}
{% endfor %}"""


def play(request: Request) -> Reply:
    """A model that thinks aloud, looks at two things at once, and ends."""
    kind = next(name for name in LOOKS if name in request.tool_names)
    if request.turn:
        return ENDS[kind]
    return replies("I look.", LOOKS[kind], reasoning_content="Two things to see.")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    out = tmp_path_factory.mktemp("runs")
    common: dict[str, Any] = {
        "out": out,
        "sandbox": "local",
        "sample": ["mini_tidewater_merge_0000", "mini_tidewater_file_commit_chain_0001"],
    }
    for agent in AGENTS:
        evaluate("mini", agent, run_id=agent, **common)
    with pytest.MonkeyPatch.context() as surroundings, ScriptedServer(play) as server:
        surroundings.setenv("OPENAI_API_KEY", "none")
        evaluate("mini", "openai", run_id="model", model="gpt", base_url=server.url, **common)
    return [str(out / name) for name in (*AGENTS, "model")]


def exported(form: str, folders: Sequence[str], out: Path) -> Path:
    arguments = ["--allow-evaluation-data", "--test-share", "0", "--near-duplicates", "1", "--format", form]
    assert run(["trajectories", *folders, *arguments, "--out", str(out)]) == 0
    return out


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def rows_of(path: Path, tmp_path: Path, kind: str = "json") -> list[dict[str, Any]]:
    return list(load_dataset(kind, data_files=str(path), split="train", cache_dir=str(tmp_path / "cache")))


def test_openai_rows(folders: list[str], tmp_path: Path) -> None:
    messages, tools = TypeAdapter(list[ChatCompletionMessageParam]), TypeAdapter(list[ChatCompletionToolParam])
    out = exported("openai", folders, tmp_path / "out")
    rows, metadata = lines(out / "train.jsonl"), lines(out / "train.metadata.jsonl")
    assert {(one["scenario"], one["agent"]) for one in metadata} >= {(s, "openai") for s in ("mcr", "ir", "icc")}
    for one in rows:
        messages.validate_python(one["messages"])
        tools.validate_python(one["tools"])
        assert one["messages"][-1]["role"] == "assistant"
        check_results(one["messages"])
    assert any(one["parallel_tool_calls"] for one in rows)
    assert len(rows_of(out / "train.jsonl", tmp_path)) == len(rows)


def check_results(messages: Sequence[dict[str, Any]]) -> None:
    """What the service demands: after an answer with calls the results of all of them, and of no others."""
    for at, message in enumerate(messages[:-1]):
        ids = [call["id"] for call in message.get("tool_calls") or ()]
        after = messages[at + 1 : at + 1 + len(ids)]
        assert [one.get("tool_call_id") for one in after] == ids
        if message["role"] == "tool":
            assert any(one.get("tool_calls") for one in messages[:at])


def test_trl_rows_are_rendered_by_a_chat_template_that_prints_arguments(folders: list[str], tmp_path: Path) -> None:
    out = exported("trl", folders, tmp_path / "out")
    rows = rows_of(out / "train.jsonl", tmp_path)
    assert rows == lines(out / "train.jsonl"), "datasets adds no empty fields to arguments or schemas"
    for one in rows:
        conversation = [*one["prompt"], *one["completion"]]
        rendered: Any = render_jinja_template([conversation], tools=one["tools"], chat_template=TEMPLATE)
        text = rendered[0][0]  # a pair at run time, a str by its annotation
        first = one["completion"][0]["tool_calls"][0]["function"]
        assert f"<call>{first['name']}" in text
        assert all(json.dumps(tool, ensure_ascii=False)[:60] in text for tool in one["tools"])
        assert json.loads(one["metadata"])["reward_rule"]


def test_sharegpt_rows(folders: list[str], tmp_path: Path) -> None:
    rows = rows_of(exported("sharegpt", folders, tmp_path / "out") / "train.jsonl", tmp_path)
    for one in rows:
        senders = [turn["from"] for turn in one["conversations"]]
        assert len(senders) % 2 == 0
        assert set(senders[::2]) <= {"human", "observation"}
        assert set(senders[1::2]) <= {"gpt", "function_call"}
        assert json.loads(one["tools"])
    assert any("Two things to see.\n\nI look." in turn["value"] for one in rows for turn in one["conversations"])


def test_atif_documents(folders: list[str], tmp_path: Path) -> None:
    documents = sorted((exported("atif", folders, tmp_path / "out") / "train").rglob("*.json"))
    read = [Trajectory.model_validate_json(path.read_bytes()) for path in documents]
    by_model = [one for one in read if one.agent.model_name == "gpt"]
    assert len(by_model) == 3
    assert len(read) > len(by_model)
    assert by_model[0].steps[2].reasoning_content == "Two things to see."


def test_parquet_rows(folders: list[str], tmp_path: Path) -> None:
    rows = rows_of(exported("parquet", folders, tmp_path / "out") / "train.parquet", tmp_path, "parquet")
    assert {one["scenario"] for one in rows} == {"mcr", "ir", "icc"}
    assert {one["run_id"] for one in rows} == {*AGENTS, "model"}
    assert all(json.loads(one["tools"]) and 0 <= one["reward"] <= 1 for one in rows)
