"""Tasks of Harbor without Harbor: what is in a folder, what its verifier says, and a finished job as a run."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run
from gitgoodbench.errors import UserError
from gitgoodbench.harbor.importing import messages_of, read_job
from gitgoodbench.harbor.outcome import COLLECTED
from gitgoodbench.harbor.verify import reward_of, rewards, verify
from gitgoodbench.scenario import Verdict

MERGE, CHAIN = "mini_tidewater_merge_0000", "mini_tidewater_file_commit_chain_0000"


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tasks")
    chosen = ["--sample", MERGE, "--sample", CHAIN]
    assert run(["export", "harbor", "mini", *chosen, "--network", "compose", "--out", str(out)]) == 0
    return out


def collected(task: Path, folder: Path, *, solved: bool) -> Path:
    """What the task's own collecting command finds in its workspace, solved by its own script or left alone."""
    work, into = folder / "work", folder / "outcome"
    work.mkdir(parents=True)
    with tarfile.open(task / "environment" / "workspace.tar") as archive:
        archive.extractall(work, filter="data")
    places = {
        "/work": str(work),
        "/solution/solution.bundle": str(task / "solution/solution.bundle"),
        COLLECTED: str(into),
    }
    configured = tomllib.loads((task / "task.toml").read_text())
    scripts = [(task / "solution" / "solve.sh").read_text()] if solved else []
    for script in (*scripts, configured["verifier"]["collect"][0]["command"]):
        for there, here in places.items():
            script = script.replace(there, here)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        subprocess.run(["sh", "-c", script], check=True, capture_output=True, env=environment)
    return into


@pytest.mark.parametrize("name", [f"mcr-{MERGE}", f"icc-{CHAIN}", f"ir-{CHAIN}"])
def test_the_solution_is_worth_1_and_nothing_is_worth_0(tasks: Path, tmp_path: Path, name: str) -> None:
    solved = verify(tasks / name / "tests", collected(tasks / name, tmp_path / "oracle", solved=True))
    assert solved["reward"] == 1.0
    assert all(value == 1.0 for key, value in solved.items() if key.startswith("gate_"))
    nothing = verify(tasks / name / "tests", collected(tasks / name, tmp_path / "nop", solved=False))
    assert nothing["reward"] == 0.0
    assert all(isinstance(value, float) for value in {**solved, **nothing}.values())


def test_a_task_has_what_harbor_reads_and_no_answer_where_the_agent_is(tasks: Path) -> None:
    folder = tasks / f"mcr-{MERGE}"
    configured = tomllib.loads((folder / "task.toml").read_text())
    assert configured["schema_version"] == "1.4"
    assert configured["verifier"]["environment_mode"] == "separate"
    assert configured["metadata"]["sample_id"] == MERGE
    assert (folder / "environment/docker-compose.yaml").read_text() == "services:\n  main:\n    network_mode: none\n"
    assert "FROM gitgoodbench-sandbox" in (folder / "environment/Dockerfile").read_text()
    assert "<<<<<<< HEAD" in (folder / "instruction.md").read_text()
    truth = json.loads((folder / "tests/task.json").read_text())["sample"]["spec"]["merge_commit_hash"]
    for path in (folder / "instruction.md", folder / "task.toml", folder / "environment/Dockerfile"):
        assert truth not in path.read_text()
    with tarfile.open(folder / "environment/workspace.tar") as archive:
        members = archive.getmembers()
        assert {(member.uid, member.uname) for member in members} == {(1000, "agent")}
        assert not any(truth[2:] in member.name for member in members)


def test_an_outcome_that_is_junk_is_worth_0(tasks: Path, tmp_path: Path) -> None:
    (tmp_path / "head").write_text("1" * 40)
    (tmp_path / "bundle").write_bytes(b"junk")
    assert verify(tasks / f"mcr-{MERGE}" / "tests", tmp_path)["reward"] == 0.0
    assert verify(tasks / f"mcr-{MERGE}" / "tests", tmp_path / "absent")["reward"] == 0.0


