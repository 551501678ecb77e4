"""The built-in suite: its repositories are what rows.jsonl says, however they come to be built."""

from __future__ import annotations

import shutil
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.errors import InfrastructureFailed, SetupFailed
from gitgoodbench.git.process import Git
from gitgoodbench.stories import suite


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def test_every_language_has_each_kind_of_sample_in_each_difficulty() -> None:
    samples = load_suite("mini").samples
    count = Counter((sample.programming_language, sample.sample_type, sample.difficulty) for sample in samples)
    assert {language for language, _, _ in count} == {"python", "java", "kotlin"}
    assert all(
        count[language, sample_type, difficulty] >= 1
        for language in ("python", "java", "kotlin")
        for sample_type in ("merge", "file_commit_chain")
        for difficulty in ("easy", "medium", "hard")
    )


def test_the_python_repository_has_what_it_was_written_for(cache: Path) -> None:
    git = Git(suite.repository_path("mini/tidewater", cache))
    samples = [sample for sample in load_suite("mini").samples if sample.name == "mini/tidewater"]
    count = Counter((sample.sample_type, sample.difficulty) for sample in samples)
    assert min(count["merge", d] for d in ("easy", "medium", "hard")) >= 2
    assert min(count["file_commit_chain", d] for d in ("easy", "medium", "hard")) >= 2
    assert b"\r\n" in git.run("cat-file", "blob", "main:tidewater/export.py")
    assert "Île-de-Bréhat".encode("latin-1") in git.run("cat-file", "blob", "main:tidewater/ports.py")
    assert b"\n<<<<<<< HEAD\n" in git.run("cat-file", "blob", "main:tests/test_tables.py")
    assert b"\nHeights\n=======\n" in git.run("cat-file", "blob", "main:tests/test_tables.py")


def test_a_repository_is_built_once_and_found_again(cache: Path) -> None:
    path = suite.repository_path("mini/tidewater", cache)
    before = path.stat().st_mtime_ns
    assert suite.repository_path("mini/tidewater", cache) == path
    assert path.stat().st_mtime_ns == before
    assert path.parent == cache / "mini"


def test_a_changed_story_is_another_repository(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(suite.suite_folder() / "tidewater", tmp_path / "tidewater")
    monkeypatch.setattr(suite, "suite_folder", lambda: tmp_path)
    same = suite.repository_path("mini/tidewater", cache)
    story = tmp_path / "tidewater" / "01-tables.story"
    story.write_bytes(story.read_bytes().replace(b"When is there enough water?", b"How much water is there?", 1))
    other = suite.repository_path("mini/tidewater", cache)
    assert same != other
    assert Git(same).line("rev-parse", "main") != Git(other).line("rev-parse", "main")


def _build(cache: Path) -> str:
    return str(suite.repository_path("mini/tidewater", cache))


def test_several_processes_may_build_at_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3) as pool:
        paths = set(pool.map(_build, [tmp_path] * 3))
    assert len(paths) == 1
    assert [entry.name for entry in (tmp_path / "mini").iterdir()] == [Path(paths.pop()).name]


def test_an_unknown_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SetupFailed, match="the built-in suite has no repository 'mini/atlantis', only mini/cairn, "):
        suite.repository_path("mini/atlantis", tmp_path)
    with pytest.raises(SetupFailed):
        suite.repository_path("other/tidewater", tmp_path)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InfrastructureFailed, match=r"mini/tidewater cannot be built in .*file/mini: Not a directory"):
        suite.repository_path("mini/tidewater", tmp_path / "file")
