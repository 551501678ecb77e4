"""Tasks of Harbor without Harbor: what is in a folder, and what its verifier says."""

from __future__ import annotations

import json
import tarfile
import tomllib
from pathlib import Path

import pytest

from gitgoodbench.harbor.verify import reward_of, rewards, verify
from gitgoodbench.scenario import Verdict
from tests.support.harbor import CHAIN, MERGE, collected


@pytest.mark.parametrize("name", [f"mcr-{MERGE}", f"icc-{CHAIN}", f"ir-{CHAIN}"])
def test_the_solution_is_worth_1_and_nothing_is_worth_0(tasks: Path, tmp_path: Path, name: str) -> None:
    solved = verify(tasks / name / "tests", collected(tasks / name, tmp_path / "oracle", solved=True))
    assert solved["reward"] == 1.0
    assert [value for name, value in solved.items() if "gate" in name] == [1.0] * sum("gate" in name for name in solved)
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
    assert rewards(Verdict(None, None, gates, {"s": float("nan")}), 0.0) == {"reward": 0.0, "reward_gate_a": 1.0}
