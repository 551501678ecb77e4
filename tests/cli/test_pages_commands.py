"""`report --html`, `report --bundle` and `view` from the command line."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from gitgoodbench.cli import run
from tests.support.page_runs import PLAYERS, Sizes, make_runs


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two runs under results/, in which the commands run."""
    make_runs(tmp_path / "results", Sizes(samples=2), PLAYERS[:2])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_report_writes_a_folder_and_a_bundle(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "lite-gpt-4o", "lite-qwen3-coder-30b", "--html", "out", "--bundle", "out.zip"]) == 0
    assert "open out/index.html" in capsys.readouterr().out
    assert len(list((here / "out" / "data" / "episodes").iterdir())) == 12
    assert (here / "out.zip").is_file()
    assert not list(here.glob("results/*/summary.json"))  # nothing but the pages is written


def test_report_leaves_a_folder_of_others_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "lite-gpt-4o", "--html", "results"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert {path.name for path in (here / "results").iterdir()} == {"lite-gpt-4o", "lite-qwen3-coder-30b"}


def test_a_damaged_result_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = next((here / "results" / "lite-gpt-4o").glob("samples/*/*/1/result.json"))
    damaged.write_text("{")
    assert run(["report", "lite-gpt-4o", "--html", "out"]) == 0
    assert "pages lack this episode" in capsys.readouterr().err
    assert len(list((here / "out" / "data" / "episodes").iterdir())) == 5


def test_view_serves_all_runs_until_it_is_interrupted(here: Path) -> None:
    command = [sys.executable, "-m", "gitgoodbench", "view", "--no-browser"]
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        with urllib.request.urlopen(f"{address}data/overview.js", timeout=60) as answer:
            content = answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert b"qwen3-coder-30b" in content
    assert b"gpt-4o" in content


def test_view_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["view"]) == 2
    assert "no run in results/" in capsys.readouterr().err
    assert run(["view", "nowhere"]) == 2
    assert "nowhere is not the folder of a run" in capsys.readouterr().err
