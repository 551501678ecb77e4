"""Every command block of README and docs runs, or, where it needs what a test has not, names only what exists."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.documented import NEEDS, Block, blocks, pages, unfenced_commands
from tests.support.project import ROOT

BIN = ROOT / ".venv/bin"
PAGES = [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages()]
BLOCKS = [block for page in pages() for block in blocks(page) if block.language in ("sh", "python")]
CHECKED = [pytest.param(block, id=block.place) for block in BLOCKS if block.language == "sh" and block.needs]
RUN = sorted({block.page for block in BLOCKS if not block.needs})
ELSEWHERE = {
    "cd",
    "dask",
    "docker",
    "export",
    "git",
    "inspect",
    "ray",
    "uv",
    "vf-eval",
}  # programs whose flags are not ours to check


def outcome(*command: str | Path, cwd: Path = ROOT) -> str:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | {"PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout}"
    return done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_commands_stand_in_fenced_blocks_with_known_marks(page: Path) -> None:
    assert unfenced_commands(page) == []
    assert {block.language for block in blocks(page)} <= {"sh", "py", "python", "toml", "text", "json", "yaml"}
    assert {need for block in blocks(page) for need in block.needs} <= NEEDS


def check_command(words: list[str]) -> None:
    """Fail unless the program, its flags and the files it names exist.

    `--help` comes last: the command line is parsed as a whole first, so that an unknown flag is an error.
    """
    while words and "=" in words[0] and not words[0].startswith("-"):
        words = words[1:]  # VARIABLE=value before a command
    match words:
        case ["gitgoodbench", *rest] | ["uvx", "gitgoodbench", *rest]:
            outcome(sys.executable, "-m", "gitgoodbench", *rest, "--help")
        case ["make", *rest]:
            for line in outcome("make", "--dry-run", "--no-print-directory", *rest).splitlines():
                if line.startswith(".venv/bin/gitgoodbench "):
                    check_command(["gitgoodbench", *shlex.split(line)[1:]])
        case ["python", "-m", module, *rest]:
            outcome(sys.executable, "-m", module, *rest, "--help")
        case ["python", script, *rest]:
            outcome(sys.executable, script, *rest, "--help")
        case ["pip", "install", *rest]:
            project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
            for wanted in (Requirement(word) for word in rest if not word.startswith("-")):
                assert wanted.name == "gitgoodbench"
                assert wanted.extras <= set(project["optional-dependencies"])
        case [program, *_]:
            assert program in ELSEWHERE


@pytest.mark.project
@pytest.mark.parametrize("block", CHECKED)
def test_commands_that_cannot_run_here_name_what_exists(block: Block) -> None:
    for command in block.commands:
        check_command(shlex.split(command, comments=True))


def make_folder_like_a_checkout(folder: Path) -> Path:
    """A folder with all that a checkout has but results of runs, which go into the folder itself."""
    for entry in ROOT.iterdir():
        if entry.name not in ("results", ".git"):
            (folder / entry.name).symlink_to(entry)
    return folder


@pytest.mark.project
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", RUN)
def test_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path) -> None:
    folder = make_folder_like_a_checkout(tmp_path)
    for block in blocks(ROOT / page):
        if block.language == "sh" and not block.needs:
            outcome("bash", "-euo", "pipefail", "-c", block.text, cwd=folder)
        if block.language == "python" and not block.needs:
            outcome(sys.executable, "-c", block.text, cwd=folder)


@pytest.mark.parametrize(
    "command",
    [
        "gitgoodbench eval mini --no-such-flag",
        "make no-such-target",
        "python bench/no_such.py",
        "pip install x[y]",
        "rm x",
    ],
)
def test_a_command_that_does_not_exist_is_found(command: str) -> None:
    with pytest.raises(AssertionError):
        check_command(command.split())