def test_rewards_are_finite_and_ordered() -> None:
    gates, half = {"a": True}, {"s": 0.5, "t": None}
    assert reward_of(Verdict(True, True, gates, half), 1.0) == 1.0
    assert reward_of(Verdict(False, False, gates, half), 1.0) == pytest.approx(0.225)
    assert reward_of(Verdict(None, None, gates, half), 0.5) == pytest.approx(0.5)
    assert reward_of(Verdict(None, None, {"a": False}, half), 0.5) == 0.0
    assert reward_of(Verdict(None, None, gates, half, problem="broken"), 0.5) == 0.0
    assert rewards(Verdict(None, None, gates, {"s": float("nan")}), 0.0) == {"reward": 0.0, "gate_a": 1.0}


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


def test_a_trajectory_becomes_messages_with_results_behind_their_calls() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "git status"}'}}
    assert messages_of(ATIF) == [
        {"role": "user", "content": "Merge."},
        {"role": "assistant", "content": "Looking.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "clean"},
    ]


def trial(job: Path, name: str, task: Path | None, **more: Any) -> Path:
    folder = job / name
    into = folder / "artifacts" / COLLECTED.lstrip("/")
    into.parent.mkdir(parents=True)
    if task is not None:
        collected(task, folder / "made", solved=True).rename(into)
    agent = {"name": "some-agent", "version": "1", "model_info": {"name": "some-model", "provider": None}}
    told = {"trial_name": name, "agent_info": agent, "agent_result": {"n_input_tokens": 7, "cost_usd": 0.25}, **more}
    (folder / "result.json").write_text(json.dumps(told))
    return folder


def test_a_job_becomes_a_run_with_its_conversations(tasks: Path, tmp_path: Path, capsys: Any) -> None:
    first = trial(tmp_path / "job", "one", tasks / f"mcr-{MERGE}")
    (first / "agent").mkdir()
    (first / "agent" / "trajectory.json").write_text(json.dumps(ATIF))
    raised = {"exception_type": "EnvironmentError", "exception_message": "no disk"}
    trial(tmp_path / "job", "two", None, exception_info=raised)
    arguments = ["--suite", "mini", "--sample", MERGE, "--out", str(tmp_path / "runs"), "--run-id", "r"]
    assert run(["import", "harbor", str(tmp_path / "job"), *arguments]) == 0
    assert "not an answer: two: EnvironmentError: no disk" in capsys.readouterr().err
    episode = tmp_path / "runs/r/samples/mcr" / MERGE / "1"
    result = json.loads((episode / "result.json").read_bytes())
    assert (result["agent"], result["model"], result["solved"]) == ("harbor-some-agent", "some-model", True)
    assert (result["usage"]["prompt_tokens"], result["usage"]["completion_tokens"]) == (7, None)
    assert result["usage"]["cost_usd"] == 0.25
    assert "git status" in (episode / "trajectory.jsonl").read_text()
    assert run(["report", str(tmp_path / "runs/r")]) == 0


@pytest.mark.parametrize(
    ("raised", "status"),
    [
        ("AgentTimeoutError", "limit_reached"),
        ("NonZeroAgentExitCodeError", "agent_failed"),
        ("CancelledError", "completed"),
    ],
)
def test_only_errors_of_the_agent_are_its_own(tasks: Path, tmp_path: Path, raised: str, status: str) -> None:
    told = {"exception_type": raised, "exception_message": "so it ended"}
    trial(tmp_path / "job", "one", tasks / f"mcr-{MERGE}", exception_info=told)
    (line,) = read_job(tmp_path / "job").lines
    assert line.fields["outcome"]["agent_status"] == status


def test_what_is_no_job_or_has_two_attempts_is_refused(tasks: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no job of Harbor"):
        read_job(tmp_path)
    for name in ("one", "two"):
        trial(tmp_path / "job", name, tasks / f"mcr-{MERGE}")
    with pytest.raises(UserError, match="has a trial already"):
        read_job(tmp_path / "job")
