"""Command lines without Git, Docker or a model: a suite of rows, and fakes for everything a run opens."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from gitgoodbench.cli import run, running, scoring
from gitgoodbench.runs import inputs
from gitgoodbench.sandbox.base import Choice
from gitgoodbench.scores import with_scores
from tests.support.fake_runs import FakeProvider, FakeScenario, FakeStore
from tests.support.samples import merge_row

ROWS = (("python", "easy"), ("python", "hard"), ("java", "medium"), ("kotlin", "medium"), ("kotlin", "hard"))


@dataclass(frozen=True)
class Result:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """Its one line of error."""
        (line,) = self.err.rstrip("\n").split("\n")
        return line


class CommandLine:
    """Runs commands in this process; `scenario` and `provider` are the fakes behind them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.suite = folder / "rows.jsonl"
        self.out = folder / "results"
        self.scenario = FakeScenario()
        self.provider = FakeProvider()
        self._capsys = capsys
        rows = [
            merge_row(id=f"s{number}", programming_language=language, difficulty=difficulty)
            for number, (language, difficulty) in enumerate(ROWS)
        ]
        self.suite.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def __call__(self, *arguments: str | Path) -> Result:
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = self._capsys.readouterr()
        return Result(code, captured.out, captured.err)

    def eval(self, *arguments: str | Path) -> Result:
        return self("eval", self.suite, "--out", self.out, *arguments)

    def noop(self, *arguments: str | Path) -> Result:
        """An evaluation of the agent that does nothing, as run `r`."""
        return self.eval("--agent", "noop", "--run-id", "r", *arguments)

    def results(self, run_id: str = "r") -> Sequence[Path]:
        return sorted((self.out / run_id / "samples").glob("*/*/*/result.json"))


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    for name in os.environ:
        if name.startswith(("GITGOODBENCH_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    line = CommandLine(tmp_path, capsys)
    monkeypatch.setattr(inputs, "load_scenarios", lambda: {"mcr": line.scenario})
    monkeypatch.setattr(scoring, "load_scenarios", lambda: {"mcr": line.scenario})
    monkeypatch.setattr(inputs, "contained", with_scores)  # another process would not know the fake
    monkeypatch.setattr(scoring, "contained", with_scores)
    monkeypatch.setattr(running, "open_repositories", lambda *_: FakeStore())
    monkeypatch.setattr(scoring, "open_repositories", lambda *_: FakeStore())
    monkeypatch.setattr(running, "open_provider", lambda _: Choice(line.provider, "sandbox: a fake"))
    return line
