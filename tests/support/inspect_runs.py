"""The command `inspect` of Inspect AI against scripted servers, and what its logs say."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import Scored
from tests.support.scripted_answers import COUNT
from tests.support.scripted_llm import ScriptedServer

SOLVERS: Mapping[str, tuple[str, ...]] = {"our loop": (), "their react": ("--solver", "gitgoodbench/react")}
Values = dict[str, float | None]


def inspect(folder: Path, *arguments: str, **variables: str) -> str:
    """What the command prints."""
    command = [str(Path(sys.executable).with_name("inspect")), *arguments]
    environment = {**os.environ, "INSPECT_DISPLAY": "plain", "INSPECT_LOG_DIR": str(folder / "logs"), **variables}
    ran = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout


def run(scenario: str, folder: Path, server: ScriptedServer, *options: str, **variables: str) -> dict[str, Any]:
    """The log of `inspect eval` on the first tasks of a scenario, here and offline unless the options say otherwise."""
    inspect(
        folder, "eval", f"gitgoodbench/{scenario}", "--model", "openai-api/scripted/scripted", "-T", "sandbox=local",
        "-T", "offline=true", "--limit", str(COUNT), "--log-format", "json", *options,
        SCRIPTED_BASE_URL=server.url, SCRIPTED_API_KEY="none", **variables,
    )  # fmt: skip
    log = read_log(newest_log(folder))
    assert log["status"] == "success"
    return log


def rescore(log: Path, **variables: str) -> dict[str, Any]:
    """The log after `inspect score`, with nothing but the log: no server, and no key unless variables say so."""
    inspect(
        log.parent, "score", str(log), "--scorer", "gitgoodbench/git_outcome", "--model", "none/none",
        "--action", "overwrite", "--overwrite", **variables,
    )  # fmt: skip
    return read_log(log)


def newest_log(folder: Path) -> Path:
    return max((folder / "logs").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)


def read_log(path: Path) -> dict[str, Any]:
    log = json.loads(path.read_text("utf-8"))
    assert isinstance(log, dict)
    return log


def values_of(log: Mapping[str, Any]) -> dict[tuple[str, int], Values]:
    """The values of every sample, by the id of its task and its epoch; None where one is unknown."""
    return {
        (sample["metadata"]["task"], sample["epoch"]): {
            name: value if value is not None and math.isfinite(value) else None
            for name, value in sample["scores"]["git_outcome"]["value"].items()
        }
        for sample in log["samples"]
    }


def statuses_of(log: Mapping[str, Any]) -> dict[str, str]:
    """How every sample's agent ended, by task."""
    return {
        sample["metadata"]["task"]: sample["scores"]["git_outcome"]["metadata"]["status"] for sample in log["samples"]
    }


def expected_of(scored: Scored) -> Values:
    values = {"solved": scored.solved, "solved_paper": scored.solved_paper, **scored.scores, "reward": scored.reward}
    found = {**values, **{f"gate_{name}": met for name, met in scored.gates.items()}}
    return {name: None if value is None else float(value) for name, value in found.items()}


def check_figures(log: Mapping[str, Any], expected: Mapping[str, Scored], epochs: int = 1) -> None:
    """Every sample has the values of `eval`, and every metric is that of the values that are known: a finite number."""
    found = values_of(log)
    assert sorted(found) == sorted((task, epoch) for task in expected for epoch in range(1, epochs + 1))
    for (task, epoch), values in found.items():
        assert values == pytest.approx(expected_of(expected[task])), (task, epoch)
    for name, metrics in _means(log).items():
        known = [value for row in found.values() if (value := row[name]) is not None]
        assert metrics["known_count"] == len(known) / epochs
        assert ("known_mean" in metrics) == bool(known)
        if known:
            assert metrics["known_mean"] == pytest.approx(sum(known) / len(known))
        assert all(map(math.isfinite, metrics.values()))


def _means(log: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The metrics of a log, by the name of the value."""
    return {
        score["name"]: {
            name.removeprefix("gitgoodbench/"): metric["value"] for name, metric in score["metrics"].items()
        }
        for score in log["results"]["scores"]
    }
