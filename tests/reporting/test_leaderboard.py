"""report --leaderboard: complete and unchanged runs on the same rows, each once, in an order of their own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gitgoodbench import evaluate
from gitgoodbench.cli import run
from gitgoodbench.reporting.leaderboard import read_leaderboard
from gitgoodbench.reporting.schemas import shipped

SAMPLES = ["mini_cairn_merge_0000", "mini_cairn_merge_0001"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs")
    common: dict[str, Any] = {"out": out, "scenario": "mcr", "sandbox": "local"}
    for agent in ("ours", "tool-oracle"):
        evaluate("mini", agent, run_id=agent, sample=SAMPLES, **common)
    evaluate("mini", "theirs", run_id="other-rows", sample=SAMPLES[0], **common)
    return out


@pytest.fixture
def runs(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path / "runs")
    return tmp_path / "runs"


def add(file: Path, *folders: Path, form: str = "table") -> int:
    return run(["report", *map(str, folders), "--leaderboard", str(file), "--format", form])


def refused(capsys: pytest.CaptureFixture[str], file: Path, *folders: Path) -> str:
    before = file.read_bytes() if file.exists() else None
    capsys.readouterr()
    assert add(file, *folders) == 2
    assert (file.read_bytes() if file.exists() else None) == before, "the file is as it was"
    return capsys.readouterr().err


def test_a_file_is_sorted_pinned_and_the_same_whatever_the_order(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    assert add(one, runs / "ours") == 0
    assert add(one, runs / "tool-oracle") == 0
    assert add(other, runs / "tool-oracle", runs / "ours") == 0
    assert one.read_bytes() == other.read_bytes()
    read = json.loads(one.read_bytes())
    jsonschema.validate(read, json.loads(shipped("leaderboard")))
    assert [entry["run_id"] for entry in read["entries"]] == ["tool-oracle", "ours"]
    assert [entry["overall"]["of_all"]["hits"] for entry in read["entries"]] == [2, 0]
    assert (read["rows"]["suite"], read["rows"]["samples"]) == ("mini", 2)
    manifest = json.loads((runs / "ours/manifest.json").read_bytes())
    pins = read["entries"][1]["provenance"]
    assert (pins["plan"], pins["git"]) == (manifest["plan"]["fingerprint"], manifest["host"]["git"])
    assert pins["scenarios"] == manifest["scenarios"]
    assert pins["rules"] == json.loads(next(runs.glob("ours/samples/mcr/*/1/result.json")).read_bytes())["scored_by"]
    assert str(tmp_path) not in one.read_text(), "nothing of this machine's folders"
    assert "ours: added" in capsys.readouterr().err


def test_the_same_run_twice_changes_nothing(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "board.json"
    assert add(file, runs / "ours") == 0
    before, when = file.read_bytes(), file.stat().st_mtime_ns
    assert add(file, runs / "ours") == 0
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (before, when)
    assert "ours: already there" in capsys.readouterr().err


def test_a_run_more_adds_lines_and_changes_none(runs: Path, tmp_path: Path) -> None:
    file = tmp_path / "board.json"
    assert add(file, runs / "tool-oracle") == 0
    before = file.read_text().splitlines()
    assert add(file, runs / "ours") == 0
    after = iter(file.read_text().splitlines())
    assert all(any(line.rstrip(",") == old.rstrip(",") for line in after) for old in before)


def test_incomplete_runs_are_refused(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "board.json"
    result = next((runs / "ours/samples/mcr").glob(f"{SAMPLES[0]}/1/result.json"))
    whole = result.read_text()
    result.write_text("{")
    assert "result.json is damaged" in refused(capsys, file, runs / "ours")
    result.write_text(json.dumps({**json.loads(whole), "status": "infrastructure_failed"}))
    assert "1 episodes are infrastructure_failed, such as mcr/" in refused(capsys, file, runs / "ours")
    result.unlink()
    said = refused(capsys, file, runs / "ours", runs / "tool-oracle")
    assert "run ours is incomplete: 1 of 2 episodes are missing; `gitgoodbench resume" in said
    assert not file.exists()


def test_changed_runs_are_refused(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "board.json"
    result = next((runs / "ours/samples/mcr").glob(f"{SAMPLES[0]}/1/result.json"))
    theirs = runs / "tool-oracle" / result.relative_to(runs / "ours")
    whole = result.read_text()
    shutil.copy(theirs, result)
    assert "run ours was changed: the result of mcr/mini_cairn_merge_0000/1" in refused(capsys, file, runs / "ours")
    result.write_text(json.dumps({**json.loads(whole), "scored_by": {"gitgoodbench": "0"}}))
    assert "were scored by different rules: `gitgoodbench score" in refused(capsys, file, runs / "ours")
    result.write_text(whole)
    manifest = runs / "ours/manifest.json"
    pinned = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps({**pinned, "plan": {**pinned["plan"], "fingerprint": "0" * 64}}))
    assert "its results are not of the episodes that it planned" in refused(capsys, file, runs / "ours")
    manifest.write_text(json.dumps({**pinned, "suite": {**pinned["suite"], "fingerprint": "0" * 64}}))
    assert "the rows of mini have changed since run ours" in refused(capsys, file, runs / "ours")
    manifest.write_text(json.dumps({**pinned, "suite": {**pinned["suite"], "spec": "nowhere.jsonl"}}))
    assert "run ours cannot be checked against its rows" in refused(capsys, file, runs / "ours")


def test_other_rows_and_another_run_of_the_name_are_refused(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.json"
    assert add(file, runs / "ours") == 0
    assert "run other-rows is on other rows than" in refused(capsys, file, runs / "tool-oracle", runs / "other-rows")
    manifest = runs / "ours/manifest.json"
    pinned = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps({**pinned, "created": "2026-01-01T00:00:00Z"}))
    assert "has another run that is called ours" in refused(capsys, file, runs / "ours")


def test_a_run_that_was_scored_again_takes_its_own_place(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.json"
    assert add(file, runs / "ours", runs / "tool-oracle") == 0
    for path in (runs / "ours/samples/mcr").glob("*/1/result.json"):
        path.write_text(json.dumps({**json.loads(path.read_bytes()), "solved": True}))
    assert add(file, runs / "ours") == 0
    assert "ours: scored again" in capsys.readouterr().err
    board = read_leaderboard(file)
    assert board is not None
    assert [(entry.run_id, entry.overall.of_all.hits) for entry in board.entries] == [("ours", 2), ("tool-oracle", 2)]


def test_it_is_shown_without_a_run_in_every_form(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.json"
    assert "there is no leaderboard" in refused(capsys, file)
    assert add(file, runs / "ours", runs / "tool-oracle") == 0
    capsys.readouterr()
    assert add(file, form="markdown") == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[2].startswith("| agent | solved of all | of attainable | gates met |")
    assert shown[4].startswith(r"| tool-oracle | 2/2 100.0 % \[34.2, 100.0\] | 2/2 100.0 %")
    assert [line.split("|")[-2].strip() for line in shown[4:6]] == ["tool-oracle", "ours"]
    for form in ("table", "latex", "json"):
        assert add(file, form=form) == 0
        assert "tool" in capsys.readouterr().out
    assert add(file, form="csv") == 2


def test_another_file_is_left_alone(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "board.json"
    for content in ("[]", "{", '{"format": 2, "rows": {}, "entries": []}'):
        file.write_text(content)
        assert "is no leaderboard" in refused(capsys, file, runs / "ours")
