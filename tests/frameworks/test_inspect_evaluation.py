"""`inspect eval` of Inspect AI against a scripted model: the figures of `gitgoodbench eval` on the same answers.

In an environment of its own (make test-frameworks).
"""

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

from gitgoodbench import Scored, evaluate
from tests.support.llm_reply import says
from tests.support.scripted_answers import COUNT, answers_of, figures_of_eval
from tests.support.scripted_llm import Request, ScriptedServer

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]
pytest.importorskip("inspect_ai", reason="another framework's environment")

SOLVERS = {"our loop": (), "their react": ("--solver", "gitgoodbench/react")}


def inspect(folder: Path, *arguments: str, **variables: str) -> str:
    """What the command prints."""
    command = [str(Path(sys.executable).with_name("inspect")), *arguments]
    environment = {**os.environ, "INSPECT_DISPLAY": "plain", "INSPECT_LOG_DIR": str(folder / "logs"), **variables}
    ran = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout


def run(scenario: str, folder: Path, server: ScriptedServer, *options: str, **variables: str) -> str:
    return inspect(
        folder, "eval", f"gitgoodbench/{scenario}", "--model", "openai-api/scripted/scripted", "-T", "sandbox=local",
        "-T", "offline=true", "--log-format", "json", *options,
        SCRIPTED_BASE_URL=server.url, SCRIPTED_API_KEY="none", **variables,
    )  # fmt: skip


def the_log(folder: Path) -> dict[str, Any]:
    """The newest log of a folder."""
    newest = max((folder / "logs").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    log = json.loads(newest.read_text("utf-8"))
    assert isinstance(log, dict)
    return log


def values_of(log: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
    """The values of every sample, by the id of its task; None where one is unknown."""
    return {
        sample["metadata"]["task"]: {
            name: value if value is not None and math.isfinite(value) else None
            for name, value in sample["scores"]["git_outcome"]["value"].items()
        }
        for sample in log["samples"]
    }


def expected_of(scored: Scored) -> dict[str, float | None]:
    figures = {"solved": scored.solved, "solved_paper": scored.solved_paper, **scored.scores, "reward": scored.reward}
    found = {**figures, **{f"gate_{name}": met for name, met in scored.gates.items()}}
    return {name: None if value is None else float(value) for name, value in found.items()}


def means_of(log: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The metrics of a log, by the name of the value."""
    return {
        score["name"]: {
            name.removeprefix("gitgoodbench/"): metric["value"] for name, metric in score["metrics"].items()
        }
        for score in log["results"]["scores"]
    }


def check_means(log: Mapping[str, Any]) -> None:
    """Every metric is that of the values that are known, and a finite number."""
    means, values = means_of(log), values_of(log)
    for name, metrics in means.items():
        known = [value for row in values.values() if (value := row[name]) is not None]
        assert metrics["known_count"] == len(known)
        assert ("known_mean" in metrics) == bool(known)
        if known:
            assert metrics["known_mean"] == pytest.approx(sum(known) / len(known))
        assert all(map(math.isfinite, metrics.values()))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scenario", ["mcr", "ir", "icc"])
def test_its_figures_are_those_of_eval(scenario: str, solver: str, tmp_path: Path) -> None:
    answers = answers_of(scenario, tmp_path)
    expected = figures_of_eval(answers, scenario, tmp_path)
    with answers.served() as server:
        run(scenario, tmp_path, server, "--limit", str(COUNT), *SOLVERS[solver])
    log = the_log(tmp_path)
    assert log["status"] == "success"
    found = values_of(log)
    assert sorted(found) == sorted(expected)
    for task, scored in expected.items():
        assert found[task] == pytest.approx(expected_of(scored)), task
    check_means(log)


def test_a_log_without_scores_is_scored_later_from_itself_alone(tmp_path: Path) -> None:
    answers = answers_of("ir", tmp_path)
    for_agents = figures_of_eval(answers, "ir", tmp_path)
    with answers.served() as server:
        run("ir", tmp_path, server, "--limit", str(COUNT), "--no-score")
    unscored = the_log(tmp_path)
    assert [sample["scores"] for sample in unscored["samples"]] == [{}] * COUNT
    (log,) = (tmp_path / "logs").glob("*.json")
    score = ("score", str(log), "--scorer", "gitgoodbench/git_outcome", "--action", "overwrite", "--overwrite")
    offline = {"SCRIPTED_BASE_URL": "http://127.0.0.1:9/v1", "SCRIPTED_API_KEY": "none"}
    inspect(tmp_path, *score, **offline)
    rescored = the_log(tmp_path)
    assert values_of(rescored) == {task: pytest.approx(expected_of(scored)) for task, scored in for_agents.items()}
    check_means(rescored)


def test_the_grader_is_a_judge_in_both_orders(tmp_path: Path) -> None:
    answers = answers_of("ir", tmp_path)
    with ScriptedServer(prefers_the_first) as judge, answers.served() as server:
        judged = evaluate(
            "mini", "openai", tmp_path, "judged", model="scripted", base_url=server.url, scenario="ir", limit=COUNT,
            sandbox="local", offline=True, judge_model="judge", judge_base_url=judge.url,
        )  # fmt: skip
        expected = {f"{result.scenario}/{result.sample_id}": judged.scored(result) for result in judged.results}
        asked = len(judge.requests)
        run(
            "ir", tmp_path, server, "--limit", str(COUNT), "--model-role", "grader=openai-api/judge/judge",
            JUDGE_BASE_URL=judge.url, JUDGE_API_KEY="none",
        )  # fmt: skip
        first, second = questions(judge.requests[:asked]), questions(judge.requests[asked:])
    found = values_of(the_log(tmp_path))
    assert found == {task: pytest.approx(expected_of(scored)) for task, scored in expected.items()}
    assert {row["solved"] for row in found.values()} <= {0.0, 1.0}
    assert first == second != []


def questions(requests: list[Request]) -> list[str]:
    """What was asked, but for tests of the connection, which have no system prompt."""
    return sorted(json.dumps(request.messages) for request in requests if len(request.messages) > 1)


def prefers_the_first(_: Request) -> Any:
    return says(json.dumps({"reason": "a test", "preferred": "HISTORY-1"}))
