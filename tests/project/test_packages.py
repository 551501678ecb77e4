"""Sdist and wheel: complete, alike from checkout and sdist, built quietly, and working in a clean environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.project import ROOT, project_files

pytestmark = [pytest.mark.project, pytest.mark.timeout(1200)]

INSTALLED_AS = {"gitgoodbench": "gitgoodbench", "scenarios": "gitgoodbench/scenarios", "data": "gitgoodbench/data"}


@dataclass(frozen=True)
class Packages:
    """What was built of a copy of the project's files, and again of its sdist."""

    files: list[str]
    sdist: Path
    wheel: Path
    wheel_of_sdist: Path
    log: str


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout}"
    return done.stdout


def copy_files(names: list[str], *folders: Path) -> None:
    for name in names:
        for folder in folders:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    folder = tmp_path_factory.mktemp("packages")
    source, fresh, built, again = (folder / name for name in ("source", "fresh", "built", "again"))
    copy_files(files := project_files(), source, fresh)
    build = (sys.executable, "-m", "build", "--outdir")
    log = run(*build, again, source, cwd=folder)  # the sdist, then a wheel from it
    log += run(*build, built, "--wheel", fresh, cwd=folder)
    return Packages(files, only(again, "*.tar.gz"), only(built, "*.whl"), only(again, "*.whl"), log)


def files_of_wheel(wheel: Path) -> list[str]:
    return sorted(zipfile.ZipFile(wheel).namelist())


def test_the_sdist_holds_every_file_of_the_project(packages: Packages) -> None:
    with tarfile.open(packages.sdist) as archive:
        held = {member.name.partition("/")[2] for member in archive if member.isfile()}
    assert set(packages.files) - held == set()


def test_the_wheel_of_the_sdist_is_that_of_the_checkout(packages: Packages) -> None:
    assert files_of_wheel(packages.wheel_of_sdist) == files_of_wheel(packages.wheel)


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(packages: Packages) -> None:
    expected = {
        f"{INSTALLED_AS[top]}/{rest}"
        for top, _, rest in (name.partition("/") for name in packages.files)
        if top in INSTALLED_AS
    }
    held = {name for name in files_of_wheel(packages.wheel) if ".dist-info/" not in name}
    assert held == expected


def test_the_newest_setuptools_builds_them_without_a_warning(packages: Packages) -> None:
    harmless = ("byte-compiling is disabled", "no previously-included", "Location 'file:")
    lines = [line for line in packages.log.splitlines() if "warn" in line.lower() or "ignored" in line.lower()]
    assert [line for line in lines if not any(part in line for part in harmless)] == []


@pytest.fixture(scope="module")
def installed(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel and what it declares, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    install = (folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*install, packages.wheel, "--constraint", ROOT / "constraints.txt", cwd=folder)
    return folder / "bin"


def test_the_wheel_works_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    where = run(installed / "python", "-c", "import gitgoodbench; print(gitgoodbench.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert "Suite mini  ok" in run(installed / "gitgoodbench", "doctor", cwd=tmp_path)
    agents = [word for name in ("noop", "tool-oracle", "oracle") for word in ("--agent", name)]
    table = run(installed / "gitgoodbench", "eval", "mini", *agents, "--sandbox", "local", cwd=tmp_path)
    rows = [" ".join(line.split()) for line in table.splitlines()]
    assert any(row.startswith("oracle 34 34/34 100.0 % 28/28 100.0 %") for row in rows)
    assert any(row.startswith("noop 34 34/34 100.0 % 0/28 0.0 %") for row in rows)
    assert len(list((tmp_path / "results").iterdir())) == 3


def test_the_wheel_declares_all_that_its_modules_import(installed: Path, tmp_path: Path) -> None:
    """Each module is imported where only declared packages are; those of extras say which extra is missing."""
    script = (
        "import gitgoodbench, importlib, pkgutil, sys\n"
        "from gitgoodbench.errors import UserError\n"
        "def ask(name): assert isinstance(sys.exception(), UserError), name\n"
        "for module in pkgutil.walk_packages(gitgoodbench.__path__, 'gitgoodbench.', onerror=ask):\n"
        "    if module.name.endswith('__main__'): continue\n"
        "    try: importlib.import_module(module.name)\n"
        '    except UserError as problem: assert "pip install \'gitgoodbench[" in str(problem), problem\n'
    )
    run(installed / "python", "-c", script, cwd=tmp_path)


def test_completion_is_offered_by_the_installed_command(installed: Path, tmp_path: Path) -> None:
    environment = os.environ | {
        "_GITGOODBENCH_COMPLETE": "complete_bash",
        "COMP_WORDS": "gitgoodbench build-d",
        "COMP_CWORD": "1",
    }
    command = [installed / "gitgoodbench"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "build-dataset\n"
