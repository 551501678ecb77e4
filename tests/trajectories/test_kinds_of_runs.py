"""Runs of every kind are exported, or refused with the reason: imported, predicted, of before, damaged, of a file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import Session, evaluate
from gitgoodbench.cli import run
from gitgoodbench.harbor.conversation import messages_of
from gitgoodbench.runs.manifest import write_manifest
from gitgoodbench.runs.paths import EpisodePaths, RunPaths
from gitgoodbench.runs.result import Result, write_result
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.trajectories import formats
from gitgoodbench.trajectories.export import FORMATS
from gitgoodbench.trajectories.messages import cleaned
from tests.support.fake_runs import make_manifest, make_result
from tests.support.trajectory_rows import conversation, row

MINI = Path(__file__).parents[2] / "data/mini/rows.jsonl"
ATIF = {
    "steps": [
        {"source": "user", "message": "Merge."},
        {
            "source": "agent",
            "message": "Looking.",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "git status"}}],
            "observation": {"results": [{"source_call_id": "c1", "content": "clean"}]},
        },
        {"source": "agent", "message": "Done."},
    ]
}


def made(folder: Path, result: Result, name: str = "r") -> EpisodePaths:
    """A run of one episode; its conversation is still to be written."""
    paths = RunPaths(folder / name)
    files = paths.episode(*result.key)
    files.folder.mkdir(parents=True)
    write_manifest(paths, make_manifest(run_id=name))
    write_result(files.result, result)
    return files


def say(files: EpisodePaths, messages: Sequence[dict[str, Any]]) -> None:
    lines: list[dict[str, Any]] = [{"kind": "episode", "format": 2}]
    lines += [{"kind": "message", "number": number, "message": one} for number, one in enumerate(messages)]
    files.trajectory.write_text("".join(json.dumps(line) + "\n" for line in lines))


def export(run_folder: Path, out: Path, form: str = "trl", *more: str) -> int:
    return run(["trajectories", str(run_folder), "--allow-evaluation-data", "--format", form, "--out", str(out), *more])


def exported(run_folder: Path, out: Path) -> dict[str, Any]:
    assert export(run_folder, out) == 0
    (line,) = out.read_text().splitlines()
    read: dict[str, Any] = json.loads(line)
    return read


def test_a_conversation_that_was_imported_has_no_schemas_that_its_agent_did_not_have(tmp_path: Path) -> None:
    say(made(tmp_path, make_result()), messages_of(ATIF))
    found = exported(tmp_path / "r", tmp_path / "o.jsonl")
    assert found["tools"] == []
    assert found["completion"][0]["tool_calls"][0]["function"] == {
        "name": "bash",
        "arguments": {"command": "git status"},
    }
    for form in FORMATS:
        assert export(tmp_path / "r", tmp_path / form, form, "--test-share", "0") == 0
    (openai,) = (tmp_path / "openai/train.jsonl").read_text().splitlines()
    assert set(json.loads(openai)) == {"messages"}


def test_predictions_without_a_conversation_are_refused_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path, make_result())
    assert export(tmp_path / "r", tmp_path / "o.jsonl") == 2
    said = capsys.readouterr().err
    assert "no episode is left of 1: left out: 1 without a conversation, as predictions are" in said
    assert not (tmp_path / "o.jsonl").exists()


def test_a_run_of_before_is_exported(tmp_path: Path) -> None:
    files = made(tmp_path, make_result())
    result = json.loads(files.result.read_bytes())
    kept = ("sample_id", "scenario", "epoch", "agent", "model", "name", "language", "difficulty", "status", "success")
    files.result.write_text(json.dumps({name: result[name] for name in (*kept, "solved")}))
    files.former_trajectory.write_text(json.dumps({"status": "completed", "messages": conversation("a")}))
    found = exported(tmp_path / "r", tmp_path / "o.jsonl")
    assert [one["role"] for one in found["completion"]] == ["assistant", "tool", "user", "assistant"]
    metadata = json.loads(found["metadata"])
    assert (metadata["solved"], metadata["reward"], metadata["rules"]) == (True, 1.0, {})


def test_rows_of_before_have_no_known_commits_and_are_not_trained_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say(made(tmp_path, make_result()), conversation("a"))
    arguments = ["--evaluation-suite", str(MINI), "--out", str(tmp_path / "o.jsonl")]
    assert run(["trajectories", str(tmp_path / "r"), *arguments]) == 2
    assert "1 whose commits are not known" in capsys.readouterr().err


def test_a_damaged_result_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = made(tmp_path, make_result())
    files.result.write_text("{")
    assert export(tmp_path / "r", tmp_path / "o.jsonl") == 2
    said = capsys.readouterr().err
    assert "result.json is damaged" in said
    assert f"gitgoodbench resume {tmp_path / 'r'}" in said


def test_a_run_is_found_by_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    say(made(tmp_path / "results", make_result(), "mine"), conversation("a"))
    monkeypatch.chdir(tmp_path)
    assert export(Path("mine"), tmp_path / "o.jsonl") == 0
    assert run(["trajectories", "none-such", "--out", "o.jsonl"]) == 2


def test_an_evaluation_suite_that_was_loaded_from_a_file_is_known_by_its_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(MINI, tmp_path / "lite.jsonl")

    def looks(session: Session) -> None:
        session.call("view_current_merge_conflict_with", {})

    suite = str(tmp_path / "lite.jsonl")
    evaluate(suite, looks, out=tmp_path, run_id="r", sandbox="local", scenario="mcr", sample="mini_cairn_merge_0000")
    found = exported(tmp_path / "r", tmp_path / "o.jsonl")
    assert json.loads(found["metadata"])["license"] == "apache-2.0"
    refused = ["trajectories", str(tmp_path / "r"), "--evaluation-suite", suite, "--out", str(tmp_path / "p.jsonl")]
    assert run(refused) == 2
    assert f"all 1 episodes are of repositories or commits of evaluation suites ({suite})" in capsys.readouterr().err


@pytest.mark.docker
def test_a_run_with_a_shell_is_exported(tmp_path: Path, docker_provider: DockerProvider) -> None:
    assert docker_provider.isolated

    def shells(session: Session) -> None:
        session.call(session.tools[0]["function"]["name"], {"command": "git status --short"})

    options: dict[str, Any] = {"tools": "shell", "sandbox": "docker", "scenario": "mcr"}
    evaluate("mini", shells, out=tmp_path, run_id="r", sample="mini_cairn_merge_0000", **options)
    found = exported(tmp_path / "r", tmp_path / "o.jsonl")
    call = found["completion"][0]["tool_calls"][0]["function"]
    assert call["arguments"] == {"command": "git status --short"}
    assert [tool["function"]["name"] for tool in found["tools"]][:1] == [call["name"]]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "developer", "content": "x"}, None),
        ({"role": "tool", "content": None}, {"role": "tool", "content": "", "tool_call_id": "None"}),
        ({"role": "user", "content": [{"text": "a"}, {"text": "b"}, 3]}, {"role": "user", "content": "ab"}),
        ({"role": "assistant", "content": None, "tool_calls": "many"}, {"role": "assistant", "content": ""}),
        (
            {"role": "assistant", "tool_calls": [{}, {"id": "c"}, {"id": "c", "function": {"name": ""}}, None]},
            {"role": "assistant", "content": ""},
        ),
        ({"role": "assistant", "reasoning": "hm"}, {"role": "assistant", "content": "", "reasoning_content": "hm"}),
    ],
)
def test_messages_from_elsewhere_may_be_anything(message: dict[str, Any], expected: dict[str, Any] | None) -> None:
    assert cleaned(message) == expected


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [({"a": 1}, {"a": 1}), ("", {}), (None, {}), ("[1]", {"unreadable_arguments": "[1]"}), ('{"a": 1}', {"a": 1})],
)
def test_arguments_from_elsewhere_become_objects(arguments: Any, kept: dict[str, Any]) -> None:
    call = {"id": "c", "function": {"name": "view it", "arguments": arguments}}
    message = cleaned({"role": "assistant", "tool_calls": [call]})
    assert message is not None
    function = message["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == ("view_it", kept)
    asked = {"role": "user", "content": "Go."}
    assert (
        formats.trl(row(messages=(asked, message)))["completion"][0]["tool_calls"][0]["function"]["arguments"] == kept
    )
