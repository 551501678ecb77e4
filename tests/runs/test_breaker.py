"""Broken surroundings stop a run once, and what failed is tried again when their cause is gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.errors import InfrastructureFailed, Status
from gitgoodbench.runs.breaker import Breaker, cause_of
from gitgoodbench.runs.events import read_events
from gitgoodbench.runs.execute import Execution, execute
from gitgoodbench.runs.plan import PlannedEpisode, plan_episodes
from gitgoodbench.runs.result import Result, read_result
from tests.support.fake_runs import (
    DONE,
    FakeAgent,
    FakeProvider,
    FakeScenario,
    RecordingObserver,
    failed_result,
    make_context,
    make_result,
    make_samples,
)

GONE = "no container of x: the Docker daemon does not answer (Connection refused): is it still running?"


def failed(message: str, sample: str = "s0") -> Result:
    return failed_result(sample, Status.INFRASTRUCTURE_FAILED, message)


def plan(count: int) -> tuple[PlannedEpisode, ...]:
    return plan_episodes(make_samples(count), {"mcr": FakeScenario()}, 1)


def docker_that(working: Callable[[int], bool]) -> FakeProvider:
    """Sandboxes of a daemon of which `working` says whether it answers the n-th time, counted from 1."""
    numbers = iter(range(1, 1000))

    def opening() -> None:
        if not working(next(numbers)):
            raise InfrastructureFailed(GONE)

    return FakeProvider(opening)


def go(
    folder: Path, provider: FakeProvider, count: int, *, agent: FakeAgent | None = None, **limits: int
) -> tuple[Execution, RecordingObserver]:
    observer, context = RecordingObserver(), make_context(folder, provider=provider, agent=agent)
    return execute(plan(count), context, jobs=1, observer=observer, **limits), observer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the container gitgoodbench-0af3 is gone", "the container gitgoodbench-9bc1 is gone"),
        ("/tmp/a1/x: No space left on device", "/tmp/b2/y: No space left on device"),
        ("503 after 12.5 s", "503 after 8 s"),
    ],
)
def test_one_cause_is_one_whatever_it_hit(one: str, other: str) -> None:
    assert cause_of(failed(one)) == cause_of(failed(other)) is not None


def test_different_words_are_different_causes_and_other_endings_have_none() -> None:
    assert cause_of(failed("the disk is full")) != cause_of(failed("the server is down"))
    assert cause_of(make_result()) is None
    assert cause_of(failed_result("s0", Status.SETUP_FAILED, "no commit")) is None


def test_only_failures_in_a_row_of_one_cause_count() -> None:
    breaker = Breaker(3)
    down = failed("down")
    row = [down, down, make_result(), down, failed("full"), down, down]
    assert [breaker.enter(result) for result in row] == [None] * 7
    assert breaker.enter(failed("down", "s1")) == "3 failures of infrastructure in a row, of one cause: down"
    assert Breaker(None).enter(failed("down")) is None


def test_failures_of_one_sample_alone_end_nothing_but_make_it_doubtful() -> None:
    breaker = Breaker(3)
    assert [breaker.enter(failed("down")) for _ in range(5)] == [None] * 5
    assert (breaker.doubts("s0"), breaker.doubts("s1")) == (True, False)
    assert breaker.enter(failed("down", "s1")) == "6 failures of infrastructure in a row, of one cause: down"
    assert Breaker(1).enter(failed("down")) == "1 failures of infrastructure in a row, of one cause: down"


def test_a_daemon_that_goes_in_the_middle_stops_the_run_once_and_keeps_what_is_done(tmp_path: Path) -> None:
    execution, observer = go(tmp_path, docker_that(lambda number: number <= 10), 40, max_failures=5, retry_failed=1)
    assert execution.broken == f"5 failures of infrastructure in a row, of one cause: {GONE}"
    assert execution.stopped == execution.broken
    assert [result.status for result in execution.standings].count(Status.COMPLETED) == 10
    assert len(execution.standings) == 15
    assert execution.unfinished == 30
    assert observer.notes == [execution.broken]
    log = make_context(tmp_path).paths.log
    assert [event["event"] for event in read_events(log)].count("run_broken") == 1


def test_a_run_that_was_stopped_so_goes_on_where_it_was(tmp_path: Path) -> None:
    agent = FakeAgent()
    go(tmp_path, docker_that(lambda number: number <= 10), 40, max_failures=5, agent=agent)
    execution, _ = go(tmp_path, docker_that(lambda _: True), 40, max_failures=5, agent=agent)
    assert (execution.unfinished, execution.broken, agent.runs) == (0, None, 40)


def test_what_failed_is_tried_again_at_the_end_of_the_run(tmp_path: Path) -> None:
    execution, observer = go(
        tmp_path, docker_that(lambda number: number not in (3, 4)), 6, max_failures=5, retry_failed=1
    )
    assert [result.status for result in execution.standings] == [Status.COMPLETED] * 6
    assert execution.unfinished == 0
    results = [read_result(path) for path in make_context(tmp_path).paths.result_files()]
    assert [len(result.attempts) for result in results if result is not None] == [0, 0, 1, 1, 0, 0]
    assert observer.notes == ["again: s2", "again: s3"]


def test_where_the_cause_is_still_there_only_one_episode_is_tried(tmp_path: Path) -> None:
    runs: list[int] = []

    def work() -> Trajectory:
        runs.append(1)
        return DONE if len(runs) <= 2 else Trajectory(Status.INFRASTRUCTURE_FAILED, error="the server is down")

    execution, observer = go(tmp_path, FakeProvider(), 5, agent=FakeAgent(work), max_failures=10, retry_failed=1)
    assert execution.unfinished == 3
    assert len(runs) == 5 + 1
    assert observer.notes == ["again: s2"]


def test_as_many_rounds_are_made_as_asked_for(tmp_path: Path) -> None:
    execution, observer = go(
        tmp_path, docker_that(lambda number: number not in (1, 3)), 2, max_failures=5, retry_failed=0
    )
    assert (execution.unfinished, observer.notes) == (1, [])
    execution, observer = go(
        tmp_path / "again", docker_that(lambda number: number not in (1, 3)), 2, max_failures=5, retry_failed=2
    )
    assert (execution.unfinished, observer.notes) == (0, ["again: s0", "again: s0"])
