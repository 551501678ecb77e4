"""`inspect eval` of Inspect AI against a scripted model: the figures of `gitgoodbench eval` on the same answers.

In an environment of its own (make test-frameworks).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.sandbox.docker import DockerProvider
from tests.frameworks.conftest import Asking
from tests.support.inspect_runs import (
    SOLVERS,
    check_figures,
    newest_log,
    rescore,
    run,
    statuses_of,
    values_of,
)
from tests.support.llm_reply import Reply, says
from tests.support.scripted_answers import figures, run_of_eval
from tests.support.scripted_llm import Request, ScriptedServer

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]
pytest.importorskip("inspect_ai", reason="another framework's environment")

SCENARIOS = ("mcr", "ir", "icc")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_its_figures_are_those_of_eval(scenario: str, solver: str, asked: Asking, tmp_path: Path) -> None:
    with asked(scenario).answers.served() as server:
        log = run(scenario, tmp_path, server, *SOLVERS[solver])
    check_figures(log, figures(asked(scenario).run))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_epochs_with_extended_tools_are_scored_later_from_their_log_alone(
    scenario: str, asked: Asking, tmp_path: Path
) -> None:
    same = asked(scenario, tools="extended")
    with same.answers.served() as server:
        unscored = run(scenario, tmp_path, server, "-T", "tools=extended", "--epochs", "2", "--no-score")
    assert {str(sample["scores"]) for sample in unscored["samples"]} == {"{}"}
    check_figures(rescore(newest_log(tmp_path)), figures(same.run), epochs=2)


@pytest.mark.docker
@pytest.mark.parametrize(("scenario", "solver"), [("mcr", "our loop"), ("ir", "their react"), ("icc", "our loop")])
def test_a_shell_is_in_our_sandbox(
    scenario: str, solver: str, docker_provider: DockerProvider, asked: Asking, tmp_path: Path
) -> None:
    assert docker_provider.isolated
    same = asked(scenario, tools="shell", sandbox="docker")
    with same.answers.served() as server:
        log = run(scenario, tmp_path, server, "-T", "tools=shell", "-T", "sandbox=docker", *SOLVERS[solver])
    check_figures(log, figures(same.run))


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_a_turn_limit_cuts_off_is_scored_as_eval_scores_it(solver: str, asked: Asking, tmp_path: Path) -> None:
    answers = asked("mcr").answers
    expected = figures(run_of_eval(answers, "mcr", tmp_path, max_turns=2))
    with answers.served() as server:
        log = run("mcr", tmp_path, server, "--turn-limit", "2", *SOLVERS[solver])
    check_figures(log, expected)
    statuses = statuses_of(log)
    assert statuses == {task: scored.status.value for task, scored in expected.items()}
    assert sorted(set(statuses.values())) == ["completed", "limit_reached"]


@pytest.mark.parametrize("limit", [("--message-limit", "4"), ("--token-limit", "150")])
def test_inspects_other_limits_are_limits_too(limit: tuple[str, str], asked: Asking, tmp_path: Path) -> None:
    with asked("mcr").answers.served() as server:
        log = run("mcr", tmp_path, server, *limit)
    calls = asked("mcr").answers.calls
    assert statuses_of(log) == {task: "completed" if len(calls[task]) == 1 else "limit_reached" for task in calls}
    rewards = {task: values["reward"] for (task, _), values in values_of(log).items()}
    assert all((rewards[task] == 0) == (len(calls[task]) > 1) for task in calls)


@pytest.mark.parametrize(("scenario", "solver"), [("ir", "our loop"), ("icc", "their react")])
def test_the_grader_is_a_judge_in_both_orders(scenario: str, solver: str, asked: Asking, tmp_path: Path) -> None:
    answers = asked(scenario).answers
    with ScriptedServer(prefers_the_first) as judge, answers.served() as server:
        judged = run_of_eval(answers, scenario, tmp_path, judge_model="judge", judge_base_url=judge.url)
        asked_before = len(judge.requests)
        log = run(
            scenario, tmp_path, server, "--model-role", "grader=openai-api/judge/judge", *SOLVERS[solver],
            JUDGE_BASE_URL=judge.url, JUDGE_API_KEY="none",
        )  # fmt: skip
        first, second = questions(judge.requests[:asked_before]), questions(judge.requests[asked_before:])
    check_figures(log, figures(judged))
    assert {row["solved"] for row in values_of(log).values()} <= {0.0, 1.0}
    assert first == second != []
    without_the_judge = rescore(newest_log(tmp_path), JUDGE_API_KEY="none")
    check_figures(without_the_judge, figures(judged))


def questions(requests: list[Request]) -> list[str]:
    """What was asked, but for tests of the connection, which have no system prompt."""
    return sorted(json.dumps(request.messages) for request in requests if len(request.messages) > 1)


def prefers_the_first(_: Request) -> Reply:
    return says(json.dumps({"reason": "a test", "preferred": "HISTORY-1"}))
