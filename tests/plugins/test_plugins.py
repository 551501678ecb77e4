"""Finding plug-ins, and pinning the packages that bring them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.git.process import GIT_ENVIRONMENT
from gitgoodbench.plugins import HARNESS, SCENARIOS, Objects, pin, plugins
from gitgoodbench.scenario import load_scenarios
from tests.support.packages import forget, installed, write_package

CHESS = "class Chess:\n    name = 'chess'\n"


def write_chess(folder: Path, source: str = CHESS, name: str = "chess_bench", version: str = "1.0") -> None:
    points = {SCENARIOS: {"chess": f"{name}.play:Chess"}}
    write_package(folder, name, {f"{name}/__init__.py": "", f"{name}/play.py": source}, points, version)


def test_a_package_brings_a_scenario_by_name(tmp_path: Path) -> None:
    write_chess(tmp_path)
    with installed(tmp_path):
        plugin = plugins(SCENARIOS)["chess"]
        assert (plugin.kind, plugin.name, plugin.distribution) == ("scenario", "chess", "chess_bench")
        assert list(load_scenarios()) == ["chess", "icc", "ir", "mcr", "pick"]
        assert load_scenarios()["chess"].name == "chess"
    assert list(load_scenarios()) == ["icc", "ir", "mcr", "pick"]


def test_a_broken_package_disturbs_only_who_asks_for_it(tmp_path: Path) -> None:
    write_chess(tmp_path, "import no_such_module\n")
    with installed(tmp_path):
        assert load_scenarios()["mcr"].name == "mcr"
        with pytest.raises(UserError) as raised:
            load_scenarios()["chess"]
    assert str(raised.value) == (
        "the scenario 'chess' (chess_bench.play:Chess) of chess_bench cannot be loaded: "
        "ModuleNotFoundError: No module named 'no_such_module'"
    )


def test_a_name_that_two_packages_bring_is_refused_with_both(tmp_path: Path) -> None:
    write_chess(tmp_path)
    write_chess(tmp_path, name="other_chess")
    with installed(tmp_path), pytest.raises(UserError, match=r"several packages .*\(chess_bench, other_chess\)"):
        Objects(SCENARIOS)["chess"]


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (lambda folder: (folder / "chess_bench/play.py").write_text(CHESS + "x = 1\n"), False),
        (lambda folder: (folder / "chess_bench/prompt.j2").write_text("hello"), False),
        (lambda folder: (folder / "chess_bench/play.py").rename(folder / "chess_bench/game.py"), False),
        (lambda folder: (folder / "chess_bench/README.md").write_text("about"), True),
        (lambda folder: (folder / "chess_bench/play.pyc").write_bytes(b"\0"), True),
        (lambda folder: (folder / "elsewhere.py").write_text("x = 1\n"), True),
    ],
)
def test_a_pin_follows_the_sources_of_the_package(tmp_path: Path, change: Callable[[Path], object], same: bool) -> None:
    write_chess(tmp_path)
    with installed(tmp_path):
        before = pin("chess_bench")
        change(tmp_path)
        forget()
        after = pin("chess_bench")
    assert before.version == "1.0"
    assert (before.rule == after.rule) is same


def test_a_pin_says_which_commit_is_checked_out_and_whether_it_was_changed(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", tmp_path, *arguments], capture_output=True, text=True, check=True, env=dict(GIT_ENVIRONMENT)
        )
        return done.stdout.strip()

    write_chess(tmp_path)
    git("init", "--quiet")
    with installed(tmp_path):
        assert (pin("chess_bench").commit, pin("chess_bench").dirty) == (None, None)
        git("add", "--all")
        git("commit", "--quiet", "--message=one")
        clean = pin("chess_bench")
        (tmp_path / "chess_bench/play.py").write_text(CHESS + "\n")
        changed = pin("chess_bench")
    head = git("rev-parse", "HEAD")
    assert (clean.commit, clean.dirty) == (head, False)
    assert (changed.commit, changed.dirty) == (head, True)
    assert str(changed) == f"{changed.rule} commit {head[:12]} dirty"


def test_the_harness_is_pinned_with_its_scenarios() -> None:
    found = pin(HARNESS)
    assert found.source is not None
    assert len(found.source) == 64
    with pytest.raises(UserError, match="no_such_package is not installed"):
        pin("no_such_package")
