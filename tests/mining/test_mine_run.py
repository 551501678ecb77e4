"""Mining many repositories: the same file however it comes about, and a broken repository costs only itself."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gitgoodbench.clusters.backends import Backend, Workers
from gitgoodbench.errors import UserError
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.columns import mined_columns
from gitgoodbench.mining.mined_file import read_mined
from gitgoodbench.mining.options import MiningOptions
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.run import MiningReport, mine, work_folder
from gitgoodbench.mining.targets import Target
from gitgoodbench.mining.task import Failed, Order, Summary
from gitgoodbench.sample_types.chains import ChainColumns, ChainOptions
from gitgoodbench.sample_types.merges import MergeColumns
from gitgoodbench.workspace.network import Step
from tests.support.mined import mixed_repository

NAMES = ("acme/one", "acme/two", "acme/three")

KILLED_RUN = """
import os, signal, sys
from gitgoodbench.cli import run as run_command
from gitgoodbench.mining import run
writes, ending = int(sys.argv[1]), signal.Signals[sys.argv[2]]
write = run.write_atomically
def write_or_die(path, content):
    global writes
    if not writes:
        path.with_name(f".{path.name}.1.partial").write_bytes(content[:20])
        os.kill(os.getpid(), ending)
    writes -= 1
    write(path, content)
