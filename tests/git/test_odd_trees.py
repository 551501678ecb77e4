"""Modes that nobody writes any more, and paths that no disk takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.objects import Entry, blobs_present, read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.git.tree_paths import fits_on_disk, is_tree_path, twins
from tests.support.odd_repositories import ObjectStore

MODES = {
    b"100644": "100644",
    b"100664": "100644",
    b"100755": "100755",
    b"100711": "100755",
    b"0100644": "100644",
    b"107777": "100755",
    b"120000": "120000",
    b"120777": "120000",
    b"160000": "160000",
    b"40000": "040000",
    b"040000": "040000",
    b"40755": "040000",
    b"0": "160000",
}


@pytest.mark.parametrize(("written", "mode"), MODES.items())
def test_a_mode_is_read_as_git_shows_it(tmp_path: Path, written: bytes, mode: str) -> None:
    objects = ObjectStore(tmp_path / "r.git")
    inside = objects.tree([(b"100644", b"x", objects.blob(b"x\n"))])
    tree = objects.tree([(written, b"entry", inside if mode == "040000" else objects.blob(b"x\n"))])
    git = Git(tmp_path / "r.git")
    shown = git.run("ls-tree", "-z", tree).split(b" ")[0].decode()
    assert shown == mode
    with ObjectReader(git) as reader:
        entry = reader.entry(tree, b"entry")
    assert entry is not None
    assert entry.mode == mode
    if mode != "040000":
        assert read_tree(git, tree) == {b"entry": Entry(mode, entry.oid)}


def test_only_blobs_that_are_there_are_present(tmp_path: Path) -> None:
    objects = ObjectStore(tmp_path / "r.git")
    blob, tree = objects.blob(b"x\n"), objects.tree([])
    assert blobs_present(Git(tmp_path / "r.git"), [blob, tree, "1" * 40, blob]) == {blob}
    assert blobs_present(Git(tmp_path / "r.git"), []) == set()


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        (b"a/b.py", True),
        (b"n" * 255, True),
        (b"n" * 256, False),
        (b"a/" + b"n" * 256 + b"/b", False),
        (b"/".join([b"d" * 191] * 20), True),
        (b"/".join([b"d" * 192] * 20), False),
        (b".git/config", False),
        (b"a/../b", False),
    ],
)
def test_a_path_fits_on_disk_where_its_names_do(path: bytes, fits: bool) -> None:
    assert fits_on_disk(path) is fits


def test_a_disk_that_folds_cases_has_room_for_one_of_two_twins() -> None:
    paths = [b"A.py", b"Dir/x", b"a.py", b"dir/y", b"\xff", b"cafe\xcc\x81", b"caf\xc3\xa9", b"z"]
    assert twins(paths) == [b"a.py", b"dir/y", b"caf\xc3\xa9"]
    assert twins([b"a", b"a/b"]) == []
    assert all(is_tree_path(path) for path in paths)
