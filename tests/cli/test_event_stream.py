"""--events: another program hears of a run as it happens, and the run does not depend on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gitgoodbench.reporting.schemas import shipped
from gitgoodbench.runs.event_stream import streaming

PLAY = ("--sandbox", "local", "--offline", "--scenario", "mcr", "--limit", "2", "--jobs", "1")


def program(*arguments: str, folder: Path, **settings: Any) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "gitgoodbench", *arguments)
    return subprocess.run(command, cwd=folder, text=True, check=False, stderr=subprocess.PIPE, **settings)


def events_in(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def log_of(folder: Path, run: str) -> list[dict[str, Any]]:
    return events_in((folder / "results" / run / "run.log").read_text("utf-8"))


def test_standard_output_has_the_events_of_the_log_and_nothing_else(tmp_path: Path) -> None:
    ran = program("eval", "mini", "--agent", "noop", *PLAY, "--run-id", "r", "--events", "-", folder=tmp_path,
                  stdout=subprocess.PIPE)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    events = events_in(ran.stdout)
    assert events == [{"run": "r", **event} for event in log_of(tmp_path, "r")]
    assert [event["event"] for event in events] == [
        "session_started",
        *["episode_started", "outcome_saved", "episode_finished"] * 2,
        "session_ended",
    ]
    for event in events:
        jsonschema.validate(event, json.loads(shipped("run-log")))
    assert "noop" in ran.stderr  # the table


def test_a_file_is_appended_to_by_resume(tmp_path: Path) -> None:
    first = program("eval", "mini", "--agent", "noop", *PLAY, "--run-id", "r", "--events", "e.jsonl", folder=tmp_path,
                    stdout=subprocess.PIPE)  # fmt: skip
    again = program("resume", "results/r", "--events", "e.jsonl", folder=tmp_path, stdout=subprocess.PIPE)
    assert (first.returncode, again.returncode) == (0, 0), again.stderr
    assert "noop" in first.stdout
    events = events_in((tmp_path / "e.jsonl").read_text("utf-8"))
    assert events == [{"run": "r", **event} for event in log_of(tmp_path, "r")]
    assert events[-2]["kept"] == 2


def test_a_reader_that_goes_away_stops_nothing(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    ran = program("eval", "mini", "--agent", "noop", *PLAY, "--run-id", "r", "--events", "-", folder=tmp_path,
                  stdout=write)  # fmt: skip
    os.close(write)
    assert ran.returncode == 0, ran.stderr
    assert log_of(tmp_path, "r")[-1]["event"] == "session_ended"


def test_a_reader_that_never_reads_keeps_no_event_waiting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("gitgoodbench.runs.event_stream._PATIENCE_S", 0.05)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    opened: list[int] = []
    reader = threading.Thread(target=lambda: opened.append(os.open(fifo, os.O_RDONLY)))
    reader.start()
    with streaming(str(fifo)) as stream:
        assert stream is not None
        hear = stream.of("r")
        for _ in range(3):
            hear({"event": "large", "text": "x" * 100_000})
    reader.join()
    assert stream.is_stuck
    os.close(opened[0])


def test_a_file_that_cannot_be_written_is_a_mistake_of_one_line(tmp_path: Path) -> None:
    ran = program("eval", "mini", "--agent", "noop", *PLAY, "--run-id", "r", "--events", "no/such/file",
                  folder=tmp_path, stdout=subprocess.PIPE)  # fmt: skip
    assert ran.returncode == 2
    assert "--events no/such/file cannot be written: No such file or directory" in ran.stderr
    assert not (tmp_path / "results" / "r" / "run.log").exists()
