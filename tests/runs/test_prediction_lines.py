"""Files of predictions: every form is read, and a wrong file is told from a wrong answer."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.errors import Status, UserError
from gitgoodbench.runs.prediction_lines import Unusable, prediction_of, read_lines, trajectory_of
from gitgoodbench.scenario import Outcome
from gitgoodbench.workspace.prediction import Bundle, Files, FileState, Patch, Prediction, Series, Step

SWE_BENCH = {"instance_id": "s1", "model_name_or_path": "m", "model_patch": "--- a/x\n"}


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("p.jsonl", json.dumps(SWE_BENCH) + "\n\n"),
        ("p.json", [SWE_BENCH]),
        ("p.json", {"s1": {"model_name_or_path": "m", "model_patch": "--- a/x\n"}}),
    ],
)
def test_lines_lists_and_objects_are_read(tmp_path: Path, name: str, value: Any) -> None:
    (line,) = read_lines(written(tmp_path / name, value))
    assert (line.sample_id, line.scenario, line.model) == ("s1", None, "m")
    assert prediction_of(line.fields) == Prediction(Series((Step(Patch(b"--- a/x\n")),)))


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("p.jsonl", json.dumps(SWE_BENCH) + "\n{", "line 2 is not JSON"),
        ("p.jsonl", "[1]", "line 1: a prediction is a JSON object, not list"),
        ("p.jsonl", "{}", "line 1: a prediction has a sample_id"),
        ("p.jsonl", '{"sample_id": "a", "instance_id": "b"}', "line 1: a prediction has a sample_id"),
        ("p.jsonl", '{"sample_id": "a", "scenario": 1}', "line 1: scenario is the name of one"),
        ("p.jsonl", "\n", "holds no prediction"),
        ("p.json", "3", "holds a list or an object, not int"),
        ("p.json", {"a": 1}, "entry 'a': a prediction is a JSON object"),
        ("p.json", "[" * 100_000, "it is not JSON"),
    ],
)
def test_a_wrong_file_is_refused_by_its_line(tmp_path: Path, name: str, value: Any, reason: str) -> None:
    with pytest.raises(UserError) as problem:
        read_lines(written(tmp_path / name, value))
    assert reason in str(problem.value)


def test_a_file_that_is_absent_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_lines(tmp_path / "absent.jsonl")
    (tmp_path / "p.jsonl").write_bytes(b"\xff")
    with pytest.raises(UserError, match="is no UTF-8 text"):
        read_lines(tmp_path / "p.jsonl")


def test_files_are_text_base64_with_a_mode_or_null() -> None:
    files = {"a": "é", "b": {"base64": "AAE="}, "c": None, "d": {"text": "x", "mode": "100755"}, "e\udcff": "\udcfe"}
    assert prediction_of({"files": files}) == Prediction(
        Series(
            (
                Step(
                    Files(
                        {
                            b"a": FileState("é".encode()),
                            b"b": FileState(b"\0\1"),
                            b"c": None,
                            b"d": FileState(b"x", "100755"),
                            b"e\xff": FileState(b"\xfe"),
                        }
                    )
                ),
            )
        )
    )


def test_patches_are_commits_in_order() -> None:
    patches = [{"message": "one", "patch": "p"}, {"message": {"base64": "/w=="}, "files": {"a": None}}]
    steps = (Step(Patch(b"p"), b"one"), Step(Files({b"a": None}), b"\xff"))
    assert prediction_of({"patches": patches}) == Prediction(Series(steps))
    assert prediction_of({"bundle": "AAE="}) == Prediction(Bundle(b"\0\1"))


@pytest.mark.parametrize(
    "fields", [{"model_patch": ""}, {"model_patch": None}, {"model_patch": "\n"}, {"files": {}}, {"patches": []}]
)
def test_an_empty_answer_is_nothing_unless_it_was_committed(fields: dict[str, Any]) -> None:
    assert prediction_of(fields) == Prediction()
    if fields != {"model_patch": None}:
        assert prediction_of({**fields, "committed": True}) != Prediction()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "this one has none"),
        ({"model_patch": "x", "bundle": "AA=="}, "this one has model_patch and bundle"),
        ({"model_patch": 1}, "a patch is neither text nor an object with base64"),
        ({"model_patch": {"base64": "?"}}, "a patch is not valid base64"),
        ({"bundle": "?"}, "bundle is not valid base64"),
        ({"files": []}, "files is an object"),
        ({"files": {"a": 1}}, "a is neither text"),
        ({"files": {"a": {"text": "", "mode": 644}}}, "a: a mode is text"),
        ({"files": {"a\ud800": None}}, "a text cannot be encoded"),
        ({"patches": {}}, "patches is a list"),
        ({"patches": [{}]}, "a commit has either a patch or files"),
        ({"outcome": {"head": 1}}, "this is not the JSON of an outcome"),
    ],
)
def test_a_wrong_answer_is_unusable(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unusable) as problem:
        prediction_of(fields)
    assert reason in str(problem.value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["base64", "text", "a"]), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["model_patch", "files", "patches", "bundle", "outcome", "message"]), _JSON))
def test_whatever_a_line_holds_is_a_prediction_or_unusable(fields: dict[str, Any]) -> None:
    try:
        found: object = prediction_of(fields)
    except Unusable as problem:
        found = problem
    assert isinstance(found, Prediction | Outcome | Unusable)


def test_an_outcome_and_its_conversation_are_taken_as_they_are(tmp_path: Path) -> None:
    outcome = Outcome("1" * 40, b"\0", {"finished": True}, agent_status=Status.LIMIT_REACHED, agent_error="time")
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "cost_usd": 0.5}
    fields = {"sample_id": "a", "outcome": json.loads(outcome.to_json()), "messages": messages, "usage": usage}
    (line,) = read_lines(written(tmp_path / "p.jsonl", json.dumps(fields)))
    assert prediction_of(line.fields) == outcome
    trajectory = trajectory_of(line, outcome)
    assert trajectory is not None
    assert (trajectory.status, trajectory.turns, trajectory.messages) == (Status.LIMIT_REACHED, 1, tuple(messages))
    assert (trajectory.usage.requests, trajectory.usage.prompt_tokens, trajectory.usage.cached_tokens) == (1, 3, None)
    assert trajectory.usage.cost_usd == 0.5


@pytest.mark.parametrize("more", [{"messages": 1}, {"messages": ["x"]}, {"usage": []}, {"usage": {"cost_usd": -1}}])
def test_a_wrong_conversation_is_a_wrong_file(tmp_path: Path, more: dict[str, Any]) -> None:
    (line,) = read_lines(written(tmp_path / "p.jsonl", json.dumps({"sample_id": "a", **more})))
    with pytest.raises(UserError, match="line 1: "):
        trajectory_of(line, Outcome(None, None))


def test_a_bundle_in_base64_is_what_it_was() -> None:
    data = bytes(range(256))
    assert prediction_of({"bundle": base64.b64encode(data).decode()}) == Prediction(Bundle(data))
