"""What is seen of a run while it goes on."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from gitgoodbench.errors import Status
from gitgoodbench.reporting.progress import LiveProgress, PlainProgress, watching
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.running import Screen, money, short_count
from gitgoodbench.reporting.totals import Totals, clock_time
from gitgoodbench.runs.activity import Activity, Spending
from gitgoodbench.runs.standing import Standing
from tests.support.fake_runs import failed_result, make_result
from tests.support.watched import WatchedRun


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime.fromtimestamp(datetime(2026, 1, 31, 9, tzinfo=UTC).timestamp() + self.seconds, UTC)


def plain() -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=400, no_color=True, highlight=False), stream


def terminal(width: int) -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=width, height=20, force_terminal=True, color_system=None), stream


def three_running(folder: Path) -> WatchedRun:
    run = WatchedRun(folder)
    for sample in ("s0", "owner_of_a_name_merge_0001", "s2"):
        run.log("episode_started", f"mcr/{sample}/1")
    run.answer("s0", "view_merge_conflict_at")
    run.answer("s0", "resolve_merge_conflict_with_text", tokens=12_300)
    run.answer("owner_of_a_name_merge_0001", "view_diff")
    run.pay("answered", cost_usd=0.42)
    run.pay("answered", "judge", cost_usd=0.1)
    return run


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            80,
            [
                "gpt-4o on mini  ━━━━━                 2/8  0:01:30  left 0:04:30",
                "1 solved, 1 completed, 1 gave_up, $0.52 (agents $0.42, judges $0.10)",
                "  mcr/s0/1                  turn 2  12.4k tokens  90 s  resolve_merge_conflict_…",
                "  …_of_a_name_merge_0001/1  turn 1    120 tokens  90 s  view_diff",
                "  mcr/s2/1                  turn 0      0 tokens  90 s  setup",
            ],
        ),
        (
            160,
            [
                "gpt-4o on mini  ━━━━━                 2/8  0:01:30  left 0:04:30",
                "1 solved, 1 completed, 1 gave_up, $0.52 (agents $0.42, judges $0.10)",
                "  mcr/s0/1                          turn 2  12.4k tokens  90 s  resolve_merge_conflict_with_text",
                "  mcr/owner_of_a_name_merge_0001/1  turn 1    120 tokens  90 s  view_diff",
                "  mcr/s2/1                          turn 0      0 tokens  90 s  setup",
            ],
        ),
    ],
)
def test_a_terminal_shows_totals_and_a_line_for_each_running_episode(
    tmp_path: Path, width: int, expected: list[str]
) -> None:
    clock = Clock()
    activity = Activity(WatchedRun(tmp_path / "run").paths)
    totals = Totals(clock)
    screen = Screen("gpt-4o on mini", totals, activity, clock=clock, now=clock.now)
    three_running(tmp_path / "run")
    totals.begin(8, 0)
    totals.add(make_result("s7"))
    totals.add(make_result("s8", status=Status.GAVE_UP, solved=False))
    clock.seconds = 90
    console, stream = terminal(width)
    console.print(screen)
    assert [line.rstrip() for line in stream.getvalue().split("\n")][:-1] == expected


def test_a_low_terminal_counts_the_episodes_that_have_no_line(tmp_path: Path) -> None:
    run = WatchedRun(tmp_path)
    activity = Activity(run.paths)
    for number in range(15):
        run.log("episode_started", f"mcr/s{number}/1")
    console, stream = terminal(80)
    console.print(Screen("x", Totals(), activity))
    assert "mcr/s11/1" in stream.getvalue()
    assert "mcr/s12/1" not in stream.getvalue()
    assert "  and 3 more\n" in stream.getvalue()


def test_failures_scroll_by_and_solved_episodes_do_not(tmp_path: Path) -> None:
    console, stream = terminal(160)
    activity = Activity(WatchedRun(tmp_path).paths)
    with watching(console, "oracle [b]on[/b] mini", RepositoryProgress(console), activity) as observer:
        assert isinstance(observer, LiveProgress)
        observer.begin(3, [])
        observer.finished(make_result("s0"))
        observer.finished(failed_result("s1", Status.INFRASTRUCTURE_FAILED, "503"))
        observer.note("[red]stopping[/red]")
    text = stream.getvalue()
    assert "oracle [b]on[/b] mini" in text
    assert "mcr/s0/1" not in text
    assert "[2/3] mcr/s1/1 infrastructure_failed 1.5 s: 503" in text
    assert "[red]stopping[/red]" in text
    assert "1 solved, 1 completed, 1 infrastructure_failed" in text
    assert "2/3" in text


def test_nothing_is_said_of_solved_while_no_episode_is_known_to_be_solved_or_not() -> None:
    totals = Totals()
    totals.add(make_result("c0", scenario="ir", solved=None))
    assert totals.text() == "1 completed"
    totals.add(make_result("s0", solved=False))
    assert totals.text() == "0 solved, 2 completed"


def test_time_left_is_that_of_what_this_session_finished() -> None:
    clock = Clock()
    totals = Totals(clock)
    for sample in ("s0", "s1"):
        totals.add(make_result(sample))
    totals.begin(6, 2)
    clock.seconds = 60
    assert totals.seconds_left() is None
    totals.add(make_result("s2"))
    assert totals.seconds_left() == 180
    failed = failed_result("s3", Status.INFRASTRUCTURE_FAILED, "503")
    totals.add(failed)
    assert totals.seconds_left() == 60
    totals.remove(failed)
    assert totals.seconds_left() == 180


def test_plain_progress_is_a_line_for_each_episode(tmp_path: Path) -> None:
    console, stream = plain()
    run = WatchedRun(tmp_path)
    with watching(console, "oracle on mini", RepositoryProgress(console), Activity(run.paths)) as observer:
        assert isinstance(observer, PlainProgress)
        observer.begin(5, [Standing.of(make_result("s0"))])
        observer.finished(make_result("s1", solved=False))
        run.pay("answered", cost_usd=0.5)
        observer.finished(failed_result("s2", Status.SETUP_FAILED, "gone"))
        observer.finished(make_result("c0", scenario="ir", solved=None))
        gates = {"final_tree_exact": False, "finished": True}
        observer.finished(make_result("c1", scenario="ir", solved=None, gates=gates))
    assert stream.getvalue().split("\n") == [
        "oracle on mini: 5 episodes, 1 of them finished before",
        "[2/5] mcr/s1/1 completed not solved 1.5 s",
        "[3/5] mcr/s2/1 setup_failed 1.5 s $0.50: gone",
        "[4/5] ir/c0/1 completed (gates met) 1.5 s $0.50",
        "[5/5] ir/c1/1 completed (gates missed: final tree exact) 1.5 s $0.50",
        "",
    ]


def test_plain_progress_says_now_and_then_what_is_under_way_in_the_middle_of_episodes(tmp_path: Path) -> None:
    clock = Clock()
    console, stream = plain()
    activity = Activity(WatchedRun(tmp_path / "run").paths)
    progress = PlainProgress(console, "x", activity, clock=clock, now=clock.now)
    progress.begin(8, [])
    three_running(tmp_path / "run")
    for clock.seconds in (10.0, 29.0, 31.0, 60.0):
        progress.tick()
        progress.note("a note")
    assert stream.getvalue().split("\n") == [
        "x: 8 episodes",
        "a note",
        "a note",
        "[0/8] 0:00:31; $0.52 (agents $0.42, judges $0.10); running: "
        "mcr/s0/1 turn 2, 12.4k tokens, 31 s, resolve_merge_conflict_…; "
        "mcr/owner_of_a_name_merge_0001/1 turn 1, 120 tokens, 31 s, view_diff; "
        "mcr/s2/1 turn 0, 0 tokens, 31 s, setup",
        "a note",
        "a note",
        "",
    ]


def test_plain_progress_says_nothing_where_nothing_is_under_way(tmp_path: Path) -> None:
    clock = Clock()
    console, stream = plain()
    progress = PlainProgress(console, "x", Activity(WatchedRun(tmp_path).paths), clock=clock)
    clock.seconds = 1000
    progress.tick()
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("spending", "words"),
    [
        (Spending(), ""),
        (Spending(agents=0.5), "$0.50"),
        (Spending(agents=0.5, unknown=True), ">= $0.50"),
        (Spending(agents=0.5, judges=1), "$1.50 (agents $0.50, judges $1.00)"),
    ],
)
def test_money_names_judges_where_they_were_paid(spending: Spending, words: str) -> None:
    assert money(spending) == words


def test_counts_and_times_are_short() -> None:
    assert [short_count(n) for n in (0, 999, 1000, 12_430, 999_949, 999_950)] == [
        "0", "999", "1.0k", "12.4k", "999.9k", "1.0M",
    ]  # fmt: skip
    assert [clock_time(s) for s in (0, 61.9, 36_000)] == ["0:00:00", "0:01:01", "10:00:00"]
