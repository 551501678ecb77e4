"""Scoring saved outcomes again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError, SetupFailed, Status, UserError
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.execute import execute
from gitgoodbench.runs.plan import plan_episodes
from gitgoodbench.runs.rescore import Rescored, rescore_run
from gitgoodbench.runs.result import read_result
from gitgoodbench.scenario import Outcome, Scenario, Verdict
from tests.support.fake_runs import (
    SOLVED,
    UNSOLVED,
    FakeAgent,
    FakeScenario,
    RecordingObserver,
    make_context,
    make_samples,
)
from tests.support.fake_runs import make_manifest as manifest_of
from tests.support.stuck import Stuck

SAMPLES = make_samples(3)


def finished_run(tmp_path: Path, scenario: FakeScenario) -> RunContext:
    context = make_context(tmp_path, scenario=scenario, agent=FakeAgent())
    planned = plan_episodes(SAMPLES, {"mcr": scenario}, 1)
    execute(planned, context, jobs=1, observer=RecordingObserver())
    return context


def rescore(context: RunContext, scenarios: dict[str, Scenario], jobs: int = 2) -> list[Rescored]:
    samples = {sample.id: sample for sample in SAMPLES}
    return rescore_run(context.paths, manifest_of(), samples, scenarios, context.settling, jobs=jobs)


def test_outcomes_are_scored_from_what_was_saved(tmp_path: Path) -> None:
    context = finished_run(tmp_path, FakeScenario(verdict=lambda *_: UNSOLVED))
    seen: list[Outcome] = []

    def now_solved(sample: Sample, outcome: Outcome) -> Verdict:  # noqa: ARG001
        seen.append(outcome)
        return SOLVED

    rescored = rescore(context, {"mcr": FakeScenario(verdict=now_solved)})
    assert [entry.changed for entry in rescored] == [True] * 3
    assert seen == [Outcome("a" * 40, b"bundle", {"unmerged": []})] * 3
    result = read_result(context.paths.episode("mcr", "s1", 1).result)
    assert result is not None
    assert (result.solved, result.scores["exact_match"], result.turns) == (True, 1.0, 2)


def test_an_interruption_leaves_scoring_that_is_busy_in_c(tmp_path: Path) -> None:
    context = finished_run(tmp_path, FakeScenario(verdict=lambda *_: UNSOLVED))
    stuck = Stuck()

    def verdict(sample: Sample, outcome: Outcome) -> Verdict:  # noqa: ARG001
        stuck.work()
        return SOLVED

    with pytest.raises(KeyboardInterrupt):
        rescore(context, {"mcr": FakeScenario(verdict=verdict)}, jobs=1)
    assert not stuck.ended.is_set()
    stuck.release()


def test_scoring_that_could_not_be_done_can_be_made_up_for(tmp_path: Path) -> None:
    def broken(*_: object) -> Verdict:
        raise GitGoodBenchError("no space")

    context = finished_run(tmp_path, FakeScenario(verdict=broken))
    rescored = rescore(context, {"mcr": FakeScenario()})
    assert [(entry.before.status, entry.after.status, entry.after.solved) for entry in rescored] == [
        (Status.INFRASTRUCTURE_FAILED, Status.COMPLETED, True)
    ] * 3


def test_the_same_scoring_changes_no_verdict(tmp_path: Path) -> None:
    context = finished_run(tmp_path, FakeScenario())
    assert not any(entry.changed for entry in rescore(context, {"mcr": FakeScenario()}))


@pytest.mark.parametrize("spoil", ["verdict", "bundle"])
def test_a_result_that_cannot_be_scored_stays_as_it_is(tmp_path: Path, spoil: str) -> None:
    context = finished_run(tmp_path, FakeScenario())
    files = context.paths.episode("mcr", "s0", 1)
    before = files.result.read_bytes()

    def vanished(*_: object) -> Verdict:
        raise SetupFailed("the repository is gone")

    verdict: Callable[..., Verdict] = vanished if spoil == "verdict" else lambda *_: SOLVED
    if spoil == "bundle":
        files.bundle.unlink()
    rescored = rescore(context, {"mcr": FakeScenario(verdict=verdict)})
    assert rescored[0].problem
    assert files.result.read_bytes() == before


def test_results_without_an_outcome_are_left_alone(tmp_path: Path) -> None:
    def gone() -> None:
        raise SetupFailed("the repository is gone")

    context = finished_run(tmp_path, FakeScenario(preparing=gone))
    assert rescore(context, {"mcr": FakeScenario()}) == []


def test_a_scenario_that_is_not_installed_is_named(tmp_path: Path) -> None:
    context = finished_run(tmp_path, FakeScenario())
    with pytest.raises(UserError, match=r"scenario mcr .* is not installed"):
        rescore(context, {})
