"""`show` while an episode is under way, and where there is no result; `runs`."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from gitgoodbench.cli import showing
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import write_result
from gitgoodbench.runs.transcript import Transcript
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


def test_the_agents_own_log_is_named_last(command: CommandLine, watched: WatchedRun) -> None:
    logs = watched.paths.episode("mcr", "s0", 1).agent_logs
    logs.mkdir()
    (logs / "stdout\x1b.txt").touch()
    shown = command("show", watched.paths.folder, "s0")
    assert shown.out.endswith(f"\n\nthe agent's own log\n  {logs}/stdout\\x1b.txt\n")


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


def test_episodes_of_a_sample_as_json(command: CommandLine, watched: WatchedRun) -> None:
    files = watched.paths.episode("mcr", "s0", 1)
    write_result(files.result, make_result("s0"))
    files.trajectory.unlink()
    Transcript(files.trajectory, sample_id="s0").message({"role": "user", "content": "go"})
    (episode,) = json.loads(command("show", watched.paths.folder, "s0", "--json").out)
    assert (episode["episode"], episode["result"]["sample_id"]) == ("mcr/s0/1", "s0")
    said = {"messages": [{"role": "user", "content": "go"}], "ending": None, "asides": []}
    assert episode["conversation"] == said
    assert command("show", watched.paths.folder, "--json").code == 2
    assert command("show", watched.paths.folder, "other", "--json").code == 2


def test_runs_are_listed_the_newest_last(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command.noop().code == 0
    assert command.eval("--agent", "noop", "--run-id", "a", "--limit", "1").code == 0
    command.results()[0].unlink()
    (command.out / "b").mkdir()
    (command.out / "b" / "manifest.json").write_text("{")
    listed = command("runs", command.out)
    assert listed.code == 0
    assert "b/manifest.json" in listed.err
    rows = [line.split()[:6] for line in listed.out.split("\n")[2:-1]]
    assert rows == [
        ["run", "state", "episodes", "solved", "cost", "agent"],
        ["r", "unfinished", "4/5", "4/4", "-", "noop"],
        ["a", "finished", "1/1", "1/1", "-", "noop"],
    ]
    monkeypatch.chdir(command.out.parent)
    assert command("runs").out == listed.out.replace(str(command.out), "results")


def test_a_run_that_is_worked_on_is_running(command: CommandLine) -> None:
    command.noop("--limit", "2")
    with RunPaths(command.out / "r").held():
        assert " running " in command("runs", command.out).out


def test_where_there_are_no_runs_that_is_said(command: CommandLine, tmp_path: Path) -> None:
    assert command("runs", tmp_path / "none").error.startswith(f"gitgoodbench: {tmp_path}/none is no folder")
    assert command("runs", tmp_path).out == f"no runs in {tmp_path}\n"
