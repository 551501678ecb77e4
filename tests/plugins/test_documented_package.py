"""docs/adding-a-scenario.md, followed to the letter in a package of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gitgoodbench.plugins import SCENARIOS
from tests.support.mined import mixed_repository
from tests.support.packages import write_package

PAGE = Path(__file__).parents[2] / "docs/adding-a-scenario.md"
_FILE = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Folder:
    """A folder with the package of the page, installed, and a repository; commands run in it."""

    built: str
    """What build-dataset said."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.site = path / "site"
        files = dict(_FILE.findall(PAGE.read_text(encoding="utf-8")))
        project = tomllib.loads(files.pop("pyproject.toml"))["project"]
        files["redo_bench/__init__.py"] = ""
        write_package(self.site, project["name"], files, project["entry-points"], project["version"])
        mixed_repository(path / "repos/acme/tool")

    def mined(self) -> list[dict[str, object]]:
        rows = [json.loads(line) for line in (self.path / "mined.jsonl").read_text().splitlines()]
        return [row for row in rows if row["sample_type"] == "one_file_commit"]

    def run(self, command: str, code: int = 0) -> str:
        """What a command prints, on both streams."""
        done = subprocess.run(
            [sys.executable, "-m", "gitgoodbench", *command.split()[1:]],
            cwd=self.path,
            env={**os.environ, "PYTHONPATH": str(self.site), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode == code, done.stderr + done.stdout
        return done.stdout + done.stderr

    def results(self, agent: str) -> list[dict[str, object]]:
        return [json.loads(path.read_bytes()) for path in self.path.glob(f"results/redo-{agent}/**/result.json")]


def commands() -> list[str]:
    return re.findall(r"^gitgoodbench .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Where everything on the page was done but the last command."""
    folder = Folder(tmp_path_factory.mktemp("redo"))
    mine, build, validate, evaluate, _ = commands()
    assert "6 one-file commits" in folder.run(mine)
    folder.built = folder.run(build)
    assert "7 rows replayed, 7 are right" in folder.run(validate)
    folder.run(evaluate)
    return folder


def test_the_package_brings_one_of_each(folder: Folder) -> None:
    shown = folder.run("gitgoodbench plugins")
    for kind, name in (
        ("agent", "constant"),
        ("sandbox", "plain"),
        ("sample", "one_file_commit"),
        ("score", "tree_exact"),
    ):
        assert f"{kind:9} {name} (redo-bench 1.0)" in shown
    assert "scenario  redo (redo-bench 1.0): reference agents oracle" in shown
    assert "option    constant.text= (string): What the agent writes into every file." in shown


def test_its_mined_rows_have_a_column_of_their_own(folder: Folder) -> None:
    assert [row["file_bytes"] for row in folder.mined()] == [36, 48, 60, 66, 70, 84]
    assert {row["attainable"] for row in folder.mined()} == {None}


def test_its_filter_figure_and_section_are_those_of_the_dataset(folder: Folder) -> None:
    assert re.search(r"^file-bytes +files of 65 bytes or less +3 +0$", folder.built, re.MULTILINE)
    card = (folder.path / "dataset/README.md").read_text()
    assert "## One-file commits\n\nHalf of the files have 48 bytes or less." in card
    assert "![Sizes of files](plots/one-file-commits.png)" in card
    assert (folder.path / "dataset/plots/one-file-commits.png").is_file()
    assert "commits that modify one file." in card


def test_its_samples_are_played_and_scored(folder: Folder) -> None:
    solved, other = folder.results("oracle"), folder.results("constant")
    assert len(solved) == 3
    assert {(r["scenario"], r["status"], r["solved"]) for r in solved} == {("redo", "completed", True)}
    assert [r["scores"] for r in solved] == [{"file_exact": 1.0, "tree_exact": 1.0}] * len(solved)
    assert [(r["solved"], r["scores"]) for r in other] == [(False, {"file_exact": 0.0, "tree_exact": 0.0})] * len(
        solved
    )


def test_the_manifest_pins_everything_that_is_in_use(folder: Folder) -> None:
    manifest = json.loads((folder.path / "results/redo-constant/manifest.json").read_bytes())
    assert manifest["plugins"] == {
        "agent constant": "redo-bench",
        "sample one_file_commit": "redo-bench",
        "sandbox plain": "redo-bench",
        "scenario redo": "redo-bench",
        "score tree_exact": "redo-bench",
    }
    assert sorted(manifest["distributions"]) == ["gitgoodbench", "redo-bench"]
    own = [option for option in manifest["config"]["opt"] if not option.startswith("docker.image=")]  # CI's variable
    assert own == ["redo.show_message=false"]
    assert manifest["denominators"] == {"redo": {"short": "short"}}
    assert "of short" in folder.run("gitgoodbench report results/redo-oracle")


def test_rows_that_are_wrong_are_named(folder: Folder) -> None:
    row = folder.mined()[0]
    row["scenario"] = str(row["scenario"]).replace("src/main.py", "src/other.py")
    (folder.path / "wrong.jsonl").write_text(json.dumps(row) + "\n")
    assert "does not modify src/other.py alone" in folder.run("gitgoodbench validate wrong.jsonl --repos repos", 3)
    (folder.path / "wrong.jsonl").write_text(json.dumps({**row, "scenario": "{'file': 'a'}"}) + "\n")
    shown = folder.run("gitgoodbench eval wrong.jsonl --repos repos --agent oracle --sandbox plain", 2)
    assert "field scenario.commit: expected" in shown


def test_a_run_is_resumed_although_another_package_is_installed_but_not_with_other_rules(folder: Folder) -> None:
    *_, evaluate, resume = commands()
    result = next(folder.path.glob("results/redo-oracle/**/result.json"))
    result.unlink()
    write_package(folder.site, "other", {"other.py": "raise OSError"}, {SCENARIOS: {"other": "other:Other"}})
    folder.run(resume)
    assert json.loads(result.read_bytes())["solved"] is True
    result.unlink()
    folder.run(evaluate)
    assert json.loads(result.read_bytes())["solved"] is True

    source = folder.site / "redo_bench/scenario.py"
    source.write_text(source.read_text().replace('"file_exact": float(exact)', '"file_exact": 1.0'))
    for command in (resume, evaluate):
        shown = folder.run(command, 2)
        assert "was made with another configuration (package redo-bench: 1.0 source " in shown
