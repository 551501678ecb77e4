"""Trials of Harbor, as it writes them, of tasks that are solved or left alone by their own scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gitgoodbench.harbor.outcome import COLLECTED

MERGE, CHAIN = "mini_tidewater_merge_0000", "mini_tidewater_file_commit_chain_0000"
INVALID = {"should_retry": False, "should_grade": False, "has_valid_reward": False}

_AT = "2026-12-01T02:0{}:00.000000Z"


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


def raised(kind: str, minute: int = 2, **more: Any) -> dict[str, Any]:
    """An `exception_info` of the agent's time; from minute 4 on it is the verifier's."""
    return {"exception_type": kind, "exception_message": "so it ended", "occurred_at": _AT.format(minute), **more}


def make_trial(
    job: Path, name: str, task: Path | None, *, solved: bool = True, verified: bool = False, **more: Any
) -> Path:
    """A trial with a result.

    Args:
        task: what was collected of it; None: nothing. verified: its verifier is run, too.
        more: fields of result.json that differ from those of a trial without errors.
    """
    folder = job / name
    into = folder / "artifacts" / COLLECTED.lstrip("/")
    into.parent.mkdir(parents=True)
    if task is not None:
        collected(task, folder / "made", solved=solved).rename(into)
        more = {"task_name": f"gitgoodbench/{task.name}", **more}
    told: dict[str, Any] = {
        "schema_version": 1,
        "trial_name": name,
        "config": {"verifier": {"disable": False}},
        "agent_info": {"name": "some-agent", "version": "1", "model_info": {"name": "some-model", "provider": None}},
        "agent_result": {"n_input_tokens": 7, "cost_usd": 0.25},
        "verifier_result": None,
        "exception_info": None,
        "started_at": _AT.format(0),
        "finished_at": _AT.format(5),
        "agent_execution": {"started_at": _AT.format(1), "finished_at": _AT.format(2)},
        "verifier": {"started_at": _AT.format(3), "finished_at": _AT.format(4)},
        **more,
    }
    if verified and task is not None:
        reward = folder / "verifier" / "reward.json"
        reward.parent.mkdir()
        places = [str(path) for path in (task / "tests", into, reward)]
        command = [sys.executable, "-m", "gitgoodbench.harbor.verify", *places]
        subprocess.run(command, check=True, capture_output=True)
        told["verifier_result"] = {"rewards": json.loads(reward.read_bytes())}
    (folder / "result.json").write_text(json.dumps(told))
    return folder


def write_lock(job: Path, tasks: list[str]) -> None:
    """Say which tasks a job was begun with."""
    trials: list[Mapping[str, Any]] = [{"task": {"name": name, "type": "local"}} for name in tasks]
    (job / "lock.json").write_text(json.dumps({"schema_version": 3, "trials": trials}))
