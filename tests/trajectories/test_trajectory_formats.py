"""What each trainer reads is accepted by it: openai's types, transformers, datasets, atif, LLaMA-Factory's rules."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from atif import Trajectory
from datasets import load_dataset  # type: ignore[import-untyped]
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter
from transformers.utils.chat_template_utils import get_json_schema

from gitgoodbench import Run, tool_class, tool_schemas
from gitgoodbench.trajectories import formats
from gitgoodbench.trajectories.choosing import Pair
from gitgoodbench.trajectories.export import write_rows
from gitgoodbench.trajectories.messages import well_formed
from gitgoodbench.trajectories.packed import MessageSpool
from gitgoodbench.trajectories.rows import REWARD_RULE, AsideRow, Row, read_rows
from gitgoodbench.trajectories.source import Source
from tests.support.trajectory_rows import TOOL, conversation, row

MESSAGES: TypeAdapter[list[ChatCompletionMessageParam]] = TypeAdapter(list[ChatCompletionMessageParam])
TOOLS: TypeAdapter[list[ChatCompletionToolParam]] = TypeAdapter(list[ChatCompletionToolParam])


@pytest.fixture(scope="module")
def rows(played: list[Run]) -> list[Row]:
    return [one for run in played for one in read_rows(Source.of(run.folder), MessageSpool())]


def test_a_run_gives_a_row_for_each_episode_with_its_reward_and_where_it_is_from(
    rows: list[Row], played: list[Run]
) -> None:
    assert {(one.run_id, one.scenario, one.sample_id) for one in rows} == {
        (run.id, result.scenario, result.sample_id) for run in played for result in run.results
    }
    best = next(one for one in rows if one.run_id == "tool-oracle" and one.scenario == "mcr")
    assert (best.reward, best.solved, best.license, best.repository) == (1.0, True, "apache-2.0", "mini/tidewater")
    assert [tool["function"]["name"] for tool in best.tools] == [
        schema["function"]["name"] for schema in tool_schemas("mcr")
    ]
    assert len(best.commits) == 3
    assert best.metadata()["reward_rule"] == REWARD_RULE
    json.dumps(best.metadata())


def check_openai(record: dict[str, Any]) -> None:
    MESSAGES.validate_python(record["messages"])
    for message in record["messages"]:
        json.dumps(message)
    TOOLS.validate_python(record["tools"])
    assert record["messages"][-1]["role"] == "assistant"
    assert set(record) == {"messages", "tools", "parallel_tool_calls"}


def test_openai_rows_fit_the_types_of_the_package_and_end_on_the_assistant(rows: list[Row]) -> None:
    for one in rows:
        check_openai(formats.openai(one))
    parallel = formats.openai(row(messages=conversation("a", "b")))
    check_openai(parallel)
    assert parallel["parallel_tool_calls"] is True
    assert "reasoning_content" not in json.dumps(formats.openai(row(messages=with_reasoning())))


def with_reasoning() -> tuple[dict[str, Any], ...]:
    first, second, answer, *rest = conversation("a")
    return (first, second, {**answer, "reasoning_content": "hm"}, *rest)


def test_trl_rows_have_arguments_as_objects_and_tools_that_transformers_makes_of_the_methods() -> None:
    record = formats.trl(row(messages=conversation("a", text=None)))
    assert [message["role"] for message in record["prompt"]] == ["system", "user"]
    call = record["completion"][0]["tool_calls"][0]["function"]
    assert call == {"name": "view", "arguments": {"path": "a"}}
    assert record["completion"][0]["content"] == ""
    for scenario in ("mcr", "ir", "icc"):
        schemas = {one["function"]["name"]: one["function"] for one in tool_schemas(scenario, "extended")}
        made = tool_class(scenario, "extended")
        for name, schema in schemas.items():
            found = get_json_schema(getattr(made(), name))["function"]
            assert found["name"] == name
            assert set(found["parameters"]["properties"]) == set(schema["parameters"]["properties"])
            assert found["parameters"].get("required", []) == schema["parameters"].get("required", [])


def test_a_preference_has_one_prompt_and_two_completions() -> None:
    record = formats.trl_pair(Pair(row(1, reward=1.0), row(2, reward=0.0), "reward"))
    assert set(record) == {"prompt", "chosen", "rejected", "tools"}
    assert record["chosen"][0]["tool_calls"][0]["function"]["arguments"] == {"path": "file1.py"}
    assert record["rejected"][0]["tool_calls"][0]["function"]["arguments"] == {"path": "file2.py"}


def check_sharegpt(record: dict[str, Any]) -> None:
    """LLaMA-Factory's documented rules: alternation, and a call that its formatter can read."""
    turns = record["conversations"]
    assert len(turns) % 2 == 0
    for at, turn in enumerate(turns):
        assert turn["from"] in (("human", "observation") if at % 2 == 0 else ("gpt", "function_call"))
        if turn["from"] == "function_call":
            text = re.sub(r"<think>\n(.*?)\n</think>\n\n", "", turn["value"], flags=re.DOTALL)
            calls = json.loads(text)
            for call in calls if isinstance(calls, list) else [calls]:
                assert set(call) == {"name", "arguments"}
                assert isinstance(call["arguments"], dict)
    for tool in json.loads(record["tools"]):
        assert {"name", "description", "parameters"} <= set(tool)


