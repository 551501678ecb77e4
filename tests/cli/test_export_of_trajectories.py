"""gitgoodbench trajectories: what is written, what is refused, and what is said to be left out."""

from __future__ import annotations

import json
from pathlib import Path

import huggingface_hub
import pytest

from gitgoodbench import evaluate
from gitgoodbench.cli import run
from tests.support.upload_hub import take_uploads


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs")
    samples = ["mini_tidewater_merge_000[06]", "mini_cairn_merge_000[01]"]
    for agent in ("tool-oracle", "ours"):
        evaluate("mini", agent, out=out, run_id=agent, sample=samples, scenario=["mcr"], sandbox="local")
    return out


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_folder_gets_a_split_by_repository_and_a_card(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    arguments = ["trajectories", str(folder / "tool-oracle"), str(folder / "ours"), "--out", str(out)]
    assert run([*arguments, "--allow-evaluation-data", "--test-share", "0.5", "--format", "openai"]) == 0
    said = capsys.readouterr().out
    assert "8 episodes of 8" in said or "left out:" in said
    sides = {name: lines(out / f"{name}.metadata.jsonl") for name in ("train", "test")}
    assert {str(one["repository"]) for one in sides["train"]}.isdisjoint(one["repository"] for one in sides["test"])
    for name, metadata in sides.items():
        rows = lines(out / f"{name}.jsonl")
        assert len(rows) == len(metadata) > 0
        assert all(set(row) == {"messages", "tools", "parallel_tool_calls"} for row in rows)
    card = (out / "README.md").read_text()
    assert "Evaluation data was allowed" in card
    assert "![Reward](reward.png)" in card
    assert (out / "reward.png").read_bytes().startswith(b"\x89PNG")
    assert "| apache-2.0 |" in card


def test_evaluation_data_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "data"
    arguments = ["trajectories", str(folder / "tool-oracle"), "--out", str(out), "--evaluation-suite", "mini"]
    assert run(arguments) == 2
    assert "all 4 episodes are of repositories or commits of evaluation suites (mini)" in capsys.readouterr().err
    assert not out.exists()


def test_a_file_has_all_rows_and_pairs_are_written_for_trl(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["trajectories", str(folder / "tool-oracle"), str(folder / "ours"), "--allow-evaluation-data"]
    assert run([*both, "--pairs", "--min-gap", "0.05", "--out", str(tmp_path / "pairs.jsonl")]) == 0
    made = lines(tmp_path / "pairs.jsonl")
    assert made
    assert all(set(one) == {"prompt", "chosen", "rejected", "tools", "metadata"} for one in made)
    assert run([*both, "--solved", "--best-of-sample", "--out", str(tmp_path / "best.jsonl")]) == 0
    best = lines(tmp_path / "best.jsonl")
    assert len(best) == 4
    assert "4 not asked for" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--min-score", "ted=x", "--out", "o"], "give NAME=X"),
        (["--min-score", "ted_similarity=nan", "--out", "o"], "give NAME=X"),
        (["--pairs", "--best-of-sample", "--out", "o"], "give one of the two"),
        (["--pairs", "--out", "o"], "no two of 4 episodes make a pair"),
        (["--min-score", "tedd=0.5", "--out", "o"], "no episode has a score 'tedd'"),
        (["--pairs", "--format", "openai", "--out", "o"], "--pairs is written for trl"),
        (["--format", "atif", "--out", "o.json"], "give a folder with --out"),
        (["--format", "parquet", "--out", "o.jsonl"], "end in .parquet"),
        (["--push-to-hub", "nothing", "--out", "o"], "give org/name"),
        (["--push-to-hub", "org/name", "--out", "o"], "the hub asks for a token"),
        (["--max-tokens", "1", "--out", "o"], "no episode is left of 4"),
    ],
)
def test_mistakes_are_named_and_nothing_is_written(
    arguments: list[str], message: str, folder: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    assert run(["trajectories", str(folder / "tool-oracle"), "--allow-evaluation-data", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not [path for path in tmp_path.iterdir() if path.name != "hf"]


def test_a_folder_is_uploaded_with_its_card_and_plots(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = huggingface_hub.HfApi
    monkeypatch.setenv("HF_TOKEN", "hf_given")
    with take_uploads() as uploads:
        monkeypatch.setattr(huggingface_hub, "HfApi", lambda: real(endpoint=uploads.endpoint))
        out = tmp_path / "data"
        arguments = ["trajectories", str(folder / "ours"), "--out", str(out), "--allow-evaluation-data"]
        assert run([*arguments, "--push-to-hub", "acme/merges"]) == 0
    assert uploads.created == {"acme/merges": True}
    assert uploads.tokens == {"Bearer hf_given"}
    assert uploads.files == {path.name: path.read_bytes() for path in out.iterdir()}
    assert {"README.md", "reward.png", "tokens.png", "train.jsonl"} <= set(uploads.files)
    card = uploads.files["README.md"].decode()
    assert 'pretty_name: "acme/merges"' in card
    assert "| test |" not in card, "a side without rows has no line"
    assert f"uploaded: {uploads.endpoint}/datasets/acme/merges/commit/" in capsys.readouterr().out
