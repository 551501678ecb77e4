"""vf-eval of verifiers 0.4 against a scripted model: the figures of `gitgoodbench eval` on the same answers.

In an environment of its own (make test-frameworks): verifiers wants an older openai than constraints.txt has.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import Run
from gitgoodbench.frameworks.components import Components, metrics_of
from gitgoodbench.owner import LABEL, Owner
from gitgoodbench.sandbox.daemon import connect_to_docker
from gitgoodbench.sandbox.docker import DockerProvider
from tests.frameworks.conftest import Asking
from tests.support.scripted_answers import COUNT, figures

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(600)]
pytest.importorskip("verifiers", reason="another framework's environment")


def evaluate(scenario: str, url: str, folder: Path, *options: str, sandbox: str = "local") -> list[dict[str, Any]]:
    """The episodes that the command leaves."""
    programs = Path(sys.executable).parent
    command = (
        str(programs / "vf-eval"), "gitgoodbench", "--env.taskset.scenario", scenario, "--env.taskset.sandbox", sandbox,
        "--env.taskset.offline", "--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess",
        "--client.base-url", url, "--client.api-key-var", "SCRIPTED_KEY", "-m", "scripted", "-c", "2",
        "--no-rich", "--no-push", "--output-dir", str(folder), *options,
    )  # fmt: skip
    variables = {**os.environ, "SCRIPTED_KEY": "none", "PATH": f"{programs}:{os.environ['PATH']}"}
    ran = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    (traces,) = folder.rglob("traces.jsonl")
    return [json.loads(line) for line in traces.read_text("utf-8").splitlines()]


def orphans() -> set[str]:
    """Containers whose process is gone."""
    listed = connect_to_docker().containers.list(all=True, filters={"label": f"{LABEL}=1"}, ignore_removed=True)
    owners = {str(container.name): Owner.from_labels(container.labels) for container in listed}
    return {name for name, owner in owners.items() if owner is not None and owner.is_dead()}


def assert_equal(episodes: list[dict[str, Any]], run: Run) -> None:
    """That the verdicts on the episodes are those of a run of `eval`."""
    expected = figures(run)
    found = {episode["task"]["key"]: episode for episode in episodes}
    assert sorted(found) == sorted(expected)
    for task, scored in expected.items():
        assert found[task]["errors"] == []
        (trace,) = found[task]["traces"]
        assert trace["errors"] == []
        components, metrics = Components.of(scored), metrics_of(scored)
        assert {name: part["score"] for name, part in trace["rewards"].items()} == pytest.approx(asdict(components))
        assert sum(part["score"] * part["weight"] for part in trace["rewards"].values()) == pytest.approx(scored.reward)
        assert {name: trace["metrics"][name] for name in metrics} == pytest.approx(metrics)


@pytest.mark.parametrize("scenario", ["mcr", "ir", "icc"])
def test_its_figures_are_those_of_eval(scenario: str, asked: Asking, tmp_path: Path) -> None:
    with asked(scenario).answers.served() as server:
        episodes = evaluate(scenario, server.url, tmp_path, "-n", str(COUNT))
    assert_equal(episodes, asked(scenario).run)


@pytest.mark.docker
@pytest.mark.parametrize("scenario", ["mcr", "ir", "icc"])
def test_a_shell_is_in_our_sandbox(
    scenario: str, asked: Asking, docker_provider: DockerProvider, tmp_path: Path
) -> None:
    assert docker_provider.isolated
    before = orphans()
    same = asked(scenario, tools="shell", sandbox="docker")
    with same.answers.served() as server:
        episodes = evaluate(
            scenario, server.url, tmp_path, "-n", str(COUNT), "--env.taskset.tools", "shell", sandbox="docker"
        )
        asked_for = [request.body["tools"] for request in server.requests]
    assert all("run_command" in str(tools) for tools in asked_for)
    assert_equal(episodes, same.run)
    assert orphans() <= before