def test_sharegpt_rows_alternate_and_keep_parallel_results_text_and_reminders(rows: list[Row]) -> None:
    for one in rows:
        check_sharegpt(formats.sharegpt(one))
    record = formats.sharegpt(row(messages=conversation("a", "b")))
    check_sharegpt(record)
    assert record["system"] == "You merge."
    assert [turn["from"] for turn in record["conversations"]] == ["human", "function_call", "observation", "gpt"]
    assert "I look." in record["conversations"][1]["value"]
    assert record["conversations"][2]["value"] == '["content 0", "content 1"]\n\nGo on.'


def test_sub_agents_are_documents_within_and_referred_to() -> None:
    helping = AsideRow("1", conversation("b.py"), (TOOL,), "c0")
    title = AsideRow("0", conversation(), (), None)
    document = formats.atif(row(messages=conversation("a.py"), asides=(title, helping)))
    Trajectory.model_validate(document)
    assert [one["trajectory_id"] for one in document["subagent_trajectories"]] == [
        "run/mcr/sample/0/0", "run/mcr/sample/0/1"
    ]  # fmt: skip
    (step,) = [step for step in document["steps"] if step.get("observation")]
    assert step["observation"]["results"][0]["subagent_trajectory_ref"] == [{"trajectory_id": "run/mcr/sample/0/1"}]
    assert document["final_metrics"]["extra"]["asides"] == 2
    assert len(formats.openai(row(asides=(title,)))["messages"]) == len(formats.openai(row())["messages"])


def test_atif_documents_are_valid_and_carry_the_reward(rows: list[Row], tmp_path: Path) -> None:
    written = write_rows(rows, "atif", tmp_path)
    assert len(written) == len(rows)
    for one, path in zip(rows, written, strict=True):
        document = Trajectory.model_validate_json(path.read_bytes())
        assert document.final_metrics is not None
        assert document.final_metrics.extra is not None
        assert document.final_metrics.extra["reward"] == one.reward
        assert [step.step_id for step in document.steps] == list(range(1, len(document.steps) + 1))
    parallel = formats.atif(row(messages=conversation("a", "b")))
    results = parallel["steps"][2]["observation"]["results"]
    assert [result["source_call_id"] for result in results] == ["c0", "c1"]
    assert parallel["steps"][2]["llm_call_count"] == 1


@pytest.mark.parametrize("form", ["parquet", "trl", "sharegpt", "openai"])
def test_datasets_loads_what_is_written(form: Any, tmp_path: Path) -> None:
    given = [
        row(1, messages=conversation("a", "b")),
        row(2, messages=with_reasoning(), tools=(), license=None, model=None, cost_usd=None),
        row(3, messages=conversation("a", text=None), solved=None),
    ]
    path, *_ = write_rows(given, form, tmp_path / f"rows{'.parquet' if form == 'parquet' else '.jsonl'}")
    kind = "parquet" if form == "parquet" else "json"
    loaded = load_dataset(kind, data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(loaded) == 3
    if form == "parquet":
        assert loaded["id"] == [one.id for one in given]
        assert loaded[0]["messages"][2]["tool_calls"][1]["function"] == {"name": "view", "arguments": '{"path": "b"}'}
        assert json.loads(loaded[0]["tools"]) == [TOOL]
        assert loaded[1]["license"] is None
        assert loaded[2]["messages"][2]["content"] is None


def test_lone_surrogates_become_replacement_characters() -> None:
    assert well_formed({"a\udc80": ["b\ud800c", "\U0001f600", 1, None]}) == {
        "a\ufffd": ["b\ufffdc", "\U0001f600", 1, None]
    }
    odd = {"id": "c", "type": "function", "function": {"name": "view", "arguments": '{"path": "\\udc80"}'}}
    record = formats.trl(row(messages=(*conversation("a")[:2], {"role": "assistant", "tool_calls": [odd]})))
    assert record["completion"][0]["tool_calls"][0]["function"]["arguments"] == {"path": "\ufffd"}
