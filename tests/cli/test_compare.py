"""gitgoodbench compare: runs from their folders, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gitgoodbench
from gitgoodbench.cli import run
from tests.support.compared import played, results_of, save


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    runs = [played("a", "1" * 8), played("b", "1" * 2 + "0" * 6), played("c", "0" * 8)]
    return [str(save(one, tmp_path)) for one in runs]


def test_two_folders_are_compared(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *folders[:2]]) == 0
    out = capsys.readouterr().out
    assert "only a solved 6 that b did not" in out
    assert f"gitgoodbench show {folders[1]} mcr/s2/1" in out


def test_json_is_ascii_and_complete(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *folders, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    solved = [pair for pair in found["pairs"] if pair["score"] == "solved"]
    assert [(pair["a"], pair["b"], pair["only_a"]) for pair in solved] == [("a", "b", 6), ("a", "c", 8), ("b", "c", 2)]
    assert [pair["p_mcnemar"] for pair in solved] == pytest.approx([2 / 64, 2 / 256, 0.5])
    assert [pair["p_holm"] for pair in solved] == pytest.approx([4 / 64, 6 / 256, 0.5])


def test_against_puts_that_run_first(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *folders, "--against", folders[2], "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(pair["a"], pair["b"]) for pair in found["pairs"] if pair["score"] == "solved"] == [("c", "a"), ("c", "b")]


def test_markdown_is_printed(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *folders[:2], "--format", "markdown"]) == 0
    assert "| solved | 8 | 8/8 100.0 % | 2/8 25.0 % | 6 | 0 |" in capsys.readouterr().out


def test_runs_without_a_common_sample_end_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs = played("a", "1"), played("b", results_of("1", scenario="ir"))
    assert run(["compare", str(save(ours, tmp_path)), str(save(theirs, tmp_path))]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "have an episode in common" in said.err


def test_a_folder_that_is_no_run_and_a_single_run_are_refused(
    folders: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", folders[0], "nowhere"]) == 2
    assert "nowhere is not the folder of a run" in capsys.readouterr().err
    assert run(["compare", folders[0]]) == 2
    assert "two runs or more" in capsys.readouterr().err
    assert run(["compare", folders[0], folders[0]]) == 2
    assert "named 2 times" in capsys.readouterr().err


def test_a_damaged_result_is_named(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (damaged,) = Path(folders[0]).glob("samples/mcr/s0/1/result.json")
    damaged.write_text("{")
    assert run(["compare", *folders[:2]]) == 0
    said = capsys.readouterr()
    assert "is damaged" in said.err
    assert "0 only in A, 1 only in B" in said.out


def test_the_same_from_python(folders: list[str]) -> None:
    a, b, c = map(gitgoodbench.load_run, folders)
    found = gitgoodbench.compare(a, b)
    assert isinstance(found, gitgoodbench.Comparison)
    assert found.pairs[0].only_a == 6
    assert found.pairs[0].p_mcnemar == pytest.approx(2 / 64)
    against = gitgoodbench.compare(a, b, against=c)
    assert [(pair.a, pair.b) for pair in against.pairs if pair.score == "solved"] == [("c", "a"), ("c", "b")]
    with pytest.raises(gitgoodbench.UserError, match="two runs or more"):
        gitgoodbench.compare(a)
    with pytest.raises(gitgoodbench.UserError, match="takes runs"):
        gitgoodbench.compare(a, folders[1])  # type: ignore[arg-type]
