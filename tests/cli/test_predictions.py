"""gitgoodbench score FILE --suite: predictions become a run like any other. gitgoodbench prompts: what is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.sample_types.specs import merge_spec
from gitgoodbench.workspace.store import open_store

GOLD, EMPTY, JUNK, MISSING = (f"mini_tidewater_merge_000{number}" for number in range(4))
CHOSEN = ("--sample", "mini_tidewater_merge_000[0-3]", "--scenario", "mcr")


def gold(sample_id: str) -> str:
    sample = next(sample for sample in load_suite("mini").samples if sample.id == sample_id)
    spec = merge_spec(sample)
    git = open_store().mirror(sample.name, [spec.merge_commit_hash, *spec.parents]).borrow()
    return git.run("diff", "--binary", "--no-renames", spec.parents[0], spec.merge_commit_hash).decode()


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [
        {"instance_id": GOLD, "model_name_or_path": "m", "model_patch": gold(GOLD)},
        {"instance_id": EMPTY, "model_name_or_path": "m", "model_patch": ""},
        {"instance_id": JUNK, "model_name_or_path": "m", "model_patch": "I kept both sides."},
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> Path:
    out = tmp_path_factory.mktemp("predictions")
    file = write(out / "p.jsonl", rows)
    assert (
        run(["score", str(file), "--suite", "mini", "--agent", "mine", "--out", str(out), "--run-id", "r", *CHOSEN])
        == 0
    )
    file.unlink()
    return out / "r"


def results(folder: Path) -> dict[str, dict[str, Any]]:
    found = (json.loads(path.read_bytes()) for path in folder.glob("samples/mcr/*/1/result.json"))
    return {result["sample_id"]: result for result in found}


def test_each_prediction_is_settled_and_a_missing_one_gave_up(folder: Path) -> None:
    found = results(folder)
    assert {name: (one["status"], one["solved"]) for name, one in found.items()} == {
        GOLD: ("completed", True),
        EMPTY: ("completed", False),
        JUNK: ("agent_failed", False),
        MISSING: ("gave_up", False),
    }
    assert found[MISSING]["error"]["message"] == "no prediction was given"
    assert "the patch does not apply" in found[JUNK]["error"]["message"]
    for one in found.values():
        assert (one["agent"], one["model"], one["turns"]) == ("mine", "m", None)
        assert set(one["usage"].values()) == {None}
        assert one["facts"]["conflicts"] >= 1
    assert not list(folder.glob("samples/*/*/1/trajectory.jsonl"))


def test_the_run_resumes_reports_and_is_scored_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = results(folder)
    (folder / "samples/mcr" / JUNK / "1/result.json").unlink()
    (folder / "samples/mcr" / JUNK / "1/outcome.json").unlink()
    assert run(["resume", str(folder)]) == 0
    assert results(folder)[JUNK]["error"] == before[JUNK]["error"]
    capsys.readouterr()
    assert run(["score", str(folder)]) == 0
    assert "4 outcomes scored, 0 results changed" in capsys.readouterr().err
    assert run(["report", str(folder)]) == 0
    assert "1/4" in capsys.readouterr().out
    assert run(["show", str(folder), GOLD]) == 0
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest["sandbox"] == {"kind": "none"}
    assert len(manifest["agent"]["predictions"]) == 64


def test_other_predictions_need_another_run(
    folder: Path, tmp_path: Path, rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "p.jsonl", rows[:2])
    kept = (folder / "predictions.jsonl").read_bytes()
    arguments = ["--suite", "mini", "--agent", "mine", "--out", str(folder.parent), "--run-id", "r", *CHOSEN]
    assert run(["score", str(file), *arguments]) == 2
    assert "agent predictions: " in capsys.readouterr().err
    assert (folder / "predictions.jsonl").read_bytes() == kept


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"instance_id": "nobody"}, "line 2: the suite has no sample 'nobody'"),
        ({"instance_id": GOLD}, f"line 2: {GOLD} has a prediction for mcr already, line 1"),
        ({"instance_id": GOLD, "scenario": "ir"}, f"line 2: {GOLD} is for mcr, not for ir"),
        ({"instance_id": GOLD, "scenario": "xyz"}, "line 2: there is no scenario 'xyz'"),
        ({"instance_id": "mini_tidewater_file_commit_chain_0000"}, "is for icc and ir: say which one in scenario"),
    ],
)
def test_a_wrong_file_is_refused_by_its_line(
    tmp_path: Path, more: dict[str, Any], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "p.jsonl", [{"instance_id": GOLD, "model_patch": "x"}, {**more, "model_patch": "x"}])
    assert run(["score", str(file), "--suite", "mini", "--agent", "mine", "--out", str(tmp_path / "out")]) == 2
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["p.jsonl", "--suite", "mini"], "--agent NAME is needed"),
        (["p.jsonl", "q.jsonl", "--suite", "mini", "--agent", "a"], "give one file of predictions, not 2"),
        (["p.jsonl", "--suite", "mini", "--agent", "noop"], "an installed agent has that name"),
        (["p.jsonl", "--suite", "mini", "--agent", "a", "--unscored"], "--unscored is for saved runs"),
        (["r", "--agent", "a"], "--agent is for predictions made elsewhere"),
        (["r", "--limit", "3"], "--limit is for predictions made elsewhere"),
    ],
)
def test_flags_that_do_not_fit_are_refused(
    tmp_path: Path,
    arguments: list[str],
    reason: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "p.jsonl", [{"instance_id": GOLD, "model_patch": "x"}])
    assert run(["score", *arguments]) == 2
    assert reason in capsys.readouterr().err


def test_prompts_are_what_an_agent_gets_and_nothing_more(tmp_path: Path) -> None:
    out = tmp_path / "prompts.jsonl"
    samples = ["--sample", GOLD, "--sample", "mini_tidewater_file_commit_chain_0000"]
    assert run(["prompts", "mini", *samples, "--out", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    episodes = {(row["scenario"], row["sample_id"]) for row in rows}
    assert episodes == {("icc", samples[3]), ("ir", samples[3]), ("mcr", GOLD)}
    sample = next(sample for sample in load_suite("mini").samples if sample.id == GOLD)
    for row in rows:
        assert [message["role"] for message in row["messages"]] == ["system", "user"]
        assert {tool["type"] for tool in row["tools"]} == {"function"}
        assert set(row) == {
            "sample_id", "scenario", "repository", "language", "difficulty", "tool_set", "messages", "tools",
        }  # fmt: skip
    assert merge_spec(sample).merge_commit_hash not in out.read_text()


def test_events_of_a_run_of_predictions_are_those_of_its_log(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    file, events = write(tmp_path / "p.jsonl", rows), tmp_path / "events.jsonl"
    chosen = ("--suite", "mini", "--agent", "mine", "--out", str(tmp_path), "--run-id", "r", *CHOSEN)
    assert run(["score", str(file), *chosen, "--events", str(events)]) == 0
    heard = [json.loads(line) for line in events.read_text("utf-8").splitlines()]
    logged = [json.loads(line) for line in (tmp_path / "r" / "run.log").read_text("utf-8").splitlines()]
    assert heard == [{"run": "r", **event} for event in logged]
    assert {event["status"] for event in heard if event["event"] == "episode_finished"} == {
        "completed", "agent_failed", "gave_up",
    }  # fmt: skip


@pytest.mark.parametrize("flag", [("--events", "e.jsonl"), ("--otel",)])
def test_what_watches_a_run_is_for_predictions_alone(
    folder: Path, flag: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(folder), *flag]) == 2
    assert f"{flag[0]} is for predictions made elsewhere: give their --suite as well" in capsys.readouterr().err
