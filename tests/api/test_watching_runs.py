"""`evaluate(events=..., otel=...)`: somebody else hears of a run from Python as from the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import UserError, evaluate
from tests.support.collector import collecting

RUN: dict[str, Any] = {"sandbox": "local", "offline": True, "scenario": "mcr", "limit": 2, "run_id": "r"}


@pytest.fixture(autouse=True)
def _plain_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("OTEL_"):
            monkeypatch.delenv(name)


def logged(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "r" / "run.log").read_text("utf-8").splitlines()
    return [{"run": "r", **json.loads(line)} for line in lines]


def test_a_callable_hears_every_event_and_a_file_gets_them_appended(tmp_path: Path) -> None:
    heard: list[Mapping[str, Any]] = []
    evaluate("mini", "noop", tmp_path, events=heard.append, **RUN)
    first = logged(tmp_path)
    assert heard == first
    assert [event["event"] for event in heard][-1] == "session_ended"
    evaluate("mini", "noop", tmp_path, events=tmp_path / "events.jsonl", **RUN)
    lines = (tmp_path / "events.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == logged(tmp_path)[len(first) :] != []


def test_what_a_callable_raises_is_raised_once_the_run_is_done(tmp_path: Path) -> None:
    def receive(event: Mapping[str, Any]) -> None:
        raise LookupError(event["event"])

    with pytest.raises(LookupError, match="session_started"):
        evaluate("mini", "noop", tmp_path, events=receive, **RUN)
    assert (tmp_path / "r" / "summary.json").exists()
    assert logged(tmp_path)[-1]["event"] == "session_ended"


def test_a_file_that_cannot_be_written_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"--events .* cannot be written: Is a directory"):
        evaluate("mini", "noop", tmp_path, events=tmp_path, **RUN)
    assert not (tmp_path / "r").exists()


def test_spans_go_to_the_collector_that_the_variables_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        evaluate("mini", "theirs", tmp_path, otel=True, **RUN)
    names = [span.name for span in collector.spans]
    assert names.count("gitgoodbench.run") == 1
    assert names.count("invoke_agent theirs") == 2


def test_spans_that_do_not_arrive_are_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitgoodbench.tracing.export._PATIENCE_S", 0.2)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    with pytest.warns(UserWarning, match="--otel: 3 spans did not arrive"):
        run = evaluate("mini", "noop", tmp_path, otel=True, **RUN)
    assert len(run.results) == 2
