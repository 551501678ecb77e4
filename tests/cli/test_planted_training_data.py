"""Planted in runs, and caught by the export: a duplicate, a near duplicate, evaluation data, secrets, a fork."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import Session, evaluate
from gitgoodbench.cli import run

MINI = Path(__file__).parents[2] / "data/mini/rows.jsonl"
RESOLVE = "resolve_current_merge_conflict_by_choosing"
WORDS = [f"word{number}" for number in range(300)]
Player = Callable[[Session], None]


def says(reason: str) -> Player:
    """An agent that keeps our side everywhere and gives its reason."""

    def keeps_ours(session: Session) -> None:
        while not session.finished:
            if session.call(RESOLVE, {"choice": "ours", "reason": reason}).is_error:
                return

    return keeps_ours


def played(
    folder: Path, name: str, player: Player, suite: str = "mini", samples: str = "mini_cairn_merge_0000"
) -> Path:
    evaluate(suite, player, out=folder, run_id=name, sample=[samples], scenario=["mcr"], sandbox="local")
    return folder / name


def exported(out: Path, *arguments: str | Path) -> list[dict[str, Any]]:
    assert run(["trajectories", *map(str, arguments), "--out", str(out)]) == 0
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_a_duplicate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [played(tmp_path, name, says("Ours is newer.")) for name in ("one", "two")]
    assert len(exported(tmp_path / "o.jsonl", *runs, "--allow-evaluation-data")) == 1
    assert "1 episodes of 2; left out: 1 same sample and same calls" in capsys.readouterr().out


def test_a_near_duplicate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reasons = {"one": WORDS, "near": [*WORDS[:-1], "end"], "far": WORDS[::-1]}
    runs = [played(tmp_path, name, says(" ".join(words))) for name, words in reasons.items()]
    assert len(exported(tmp_path / "o.jsonl", *runs, "--allow-evaluation-data")) == 2
    assert "2 episodes of 3; left out: 1 near duplicates" in capsys.readouterr().out
    assert len(exported(tmp_path / "p.jsonl", *runs, "--allow-evaluation-data", "--near-duplicates", "1")) == 3


@pytest.mark.parametrize(
    "secret",
    [
        "AKIA" + "QYLPMN5HHHFPZAM2",
        "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6",
        "sk-" + "aB3" * 12,
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow" + "IBAAKCAQEA7\n-----END RSA PRIVATE KEY-----",
        "https://ada:" + "hunter2secret@git.example.org/app.git",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
        + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "ada.lovelace@" + "example.org",
    ],
)
def test_a_secret(secret: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_of_it = played(tmp_path, "one", says(f"Keep\n{secret}\nhere."))
    (row,) = exported(tmp_path / "o.jsonl", run_of_it, "--allow-evaluation-data")
    written = [
        call["function"]["arguments"]["reason"] for one in row["completion"] for call in one.get("tool_calls", ())
    ]
    assert written
    for reason in written:
        assert "[masked]" in reason
        assert secret.split("\n")[len(secret.split("\n")) // 2] not in reason
    masked = json.loads(row["metadata"])["masked"]
    assert masked >= 1
    assert f"{masked} secrets and addresses masked" in capsys.readouterr().out


def altered(folder: Path, name: str, repository: str) -> Path:
    """A copy of a run, under another name, as if another repository had the same commits."""
    copy = folder.with_name(name)
    shutil.copytree(folder, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "run_id": name}))
    for path in copy.rglob("result.json"):
        result = json.loads(path.read_text())
        path.write_text(json.dumps({**result, "name": repository, "sample_id": result["sample_id"]}))
    return copy


def test_an_evaluation_sample_in_a_dataset_of_another_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(MINI, tmp_path / "ours.jsonl")
    run_of_it = played(tmp_path, "one", says("Mine."), suite=str(tmp_path / "ours.jsonl"))
    refused = ["trajectories", "--evaluation-suite", "mini", "--out", str(tmp_path / "o.jsonl")]
    assert run([*refused, str(run_of_it)]) == 2
    assert "all 1 episodes are of repositories or commits of evaluation suites (mini)" in capsys.readouterr().err
    assert run([*refused, str(altered(run_of_it, "two", "else/where"))]) == 2, "it is known by its commits, too"
    assert not (tmp_path / "o.jsonl").exists()


def test_a_fork_stands_on_the_same_side(tmp_path: Path) -> None:
    players = {"one": "First.", "two": "Second, of the fork."}
    runs = [played(tmp_path, name, says(reason), samples="mini_*_merge_000[01]") for name, reason in players.items()]
    fork = altered(runs[1], "fork", "fork/of-all")
    exporting = ["trajectories", str(runs[0]), "--out"]
    alone = [*exporting, str(tmp_path / "alone"), "--allow-evaluation-data", "--test-share", "0.5"]
    assert run(alone) == 0
    assert {path.name for path in (tmp_path / "alone").glob("*.jsonl")} == {"train.jsonl", "test.jsonl"}
    together = [*exporting, str(tmp_path / "all"), "--allow-evaluation-data", "--test-share", "0.5", str(fork)]
    assert run(together) == 0
    assert {path.name for path in (tmp_path / "all").glob("*.jsonl")} == {"train.jsonl"}, "the fork joins them all"


def test_two_runs_of_one_name_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = played(tmp_path / "here", "same", says("Mine."))
    shutil.copytree(one, tmp_path / "there")
    assert run(["trajectories", str(one), str(tmp_path / "there"), "--allow-evaluation-data", "-o", "o.jsonl"]) == 2
    assert "two runs are called same:" in capsys.readouterr().err
