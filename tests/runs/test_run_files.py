"""The folder of a run: names, atomic files, the lock, the log, and what counts as a finished result."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitgoodbench.errors import Status, UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.runs.events import EventLog, read_events
from gitgoodbench.runs.paths import RunPaths, folder_name
from gitgoodbench.runs.plan import PlannedEpisode, finished_result
from gitgoodbench.runs.result import Result, read_result, write_result
from tests.support.fake_runs import failed_result, make_result, make_samples


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    folder = tmp_path / "run"
    folder.mkdir()
    return RunPaths(folder)


def test_an_episode_lies_under_scenario_sample_and_epoch(paths: RunPaths) -> None:
    files_of = paths.episode("mcr", "pallets_click_merge_0001", 2)
    assert files_of.result == paths.folder / "samples/mcr/pallets_click_merge_0001/2/result.json"
    assert files_of.bundle.name == "outcome.bundle"


@pytest.mark.parametrize("sample_id", ["..", ".", "...", ".git", "a" * 400, "ä" * 200])
def test_no_sample_id_leaves_its_folder_or_is_too_long_for_one(sample_id: str) -> None:
    name = folder_name(sample_id)
    assert len(name.encode()) <= 150
    assert not name.startswith(".")
    assert "/" not in name


def test_long_ids_that_begin_alike_get_folders_of_their_own() -> None:
    assert folder_name("a" * 400) != folder_name("a" * 401)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "result.json"
    write_atomically(path, b"old")

    def full_disk(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_a_result_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    result = make_result(facts={"attainable": None, "path": "caf\udce9.py"}, scores={"files_exact": 0.1, "ted": None})
    write_result(tmp_path / "result.json", result)
    assert read_result(tmp_path / "result.json") == result


def test_unknown_values_are_null_and_never_zero(tmp_path: Path) -> None:
    write_result(tmp_path / "result.json", failed_result("s0", Status.SETUP_FAILED, "gone", usage={}, turns=None))
    written = json.loads((tmp_path / "result.json").read_bytes())
    assert written["usage"] == {
        "requests": None,
        "prompt_tokens": None,
        "cached_tokens": None,
        "completion_tokens": None,
        "cost_usd": None,
    }
    assert [written[name] for name in ("solved", "solved_paper", "turns", "judge", "model")] == [None] * 5
    assert written["error"] == {"kind": "setup_failed", "message": "gone"}


def test_numbers_that_json_lacks_are_null(tmp_path: Path) -> None:
    write_result(tmp_path / "result.json", make_result(scores={"ted": float("nan")}, facts={"x": [float("inf")]}))
    written = json.loads((tmp_path / "result.json").read_bytes())
    assert written["scores"] == {"ted": None}
    assert written["facts"] == {"x": [None]}


def _planned() -> PlannedEpisode:
    return PlannedEpisode(make_samples(1)[0], "mcr", 1)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 300,
        b"{",
        b"null",
        b"[]",
        b'{"sample_id": "s0"}',
        b"<html>502</html>",
        b"[" * 100_000,
        json.dumps({"sample_id": "s0", "scenario": "mcr", "epoch": 1, "status": "wonderful"}).encode(),
    ],
)
def test_a_result_that_is_cut_short_or_no_result_is_not_finished(paths: RunPaths, content: bytes) -> None:
    file = _planned().paths(paths).result
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    assert finished_result(_planned(), paths) is None


def _put(paths: RunPaths, result: Result) -> None:
    file = _planned().paths(paths).result
    file.parent.mkdir(parents=True, exist_ok=True)
    write_result(file, result)


def test_every_cut_of_a_result_is_unfinished_and_the_whole_is_finished(paths: RunPaths) -> None:
    _put(paths, make_result())
    file = _planned().paths(paths).result
    whole = file.read_bytes()
    for length in range(0, len(whole) - 2, 37):
        file.write_bytes(whole[:length])
        assert finished_result(_planned(), paths) is None
    file.write_bytes(whole)
    assert finished_result(_planned(), paths) == make_result()


def test_the_result_of_another_episode_is_not_finished(paths: RunPaths) -> None:
    _put(paths, make_result("another"))
    assert finished_result(_planned(), paths) is None


@pytest.mark.parametrize(
    ("status", "kept"), [(status, status is not Status.INFRASTRUCTURE_FAILED) for status in Status]
)
def test_only_failures_of_infrastructure_are_run_again(paths: RunPaths, status: Status, kept: bool) -> None:
    _put(paths, make_result(status=status))
    assert (finished_result(_planned(), paths) is not None) is kept


def test_a_run_is_held_by_one_process_at_a_time(paths: RunPaths) -> None:
    with (
        paths.held(),
        pytest.raises(UserError, match=rf"process {os.getpid()} on .*wait until it ends"),
        paths.held(),
    ):
        pass
    with paths.held():
        pass


def test_the_lock_of_a_killed_process_is_free(paths: RunPaths) -> None:
    script = (
        "import sys, time; from pathlib import Path;"
        "from gitgoodbench.runs.paths import RunPaths\n"
        "with RunPaths(Path(sys.argv[1])).held(): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(paths.folder)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match=f"process {holder.pid}"), paths.held():
            pass
        holder.kill()
        holder.wait()
        with paths.held():
            assert paths.lock.read_text().startswith(f"process {os.getpid()} ")


def test_the_log_goes_on_after_a_line_that_a_kill_cut_short(paths: RunPaths) -> None:
    with EventLog(paths.log) as log:
        log.write("episode_started", episode="mcr/s0/1")
    with paths.log.open("ab") as file:
        file.write(b'{"time": "2026-01-01T00:00')
    with EventLog(paths.log) as log:
        log.write("session_started", planned=3)
    assert [event["event"] for event in read_events(paths.log)] == ["episode_started", "session_started"]


def test_an_event_is_one_line_whatever_is_in_it(paths: RunPaths) -> None:
    with EventLog(paths.log) as log:
        log.write("exception", traceback="Traceback\n  line\n\udcff", path=Path("/x"))
    assert paths.log.read_bytes().count(b"\n") == 1
    assert next(read_events(paths.log))["traceback"] == "Traceback\n  line\n\udcff"


def test_a_log_that_cannot_be_opened_is_said_in_one_line(paths: RunPaths) -> None:
    paths.log.mkdir()
    with pytest.raises(UserError, match=r"run\.log of the run cannot be written: Is a directory"):
        EventLog(paths.log)
