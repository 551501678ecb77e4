"""What stands at a path, in words; and which places are free for a file that Git moved aside."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git import conflicts
from gitgoodbench.git.entries import LONGEST_LINK, describe_entries
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, Entry, write_blob
from tests.support.repositories import RepositoryBuilder

ABSENT = "1" * 40


def test_each_kind_of_entry_is_described(tmp_path: Path) -> None:
    git = RepositoryBuilder(tmp_path / "r.git").git
    contents = (b"x", b"x" * 1234, b"a/b", b"x" * (LONGEST_LINK + 1))
    one, many, link, long = (write_blob(git, content) for content in contents)
    described = {
        Entry(REGULAR, one): "a file of 1 byte",
        Entry(EXECUTABLE, many): "an executable file of 1,234 bytes",
        Entry(REGULAR, ABSENT): "a file whose content is missing",
        Entry(SYMLINK, link): "a symbolic link to a/b",
        Entry(SYMLINK, long): "a symbolic link",
        Entry(SYMLINK, ABSENT): "a symbolic link",
        Entry(SUBMODULE, ABSENT): f"a submodule at {ABSENT}",
    }
    assert describe_entries(git, [*described, None]) == described


@pytest.mark.parametrize(
    ("placed", "occupied"),
    [({}, True), ({b"d/f": None}, False), ({b"d/f": None, b"d/g": Entry(REGULAR, ABSENT)}, True)],
)
def test_a_place_is_free_when_all_below_it_is_removed(placed: dict[bytes, Entry | None], occupied: bool) -> None:
    automatic = {b"d/f": Entry(REGULAR, ABSENT), b"dd": Entry(REGULAR, ABSENT)}
    assert conflicts._occupied(b"d", automatic, placed) is occupied
