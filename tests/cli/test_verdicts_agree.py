"""The same run gives the same verdicts wherever it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run


def verdicts(folder: Path) -> dict[str, Any]:
    """What each episode came to: status, solved, gates, scores and facts, without times and ids of runs."""
    kept = ("status", "success", "solved", "solved_paper", "gates", "scores", "facts")
    found = {}
    for file in folder.glob("*/samples/*/*/*/result.json"):
        result = json.loads(file.read_text(encoding="utf-8"))
        found[f"{result['agent']} {result['sample_id']}"] = {key: result[key] for key in kept}
    return found


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
def test_docker_and_local_sandboxes_give_the_same_verdicts_on_the_built_in_suite(tmp_path: Path) -> None:
    for kind in ("local", "docker"):
        command = ["eval", "mini", "--scenario", "mcr", "--agent", "tool-oracle", "--jobs", "2"]
        assert run([*command, "--sandbox", kind, "--out", str(tmp_path / kind)]) == 0
    local, docker = verdicts(tmp_path / "local"), verdicts(tmp_path / "docker")
    assert len(local) == 34
    assert local == docker
    assert all(verdict["solved"] == verdict["facts"]["attainable"] for verdict in local.values())
