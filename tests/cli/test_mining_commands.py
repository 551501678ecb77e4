"""mine and build-dataset as commands: what they print, what they refuse, and their exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.mining.mined_file import read_mined, write_mined
from gitgoodbench.mining.records import sample_id
from tests.cli.conftest import CommandLine
from tests.support.mined import merge_candidate, mined_row, mixed_repository, project


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed_repository(tmp_path_factory.mktemp("mined") / "acme" / "tool").path


def write_rows(path: Path, count: int) -> Path:
    rows = [mined_row(merge_candidate(10 * n), row_id=sample_id("acme/tool", "merge", n)) for n in range(count)]
    write_mined(rows, path)
    return path


@pytest.mark.parametrize("name", ["mine", "build-dataset", "validate"])
def test_help_has_an_example(command: CommandLine, name: str) -> None:
    shown = command(name, "--help")
    assert shown.code == 0
    assert f"\n    gitgoodbench {name}" in shown.out


def test_mining_prints_a_line_for_each_repository_and_a_table(command: CommandLine, repository: Path) -> None:
    shown = command("mine", f"acme/tool={repository}", "--out", "mined.jsonl", "--jobs", "1")
    assert shown.code == 0
    assert "[1/1] acme/tool: 10 commits, 1 merges, 1 conflicting, 2 chains, 1 cherry-picks, 1 pairs, " in shown.err
    header, row, total, last = shown.out.rstrip().split("\n")
    columns = "repository commits merges conflicting chains cherry-picks pairs seconds"
    assert header.split() == columns.split()
    assert row.split()[:-1] == ["acme/tool", "10", "1", "1", "2", "1", "1"]
    assert total.split()[:-1] == ["all", "10", "1", "1", "2", "1", "1"]
    assert last == "4 rows: mined.jsonl"
    again = command("mine", f"acme/tool={repository}", "--out", "mined.jsonl", "--jobs", "1")
    assert again.err.rstrip().endswith(" s (before)")


def test_a_repository_that_cannot_be_mined_is_in_the_table_of_errors(command: CommandLine, repository: Path) -> None:
    names = command.folder / "list.csv"
    names.write_text("name,stargazers\nacme/nowhere,5\n", encoding="utf-8")
    repos = repository.parent.parent
    shown = command(
        "mine", "acme/tool", "--repos-file", names, "--repos", repos, "--out", "mined.parquet", "--jobs", "1"
    )
    assert shown.code == 3
    assert "1 repositories could not be mined; the same command tries them again:" in shown.out
    assert f"acme/nowhere  acme/nowhere is not in {repos}" in shown.out
    assert "4 rows: mined.parquet" in shown.out
    assert len(list(read_mined(Path("mined.parquet")))) == 4


def test_flags_choose_what_is_mined(command: CommandLine, repository: Path) -> None:
    def mined(*flags: str) -> list[str]:
        arguments = ("mine", f"acme/tool={repository}", "--out", "mined.jsonl", "--jobs", "1", *flags)
        assert command(*arguments).code == 0
        return [row.sample_type for row in read_mined(Path("mined.jsonl"))]

    everything = ["merge", "file_commit_chain", "file_commit_chain", "cherry_pick"]
    assert mined() == everything
    assert mined("--min-chain", "5") == ["merge", "cherry_pick"]
    assert mined("--language", "java") == []
    assert mined("--kinds", "picks,merges") == ["merge", "cherry_pick"]
    assert mined("--kinds", "chains", "--kinds", "cherry_pick") == everything[1:]
    assert mined("--language", "python", "--language", "rust=.rs") == everything
    assert mined("--since", "2020-09-21") == ["cherry_pick"]
    assert mined("--until", "2020-09-20") == ["file_commit_chain", "file_commit_chain"]


def test_a_kind_that_nobody_mines_is_named(command: CommandLine, repository: Path) -> None:
    shown = command("mine", f"acme/tool={repository}", "--kinds", "merges,rebases")
    assert shown.code == 2
    assert "there is no 'rebases' to be mined; there are: merges, chains, picks" in shown.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["mine"], "nothing to mine: name a repository"),
        (["mine", "acme/tool", "--out", "mined.csv"], "mined candidates are written to .parquet or .jsonl files"),
        (
            ["mine", "acme/tool", "--language", "cobol"],
            "--language cobol: give python, java, kotlin, or another one as",
        ),
        (["mine", "acme/tool", "--min-chain", "7"], "chains of 7 to 6 commits cannot be"),
        (["mine", "acme/tool", "--repos", "nowhere"], "nowhere is not a folder"),
        (["mine", "acme/tool", "--cluster", "tcp://h:1"], "--cluster is for --backend dask or ray, not for loky"),
        (["mine", "acme/tool", "--since", "soon"], "Invalid value for '--since'"),
        (["build-dataset", "nowhere.jsonl", "--out", "d"], "nowhere.jsonl cannot be read: No such file or directory"),
        (["build-dataset", "rows.jsonl", "--out", "d"], "rows.jsonl, line 1: field"),
        (["build-dataset", "mined.jsonl", "--out", "d", "--without", "beauty"], "there is no filter 'beauty'"),
        (["build-dataset", "mined.jsonl", "--out", "d", "--push-to-hub", "me"], "--push-to-hub me: give org/name"),
        (["validate", "nowhere"], "there is no suite 'nowhere'"),
        (["validate", "mini", "--sample", "atlantis*"], "mini has no sample atlantis*"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(command: CommandLine, arguments: list[str], expected: str) -> None:
    write_rows(command.folder / "mined.jsonl", 1)
    shown = command(*arguments)
    assert shown.code == 2
    assert shown.error.startswith("gitgoodbench: ")
    assert expected in shown.error


def test_building_prints_what_each_filter_removed_and_the_splits(command: CommandLine) -> None:
    mined = write_rows(command.folder / "mined.jsonl", 12)
    flags = ["--lite", "2", "--full", "3", "--no-plots", "--without", "stars"]
    shown = command("build-dataset", mined, "--out", "dataset", *flags)
    assert shown.code == 0
    assert "12 mined candidates, filtered:" in shown.out
    lines = [line.split() for line in shown.out.split("\n")]
    assert ["stars", ">=", "1000", "stars", "off"] in lines
    assert ["lite", "2", "1", "2", "0", "0"] in lines
    assert ["train", "7", "1", "7", "0", "0"] in lines
    evaluated = command("eval", "dataset/lite/samples.parquet", "--agent", "noop", "--dry-run")
    assert "planned: 2 episodes over 2 samples" in evaluated.out


def test_the_fresh_split_and_project_filters_follow_their_flags(command: CommandLine) -> None:
    rows = [
        mined_row(merge_candidate(10 * n, committed=1_700_000_000 + 86_400 * n), project(stargazers=None), f"r{n}")
        for n in range(4)
    ]
    write_mined(rows, command.folder / "mined.jsonl")
    arguments = ("build-dataset", "mined.jsonl", "--out", "d", "--no-plots", "--without", "projects")
    shown = command(*arguments, "--after", "2023-11-16", "--lite", "1", "--full", "1")
    assert shown.code == 0
    assert ["fresh", "2", "1", "2", "0", "0"] in [line.split() for line in shown.out.split("\n")]
