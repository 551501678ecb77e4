"""What goes on in a run is read from its files while they grow."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gitgoodbench.runs.activity import Activity, paths_of
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.tail import Tail
from tests.support.watched import WatchedRun


def test_a_tail_gives_each_whole_line_once(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    tail = Tail(path)
    assert list(tail.lines()) == []
    path.write_bytes(b'{"a": 1}\n[2]\nno json\n{"a": 3')
    assert list(tail.lines()) == [{"a": 1}]
    with path.open("ab") as file:
        file.write(b"0}\n")
    assert list(tail.lines()) == [{"a": 30}]
    assert list(tail.lines()) == []


def test_a_tail_begins_anew_in_a_file_that_takes_the_others_place(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b'{"a": 1}\n')
    tail = Tail(path, at_end=True)
    assert list(tail.lines()) == []
    path.rename(tmp_path / "before")
    path.write_bytes(b'{"a": 2}\n{"a": 3}\n')
    assert list(tail.lines()) == [{"a": 2}, {"a": 3}]


def test_an_episode_is_followed_from_its_start_to_its_result(tmp_path: Path) -> None:
    run = WatchedRun(tmp_path)
    run.log("episode_started", "mcr/before/1")
    activity = Activity(run.paths)
    assert activity.look() == []
    run.log("episode_started", "mcr/s0/1")
    seen = []

    def look() -> None:
        [one] = activity.look()
        seen.append((one.turns, one.tokens, one.doing))

    look()
    run.say("episode", sample_id="s0")
    run.say("message", message={"role": "user", "content": "go"})
    look()
    run.answer(tool="view_diff")
    look()
    run.say("fault", fate="lost", tokens={"prompt": 7}, attempt=1)
    look()
    run.answer(tokens=300)
    look()
    run.say("end", status="completed")
    look()
    run.log("outcome_saved", "mcr/s0/1")
    look()
    run.pay("asked", "judge")
    look()
    run.log("episode_finished", "mcr/s0/1", status="completed")
    assert activity.look() == []
    assert seen == [
        (0, 0, "setup"),
        (0, 0, "prompt"),
        (1, 120, "view_diff"),
        (1, 127, "try 2"),
        (2, 447, "answered"),
        (2, 447, "outcome"),
        (2, 447, "scoring"),
        (2, 447, "judging"),
    ]


def test_what_an_attempt_before_said_does_not_count(tmp_path: Path) -> None:
    run = WatchedRun(tmp_path)
    activity = Activity(run.paths)
    run.answer(tool="view_diff")
    run.log("episode_started", "mcr/s0/1", time="2026-01-31T09:00:01.000Z")
    [one] = activity.look()
    assert (one.turns, one.doing) == (0, "setup")
    assert one.seconds(datetime(2026, 1, 31, 9, 0, 31, tzinfo=UTC)) == 30.0


def test_agents_that_ask_no_model_tell_of_their_turns_by_messages(tmp_path: Path) -> None:
    run = WatchedRun(tmp_path)
    activity = Activity(run.paths)
    run.log("episode_started", "mcr/s0/1")
    for name in ("view_diff", "commit"):
        calls = [{"id": "1", "function": {"name": name, "arguments": "{}"}}]
        run.say("message", message={"role": "assistant", "content": None, "tool_calls": calls})
    [one] = activity.look()
    assert (one.turns, one.tokens, one.doing) == (2, 0, "commit")


def test_spending_is_that_of_the_whole_run_by_who_spent_it(tmp_path: Path) -> None:
    run = WatchedRun(tmp_path)
    run.pay("answered", cost_usd=0.25)
    activity = Activity(run.paths)
    run.pay("preflight", "preflight", cost_usd=0.01)
    run.pay("answered", "judge", cost_usd=0.5)
    activity.look()
    spent = activity.spending
    assert (spent.agents, spent.judges, spent.total, spent.unknown) == (0.26, 0.5, 0.76, False)
    run.pay("lost")
    activity.look()
    assert activity.spending.unknown


@pytest.mark.parametrize("name", ["", "mcr", "mcr/s0", "mcr//1", "mcr/s0/x"])
def test_what_is_no_id_has_no_files(name: str) -> None:
    assert paths_of(RunPaths(Path("run")), name) is None


def test_an_id_with_slashes_has_files() -> None:
    paths = RunPaths(Path("run"))
    assert paths_of(paths, "mcr/a/b/2") == paths.episode("mcr", "a/b", 2)
