"""Files that cannot be checked out are left out and named, unless the task is about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.objects import SYMLINK, Entry
from gitgoodbench.git.process import Git
from gitgoodbench.workspace.build import check_out, left_out_facts
from tests.support.repositories import Content, RepositoryBuilder

LONG = "ก".encode() * 90
DEEP = b"/".join([b"d" * 90] * 100)


def workspace(tmp_path: Path, files: dict[bytes, Content]) -> tuple[Git, str]:
    builder = RepositoryBuilder(tmp_path / "r.git")
    commit = builder.commit(files)
    builder.git.run("config", "core.bare", "false")
    (tmp_path / "files").mkdir()
    git = Git(builder.path, tmp_path / "files")
    git.run("update-ref", "--no-deref", "HEAD", commit)
    return git, commit


def test_names_that_are_too_long_are_left_out(tmp_path: Path) -> None:
    long_folder = b"f" * 256 + b"/x"
    link = (SYMLINK, b"")
    git, commit = workspace(tmp_path, {b"a.py": b"1\n", LONG: b"2\n", DEEP: b"3\n", long_folder: b"4\n", b"link": link})
    assert set(check_out(git, commit)) == {LONG, DEEP, long_folder, b"link"}
    assert [path.name for path in (tmp_path / "files").iterdir() if path.is_file()] == ["a.py"]
    assert git.run("status", "--porcelain") == b""
    assert git.line("write-tree") == git.line("rev-parse", f"{commit}^{{tree}}")


def test_nothing_is_left_out_of_what_fits(tmp_path: Path) -> None:
    git, commit = workspace(tmp_path, {b"n" * 255: b"1\n", b"a\nb": b"2\n", b"-rf": b"3\n", b"caf\xe9": b"4\n"})
    assert check_out(git, commit) == ()
    assert len(list((tmp_path / "files").iterdir())) == 4


def test_of_twins_on_a_disk_that_folds_cases_the_first_is_there(tmp_path: Path) -> None:
    git, commit = workspace(tmp_path, {b"README": b"1\n", b"readme": b"2\n", b"x/a": b"3\n"})
    git.run("config", "core.ignoreCase", "true")
    assert check_out(git, commit) == (b"readme",)
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == ["README", "x"]


def test_a_file_that_cannot_be_written_for_another_reason_is_not_left_out(tmp_path: Path) -> None:
    git, commit = workspace(tmp_path, {LONG: b"1\n", b"folder/a": b"2\n"})
    (tmp_path / "files" / "folder").symlink_to("/proc/nowhere")
    git.run("config", "core.symlinks", "true")
    assert check_out(git, commit) == (LONG,)
    blocked = Entry("100644", git.line("hash-object", "-w", "--stdin", stdin=b"x\n"))
    with pytest.raises(SetupFailed):
        check_out(Git(git.git_dir, "/proc/1"), commit, {b"new": blocked})


def test_what_is_left_out_is_counted_and_named() -> None:
    paths = [b"file %d" % number for number in range(30)]
    assert left_out_facts([], {b"a.py"}) == {}
    facts = left_out_facts([b"a\nb", *paths], {b"a.py"})
    assert facts["files_left_out"] == 31
    assert isinstance(facts["left_out"], list)
    assert facts["left_out"][:2] == ['"a\\nb"', "file 0"]
    assert len(facts["left_out"]) == 20


def test_a_task_about_a_file_that_is_left_out_cannot_be_set_up() -> None:
    with pytest.raises(SetupFailed, match=r"the task is about a\.py"):
        left_out_facts([b"b.py", b"a.py"], {b"a.py"})
