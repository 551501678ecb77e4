"""The built-in suite's rows are the miner's own output on its repositories."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gitgoodbench.mining import mini_rows
from gitgoodbench.stories import suite


def test_rows_are_what_mining_finds_in_the_repositories(tmp_path: Path) -> None:
    lines = (suite.suite_folder() / "rows.jsonl").read_bytes().split(b"\n")[:-1]
    assert [json.loads(line) for line in lines] == mini_rows.derive_rows(tmp_path)


def test_the_command_checks_and_writes_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(suite.suite_folder() / "tidewater", tmp_path / "tidewater")
    monkeypatch.setattr(suite, "suite_folder", lambda: tmp_path)
    monkeypatch.setattr(mini_rows, "suite_folder", lambda: tmp_path)
    assert mini_rows.main([]) == 1
    assert "write it again with --write" in capsys.readouterr().err
    assert mini_rows.main(["--write"]) == 0
    assert mini_rows.main([]) == 0
    assert capsys.readouterr().out.endswith("rows fit the stories\n")
