"""Working through a plan: order, parallelism, carrying on, and every way of ending early."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.errors import RunAborted, Status, UserError
from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.bookkeeping import Books
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.events import read_events
from gitgoodbench.runs.execute import Execution, execute
from gitgoodbench.runs.ledger import Ledger
from gitgoodbench.runs.order import Order
from gitgoodbench.runs.plan import PlannedEpisode, in_suite_order, plan_episodes
from gitgoodbench.runs.result import Result, write_result
from gitgoodbench.runs.stop import EpisodeGivenUp, Stop
from gitgoodbench.sample_types.specs import FileCommitChainSpec
from tests.support.fake_runs import (
    DONE,
    FakeAgent,
    FakeProvider,
    FakeSandbox,
    FakeScenario,
    RecordingObserver,
    make_context,
    make_result,
    make_samples,
)
from tests.support.samples import chain_sample

DOWN = Trajectory(Status.INFRASTRUCTURE_FAILED, error="503")


def plan(count: int, epochs: int = 1) -> tuple[PlannedEpisode, ...]:
    return plan_episodes(make_samples(count), {"mcr": FakeScenario()}, epochs)


def go(
    context: RunContext, episodes: tuple[PlannedEpisode, ...], jobs: int = 2, max_cost: float | None = None
) -> tuple[Execution, RecordingObserver]:
    observer = RecordingObserver()
    context = replace(context, books=Books(Ledger(context.paths.ledger, max_cost)))
    return execute(episodes, context, jobs=jobs, observer=observer), observer


def test_the_plan_is_every_fitting_scenario_of_every_sample_with_its_epochs_next_to_each_other() -> None:
    samples = [*make_samples(2), chain_sample(id="c0")]
    scenarios = {
        "mcr": FakeScenario("mcr"),
        "ir": FakeScenario("ir", applies=lambda sample: isinstance(sample.spec, FileCommitChainSpec)),
        "icc": FakeScenario("icc", applies=lambda sample: isinstance(sample.spec, FileCommitChainSpec)),
    }
    once = ["mcr/s0/1", "mcr/s1/1", "icc/c0/1", "ir/c0/1"]
    again = [name.replace("/1", "/2") for name in once]
    by_sample = [name for pair in zip(once, again, strict=True) for name in pair]
    assert [episode.id for episode in plan_episodes(samples, scenarios, 2)] == by_sample
    assert [episode.id for episode in plan_episodes(samples, scenarios, 2, Order.SUITE)] == once + again
    for order in Order:  # which the manifest pins: another order is no other plan
        planned = in_suite_order(plan_episodes(samples, scenarios, 2, order))
        assert [episode.id for episode in planned] == once + again


def test_two_samples_of_one_id_are_refused() -> None:
    with pytest.raises(UserError, match="s0 occurs more than once"):
        plan_episodes([*make_samples(1), *make_samples(1)], {"mcr": FakeScenario()}, 1)


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_episode_runs_once_and_results_come_back_in_the_order_of_the_plan(tmp_path: Path, jobs: int) -> None:
    context = make_context(tmp_path)
    execution, observer = go(context, plan(7, epochs=2), jobs)
    assert [result.key for result in execution.standings] == [episode.key for episode in plan(7, epochs=2)]
    assert len(observer.results) == 14
    assert (execution.unfinished, execution.stopped, execution.interrupted) == (0, None, False)
    started = [event["episode"] for event in read_events(context.paths.log) if event["event"] == "episode_started"]
    assert sorted(started) == sorted(episode.id for episode in plan(7, epochs=2))


def test_so_many_episodes_run_at_a_time_as_asked_and_no_more(tmp_path: Path) -> None:
    running, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(3, timeout=240)

    def work() -> Trajectory:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait()
        with lock:
            running -= 1
        return DONE

    go(make_context(tmp_path, agent=FakeAgent(work)), plan(9), jobs=3)
    assert most == 3


def test_a_run_remembers_how_episodes_stand_and_lets_go_of_their_results(tmp_path: Path) -> None:
    told: list[weakref.ref[Result]] = []

    class Forgetful(RecordingObserver):
        def finished(self, result: Result) -> None:
            told.append(weakref.ref(result))

    for _ in range(2):  # then all of them are finished before
        execution = execute(plan(4), make_context(tmp_path), jobs=1, observer=Forgetful())
        assert [standing.solved for standing in execution.standings] == [True] * 4
        gc.collect()
        assert [reference() for reference in told] == [None] * 4


def test_what_finished_before_is_kept_as_it_is_and_what_failed_for_infrastructure_runs_again(tmp_path: Path) -> None:
    agent = FakeAgent(lambda: DOWN)
    context = make_context(tmp_path, agent=agent)
    execution, _ = go(context, plan(4))
    assert execution.unfinished == 4
    kept = plan(4)[1].paths(context.paths).result
    write_result(kept, make_result("s1", status=Status.GAVE_UP))
    before = kept.stat()
    agent._work = lambda: DONE
    agent.runs = 0
    execution, observer = go(context, plan(4))
    assert agent.runs == 3
    assert [standing.key[1] for standing in observer.kept] == ["s1"]
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [result.status for result in execution.standings] == [
        Status.COMPLETED,
        Status.GAVE_UP,
        Status.COMPLETED,
        Status.COMPLETED,
    ]
    assert execution.unfinished == 0


def test_a_bug_in_one_episode_does_not_end_the_run(tmp_path: Path) -> None:
    numbers = iter(range(10))

    def work() -> Trajectory:
        if next(numbers) == 1:
            raise AttributeError("a bug")
        return DONE

    execution, _ = go(make_context(tmp_path, agent=FakeAgent(work)), plan(4), jobs=1)
    statuses = [result.status for result in execution.standings]
    assert statuses == [Status.COMPLETED, Status.INFRASTRUCTURE_FAILED, Status.COMPLETED, Status.COMPLETED]


def test_the_cost_limit_stops_scheduling_and_says_so_and_counts_earlier_sessions(tmp_path: Path) -> None:
    agent = FakeAgent(lambda: Trajectory(Status.COMPLETED, usage=Usage(1, 10, 0, 10, 0.25)))
    context = make_context(tmp_path, agent=agent)
    execution, observer = go(context, plan(10), jobs=1, max_cost=0.75)
    assert (agent.runs, execution.unfinished) == (3, 7)
    assert observer.notes == ["the cost limit is reached: $0.75 spent, of --max-cost 0.75"]
    assert (execution.aborted, execution.interrupted) == (None, False)

    again = make_context(tmp_path, agent=agent)
    execution, _ = go(again, plan(10), jobs=1, max_cost=0.75)
    assert (agent.runs, execution.unfinished) == (3, 7)
    execution, _ = go(make_context(tmp_path, agent=agent), plan(10), jobs=1, max_cost=1.0)
    assert (agent.runs, execution.unfinished) == (4, 6)


def test_in_parallel_the_cost_limit_is_passed_by_no_more_than_the_running_episodes(tmp_path: Path) -> None:
    agent = FakeAgent(lambda: Trajectory(Status.COMPLETED, usage=Usage(1, 10, 0, 10, 1.0)))
    go(make_context(tmp_path, agent=agent), plan(40), jobs=4, max_cost=3.0)
    assert 3 <= agent.runs <= 3 + 4


def test_a_rejected_key_stops_the_run_at_once_with_its_reason(tmp_path: Path) -> None:
    numbers = iter(range(100))

    def work() -> Trajectory:
        if next(numbers) == 2:
            raise RunAborted("the key was rejected (401)")
        return DONE

    agent = FakeAgent(work)
    context = make_context(tmp_path, agent=agent)
    execution, _ = go(context, plan(30), jobs=1)
    assert execution.aborted == "the key was rejected (401)"
    assert agent.runs == 3
    assert (len(execution.standings), execution.unfinished) == (2, 28)
    assert not plan(30)[2].paths(context.paths).result.exists()


def test_giving_up_closes_the_sandboxes_of_running_episodes_and_leaves_no_result_of_them(tmp_path: Path) -> None:
    provider = FakeProvider()
    context = make_context(tmp_path, provider=provider)
    closed = threading.Event()
    provider.closing = closed.set

    def wait_for_the_end() -> Trajectory:
        context.stop.give_up("interrupted")
        assert closed.wait(10)
        return DONE

    context.agents["mcr"]._work = wait_for_the_end  # type: ignore[attr-defined]
    execution, _ = go(context, plan(5), jobs=1)
    assert execution.standings == ()
    assert execution.unfinished == 5
    assert len(provider.sandboxes) == 1
    assert "episode_given_up" in [event["event"] for event in read_events(context.paths.log)]


def test_no_sandbox_is_made_once_the_run_gives_up() -> None:
    provider = FakeProvider()
    stop = Stop()
    stop.give_up("interrupted")
    with pytest.raises(EpisodeGivenUp, match="interrupted"):
        stop.opened(lambda: provider.open(run_id="r", episode_id="e"))
    assert provider.sandboxes == []


def test_a_sandbox_that_is_made_while_the_run_gives_up_is_not_used() -> None:
    stop = Stop()
    stop.opened(lambda: FakeSandbox(FakeProvider()))
    stop.give_up("interrupted")
    used = False
    with pytest.raises(EpisodeGivenUp, match="interrupted"), stop.watching():
        used = True
    assert not used


def test_a_run_that_gives_up_waits_for_the_sandboxes_that_are_being_closed() -> None:
    begun, may_end, waited = threading.Event(), threading.Event(), threading.Event()

    def close() -> None:
        begun.set()
        may_end.wait(60)

    stop = Stop()
    sandbox = stop.opened(lambda: FakeSandbox(FakeProvider(closing=close)))
    stop.close_sandboxes()
    begun.wait(60)
    sandbox.close()  # as the episode does: another closes it already
    stop.closed(sandbox)

    def wait() -> None:
        stop.wait_for_sandboxes(60)
        waited.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert not waited.wait(0.1)
    may_end.set()
    waiting.join(60)
    assert waited.is_set()


def test_as_many_episodes_wait_at_once_as_there_are_jobs(tmp_path: Path) -> None:
    together = threading.Barrier(8, timeout=240)

    def wait() -> Trajectory:
        together.wait()
        return DONE

    go(make_context(tmp_path, agent=FakeAgent(wait)), plan(8), jobs=8)
    assert not together.broken