run.write_atomically = write_or_die
sys.exit(run_command(sys.argv[3:]))
"""


@dataclass
class Watch:
    """Notes what a run says."""

    done: list[tuple[str, bool]] = field(default_factory=list)
    failures: list[Failed] = field(default_factory=list)

    def begin(self, repositories: int) -> None:
        self.total = repositories

    def finished(self, summary: Summary, *, kept: bool) -> None:
        self.done.append((summary.name, kept))

    def failed(self, failure: Failed) -> None:
        self.failures.append(failure)

    def under_way(self, step: Step) -> None:
        pass

    def note(self, text: str) -> None:
        raise AssertionError(text)


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("repositories")
    return {name: mixed_repository(folder / name, name).path for name in NAMES}


def targets(repositories: dict[str, Path]) -> list[Target]:
    return [Target(Project(name=name), Mirror(path)) for name, path in repositories.items()]


def mine_to(out: Path, repositories: dict[str, Path], order: Order | None = None) -> tuple[MiningReport, Watch]:
    watch = Watch()
    return mine(targets(repositories), order or Order(), out, Workers(), watch), watch


def test_rows_are_the_candidates_of_all_repositories_in_the_order_given(
    repositories: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "mined.jsonl"
    report, _ = mine_to(out, repositories)
    rows = list(read_mined(out))
    assert report.rows == len(rows) == 12
    assert [row.id for row in rows[:4]] == [
        "acme_one_merge_0000",
        "acme_one_file_commit_chain_0000",
        "acme_one_file_commit_chain_0001",
        "acme_one_cherry_pick_0000",
    ]
    assert list(dict.fromkeys(row.project.name for row in rows)) == list(NAMES)
    merge, chain, _, pick = (row.candidate for row in rows[:4])
    about = merge.columns_as(MergeColumns)
    assert about.attainable
    assert [(file.path, file.kinds, file.regions) for file in about.files] == [("src/main.py", ("content",), 1)]
    assert merge.difficulty == "easy"
    size = chain.columns_as(ChainColumns)
    assert (len(size.commits), size.file_lines, size.all_lines, size.sources_only) == (4, 5, 5, True)
    assert chain.spec.model_dump()["branch"] == "main"
    assert pick.spec.model_dump()["operation"] == "pick"
    assert pick.language is not None  # read back as the row's, which is the project's
    assert rows[0].project.branches == 3
    assert rows[0].project.contributors == 1
    assert rows[0].project.last_commit == "2020-09-23T12:26:40"


def test_every_row_of_the_file_has_the_documented_columns(repositories: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "mined.jsonl"
    mine_to(out, repositories)
    rows = [json.loads(line) for line in out.read_bytes().splitlines()]
    columns = tuple(mined_columns())
    assert {tuple(row) for row in rows} == {columns}
    documented = Path(__file__).parents[2].joinpath("docs", "mining.md").read_text("utf-8")
    assert [name for name in columns if f"`{name}`" not in documented] == []


def test_parquet_and_jsonl_hold_the_same_rows(repositories: dict[str, Path], tmp_path: Path) -> None:
    for name in ("mined.jsonl", "mined.parquet"):
        mine_to(tmp_path / name, repositories)
    assert list(read_mined(tmp_path / "mined.jsonl")) == list(read_mined(tmp_path / "mined.parquet"))


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_a_run_that_was_killed_twice_gives_byte_for_byte_the_file_of_one_that_was_not(
    repositories: dict[str, Path], tmp_path: Path, suffix: str
) -> None:
    whole, broken = tmp_path / f"whole.{suffix}", tmp_path / f"broken.{suffix}"
    arguments = [f"{name}={path}" for name, path in repositories.items()]
    command = [sys.executable, "-c", KILLED_RUN]
    for count in (1, 2):
        killed = subprocess.run(
            [*command, "1", "SIGKILL", "mine", *arguments, "--jobs", "1", "--out", str(broken)], check=False
        )
        assert killed.returncode == -signal.SIGKILL
        assert not broken.exists()
        assert len(list(work_folder(broken).glob("[!.]*.jsonl"))) == count
    for out in (broken, whole):
        finished = subprocess.run([*command, "9", "SIGKILL", "mine", *arguments, "--jobs", "1", "--out", str(out)])
        assert finished.returncode == 0
    assert broken.read_bytes() == whole.read_bytes()
    assert len(list(read_mined(broken))) == 12


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_an_interrupted_run_says_how_to_go_on(repositories: dict[str, Path], tmp_path: Path, backend: str) -> None:
    out = tmp_path / "mined.jsonl"
    arguments = ["mine", *(f"{name}={path}" for name, path in repositories.items()), "--backend", backend]
    command = [sys.executable, "-c", KILLED_RUN, "1", "SIGINT", *arguments, "--jobs", "2", "--out", str(out)]
    stopped = subprocess.run(command, capture_output=True, text=True, check=False)
    assert stopped.returncode == 130, stopped.stderr
    assert f"what is finished is kept in {work_folder(out)}: the same command carries on" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert len(list(work_folder(out).glob("[!.]*.jsonl"))) == 1
    assert not out.exists()


def test_what_is_done_is_kept_and_a_moved_branch_or_an_option_is_mined_anew(tmp_path: Path) -> None:
    builders = {name: mixed_repository(tmp_path / name, name) for name in NAMES[:2]}
    paths = {name: builder.path for name, builder in builders.items()}
    out = tmp_path / "mined.jsonl"
    _, watch = mine_to(out, paths)
    assert watch.done == [("acme/one", False), ("acme/two", False)]
    _, watch = mine_to(out, paths)
    assert watch.done == [("acme/one", True), ("acme/two", True)]
    builders["acme/two"].git.run("update-ref", "-d", "refs/heads/side")
    _, watch = mine_to(out, paths)
    assert watch.done == [("acme/one", True), ("acme/two", False)]
    _, watch = mine_to(out, paths, Order(MiningOptions(own=(ChainOptions(min_commits=5),))))
    assert watch.done == [("acme/one", False), ("acme/two", False)]
    assert len(list(work_folder(out).glob("*.jsonl"))) == 2
    assert {row.sample_type for row in read_mined(out)} == {"merge", "cherry_pick"}


def test_a_broken_repository_costs_only_itself(repositories: dict[str, Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    out = tmp_path / "mined.jsonl"
    report, watch = mine_to(out, {"acme/empty": empty, **repositories})
    assert [failure.name for failure in report.failures] == ["acme/empty"]
    assert "not a git repository" in report.failures[0].reason
    assert watch.failures == list(report.failures)
    assert len(report.summaries) == 3
    assert report.rows == 12


def test_what_a_list_says_counts_more_than_what_was_computed(tmp_path: Path) -> None:
    path = mixed_repository(tmp_path / "repository").path
    listed = Project(name="acme/tool", license="MIT License", stargazers=5, branches=70, code_lines=50_000)
    out = tmp_path / "mined.jsonl"
    mine([Target(listed, Mirror(path))], Order(), out, Workers(), Watch())
    (row, *_) = read_mined(out)
    assert (row.project.license, row.project.stargazers, row.project.branches) == ("MIT License", 5, 70)
    assert row.project.size == "medium"
    assert row.project.default_branch == "main"


def test_only_rows_in_the_wanted_languages_are_written(repositories: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "mined.jsonl"
    report = mine(targets(repositories), Order(), out, Workers(), Watch(), only=["java"])
    assert report.rows == 0
    assert out.read_bytes() == b""


@pytest.mark.parametrize("backend", [Backend.LOKY, Backend.THREADING])
def test_several_at_a_time_give_the_same_file(repositories: dict[str, Path], tmp_path: Path, backend: Backend) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    mine_to(one, repositories)
    mine(targets(repositories), Order(), two, Workers(backend, 2), Watch())
    assert one.read_bytes() == two.read_bytes()


def test_a_file_of_another_kind_is_refused_before_anything_is_mined(
    repositories: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"mined.csv: mined candidates are written to .parquet or .jsonl files"):
        mine_to(tmp_path / "mined.csv", repositories)
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_not_utf_8_survive_in_either_format(tmp_path: Path) -> None:
    from tests.support.merges import make_merge

    path = b'caf\xe9 "x".py'
    case = make_merge(tmp_path / "r", {path: b"0\n"}, {path: b"1\n"}, {path: b"2\n"}, {path: b"3\n"})
    for out in (tmp_path / "mined.jsonl", tmp_path / "mined.parquet"):
        mine_to(out, {"acme/odd": case.builder.path})
        (row,) = read_mined(out)
        assert row.candidate.spec.model_dump()["files_in_merge_conflict"] == (path.decode("utf-8", "surrogateescape"),)
        assert row.candidate.columns_as(MergeColumns).files[0].path == '"caf\\351 \\"x\\".py"'
