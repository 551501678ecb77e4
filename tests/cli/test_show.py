"""`show` while an episode is under way, and where there is no result."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gitgoodbench.cli import showing
from gitgoodbench.runs.result import write_result
from tests.cli.conftest import CommandLine
from tests.support.fake_runs import make_result
from tests.support.watched import WatchedRun


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WatchedRun:
    monkeypatch.setattr(showing, "_LOOK_EVERY_S", 0.01)
    run = WatchedRun(tmp_path / "run")
    run.log("episode_started", "mcr/s0/1")
    run.say("message", message={"role": "user", "content": "go"})
    return run


def test_an_episode_that_was_broken_off_is_shown_as_far_as_it_got(command: CommandLine, watched: WatchedRun) -> None:
    shown = command("show", watched.paths.folder, "s0")
    assert shown.code == 0
    assert shown.out == (
        "mcr/s0/1\n\nuser\n  go\n\nno result: the episode was broken off; gitgoodbench resume plays it again\n"
    )


def test_an_episode_under_way_is_shown_as_far_as_it_is(command: CommandLine, watched: WatchedRun) -> None:
    with watched.paths.held():
        shown = command("show", watched.paths.folder, "mcr/s0/1")
    assert "\n  go\n\nnot finished: process " in shown.out
    assert shown.out.endswith(" is working on it (--follow)\n")


def test_a_damaged_result_is_named_below_the_conversation(command: CommandLine, watched: WatchedRun) -> None:
    watched.log("episode_finished", "mcr/s0/1")
    path = watched.paths.episode("mcr", "s0", 1).result
    path.write_bytes(b"{")
    shown = command("show", watched.paths.folder, "mcr/s0")
    assert shown.out.startswith("mcr/s0/1\n\nuser\n  go\n\n")
    assert shown.out.endswith("gitgoodbench resume makes it again\n")
    assert f"no result: {path} is damaged (not JSON" in shown.out


def test_an_episode_is_followed_until_it_ends(command: CommandLine, watched: WatchedRun) -> None:
    files = watched.paths.episode("mcr", "s0", 1)
    seen = threading.Event()

    def play() -> None:
        seen.wait(10)
        watched.answer(tool="view_diff")
        write_result(files.result, make_result("s0"))
        watched.log("episode_finished", "mcr/s0/1")

    thread = threading.Thread(target=play)
    with watched.paths.held():
        thread.start()
        threading.Timer(0.1, seen.set).start()
        shown = command("show", watched.paths.folder, "s0", "--follow")
    thread.join()
    assert "\nuser\n  go\n\nassistant  turn 1, 100 + 20 tokens\n  so\n  > view_diff()\n\nmcr/s0/1\n" in shown.out
    assert "completed, solved" in shown.out


def test_what_nobody_works_on_any_more_is_not_followed_for_ever(command: CommandLine, watched: WatchedRun) -> None:
    shown = command("show", watched.paths.folder, "s0", "--follow")
    assert shown.out.endswith("no result: the episode was broken off; gitgoodbench resume plays it again\n")


def test_the_list_has_what_is_under_way(command: CommandLine, watched: WatchedRun) -> None:
    with watched.paths.held():
        assert command("show", watched.paths.folder).out == "mcr/s0/1  running\n"
    assert command("show", watched.paths.folder, "--follow").out == "mcr/s0/1  broken off\n"


def test_a_conversation_of_before_is_shown(command: CommandLine, watched: WatchedRun) -> None:
    files = watched.paths.episode("mcr", "s0", 1)
    files.trajectory.unlink()
    files.former_trajectory.write_text('{"messages": [{"role": "user", "content": "old"}]}')
    assert "\nuser\n  old\n" in command("show", watched.paths.folder, "s0").out
