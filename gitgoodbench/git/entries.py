"""What the entries of a tree are, in words that let a reader tell two of them apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gitgoodbench.git.objects import EXECUTABLE, SUBMODULE, SYMLINK, Entry, blob_sizes, read_blobs
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git

LONGEST_LINK: Final = 4096
"""Bytes of a symbolic link's target that are read."""


def describe_entries(git: Git, entries: Iterable[Entry | None]) -> dict[Entry, str]:
    """Entry -> its kind, with the target of a link, the commit of a submodule, the size of a file.

    Args:
        git: a repository that holds the objects, or some of them.
    """
    wanted = {entry for entry in entries if entry is not None}
    sizes = blob_sizes(git, sorted({entry.oid for entry in wanted if entry.mode != SUBMODULE}))
    links = {entry.oid for entry in wanted if entry.mode == SYMLINK}
    small = sorted(oid for oid in links if (size := sizes.get(oid)) is not None and size <= LONGEST_LINK)
    targets = read_blobs(git, small)
    return {entry: _describe(entry, sizes.get(entry.oid), targets.get(entry.oid)) for entry in wanted}


def _describe(entry: Entry, size: int | None, target: bytes | None) -> str:
    if entry.mode == SUBMODULE:
        return f"a submodule at {entry.oid}"
    if entry.mode == SYMLINK:
        return "a symbolic link" if target is None else f"a symbolic link to {show_path(target)}"
    kind = "an executable file" if entry.mode == EXECUTABLE else "a file"
    return f"{kind} whose content is missing" if size is None else f"{kind} of {size:,} byte{'' if size == 1 else 's'}"
