"""Several runs of one command: their episodes are played sample by sample, and each run keeps its own books."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.clusters.backends import Backend
from gitgoodbench.errors import InfrastructureFailed, RunAborted, Status
from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.activity import Activities, Activity
from gitgoodbench.runs.bookkeeping import Books
from gitgoodbench.runs.carrying import in_groups
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.events import read_events
from gitgoodbench.runs.execute import Execution, Plan, execute_together
from gitgoodbench.runs.ledger import Ledger
from gitgoodbench.runs.order import Order
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.plan import PlannedEpisode, plan_episodes, side_by_side
from tests.support.fake_runs import (
    DONE,
    FakeAgent,
    FakeProvider,
    FakeScenario,
    RecordingObserver,
    make_context,
    make_samples,
)
from tests.support.watched import WatchedRun


def plan(count: int, epochs: int = 1) -> tuple[PlannedEpisode, ...]:
    return plan_episodes(make_samples(count), {"mcr": FakeScenario()}, epochs)


def together(
    contexts: Sequence[RunContext], episodes: Sequence[PlannedEpisode], **limits: Any
) -> tuple[list[Execution], RecordingObserver]:
    observer = RecordingObserver()
    plans = [Plan(episodes, context) for context in contexts]
    return execute_together(plans, jobs=1, observer=observer, **limits), observer


def named(
    folder: Path, name: str, work: Callable[[], Trajectory] = lambda: DONE, provider: FakeProvider | None = None
) -> RunContext:
    context = make_context(folder / name, agent=FakeAgent(work), provider=provider)
    return replace(context, run_id=name)


def test_episodes_of_one_sample_stand_together_whatever_each_plan_leaves_out() -> None:
    both = {"icc": FakeScenario("icc"), "mcr": FakeScenario()}
    one, other = plan(3, epochs=2)[1:], plan_episodes(make_samples(3), both, 1)
    order = [f"{number} {episode.id}" for number, episode in side_by_side([one, other])]
    assert order == [
        "1 icc/s0/1", "1 mcr/s0/1", "0 mcr/s0/2",
        "1 icc/s1/1", "0 mcr/s1/1", "1 mcr/s1/1", "0 mcr/s1/2",
        "1 icc/s2/1", "0 mcr/s2/1", "1 mcr/s2/1", "0 mcr/s2/2",
    ]  # fmt: skip


def test_agents_play_a_sample_one_after_the_other_and_each_run_has_its_own_files(tmp_path: Path) -> None:
    played: list[str] = []

    def by(name: str) -> Callable[[], Trajectory]:
        def work() -> Trajectory:
            played.append(name)
            return DONE

        return work

    contexts = [named(tmp_path, name, by(name)) for name in ("a", "b")]
    executions, observer = together(contexts, plan(2, epochs=2))
    assert played == ["a", "b"] * 4
    assert (observer.planned, [result.run_id for result in observer.results]) == (8, ["a", "b"] * 4)
    for context, execution in zip(contexts, executions, strict=True):
        assert [standing.key for standing in execution.standings] == [episode.key for episode in plan(2, epochs=2)]
        assert {standing.run_id for standing in execution.standings} == {context.run_id}
        assert execution.unfinished == 0
        log = [event["event"] for event in read_events(context.paths.log)]
        assert (log[0], log[-1], log.count("episode_finished")) == ("session_started", "session_ended", 4)
        assert len(list(context.paths.result_files())) == 4


def test_what_one_run_has_finished_is_kept_and_the_others_catch_up(tmp_path: Path) -> None:
    contexts = [named(tmp_path, name) for name in ("a", "b")]
    together(contexts[:1], plan(3)[:2])
    _, observer = together(contexts, plan(3))
    assert [(standing.run_id, standing.key[1]) for standing in observer.kept] == [("a", "s0"), ("a", "s1")]
    assert [(result.run_id, result.sample_id) for result in observer.results] == [
        ("b", "s0"), ("b", "s1"), ("a", "s2"), ("b", "s2"),
    ]  # fmt: skip


def test_money_that_one_run_has_spent_ends_that_run_alone(tmp_path: Path) -> None:
    dear = named(tmp_path, "dear", lambda: Trajectory(Status.COMPLETED, usage=Usage(1, 10, 0, 10, 0.25)))
    dear = replace(dear, books=Books(Ledger(dear.paths.ledger, 0.5)))
    (of_dear, of_free), observer = together([dear, named(tmp_path, "free")], plan(5))
    assert (of_dear.unfinished, of_free.unfinished, of_free.stopped) == (3, 0, None)
    assert observer.notes == ["dear: the cost limit is reached: $0.50 spent, of --max-cost 0.5"]


def test_a_run_that_is_refused_ends_the_others_which_are_not_to_blame(tmp_path: Path) -> None:
    def refused() -> Trajectory:
        raise RunAborted("the key was rejected (401)")

    contexts = [named(tmp_path, "good"), named(tmp_path, "bad", refused)]
    (good, bad), observer = together(contexts, plan(5))
    assert (good.aborted, bad.aborted) == (None, "the key was rejected (401)")
    assert good.stopped == "another run was stopped: the key was rejected (401)"
    assert (len(good.standings), good.unfinished, bad.unfinished) == (1, 4, 5)
    assert observer.notes == []


def test_surroundings_that_are_gone_are_noticed_over_all_runs_and_named_once(tmp_path: Path) -> None:
    def gone() -> None:
        raise InfrastructureFailed("the Docker daemon does not answer")

    contexts = [named(tmp_path, name, provider=FakeProvider(gone)) for name in ("a", "b", "c")]
    executions, observer = together(contexts, plan(9), max_failures=5, retry_failed=1)
    reason = "5 failures of infrastructure in a row, of one cause: the Docker daemon does not answer"
    assert [(execution.broken, execution.stopped) for execution in executions] == [(reason, reason)] * 3
    assert len(observer.results) == 5
    assert observer.notes == [reason]


def test_what_only_one_sample_fails_of_is_put_off_and_ends_nothing(tmp_path: Path) -> None:
    """Three agents, two epochs: six failures in a row are of one sample, whose repository is odd."""
    contexts = [named(tmp_path, name) for name in ("a", "b", "c")]
    odd: list[str] = []

    def preparing(sample: str) -> None:
        odd.append(sample)
        if sample == "s1":
            raise InfrastructureFailed("a folder cannot be read")

    class Odd(FakeScenario):
        def prepare(self, sample: Any, *others: Any) -> Any:
            preparing(sample.id)
            return super().prepare(sample, *others)

    contexts = [replace(context, scenarios={"mcr": Odd()}) for context in contexts]
    executions, _ = together(contexts, plan(3, epochs=2), max_failures=3)
    assert odd == ["s0"] * 6 + ["s1"] * 3 + ["s2"] * 6 + ["s1"] * 3
    assert [(execution.unfinished, execution.stopped) for execution in executions] == [(2, None)] * 3


def test_a_failure_is_tried_again_with_those_of_other_runs_that_have_its_cause(tmp_path: Path) -> None:
    calls = iter(range(100))

    def opening() -> None:
        if next(calls) in (2, 3):
            raise InfrastructureFailed("the disk is full")

    provider = FakeProvider(opening)
    executions, observer = together(
        [named(tmp_path, name, provider=provider) for name in ("a", "b")], plan(3), max_failures=5, retry_failed=1
    )
    assert [execution.unfinished for execution in executions] == [0, 0]
    assert observer.notes == ["again: s1", "again: s1"]


def test_runs_go_together_where_they_are_carried_out_alike() -> None:
    def run(name: str, **fields: Any) -> Any:
        config = {"order": Order.SAMPLE, "backend": Backend.THREADING, "jobs": 2, "max_failures": 5} | fields
        config |= {"retry_failed": 1, "cache_size": 8.0}
        return SimpleNamespace(config=SimpleNamespace(**config), paths=RunPaths(Path(name)))

    runs = [run("a"), run("b"), run("c", jobs=3), run("d", jobs=3, order=Order.SUITE), run("e", order=Order.SUITE)]
    runs += [run("f", backend=Backend.LOKY), run("g", backend=Backend.LOKY), run("h"), run("i")]
    groups = [[each.paths.folder.name for each in group] for group in in_groups(runs)]
    assert groups == [["a", "b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h", "i"]]


def test_what_goes_on_in_several_runs_is_told_with_their_names(tmp_path: Path) -> None:
    one, other = WatchedRun(tmp_path / "one"), WatchedRun(tmp_path / "other")
    activities = Activities({"x": Activity(one.paths), "y": Activity(other.paths)})
    one.log("episode_started", "mcr/s0/1")
    other.log("episode_started", "mcr/s0/1")
    one.pay("answered", cost_usd=0.25)
    other.pay("answered", "judge", cost_usd=0.5)
    assert sorted(playing.id for playing in activities.look()) == ["mcr/s0/1 x", "mcr/s0/1 y"]
    assert (activities.spending.agents, activities.spending.judges, activities.spending.total) == (0.25, 0.5, 0.75)
