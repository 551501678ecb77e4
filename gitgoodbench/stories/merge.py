"""The automatic merge of two commits, and its conflict regions told apart from what merely looks like them.

Git is asked for conflict markers of an unusual length, so that a file which holds seven `=` of its own (a
reStructuredText heading, a test fixture) is split at the conflicts alone. The length changes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.picks import write_three_way
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.replay import parse_merge_tree

MARKER_SIZE: Final = 61


@dataclass(frozen=True, slots=True)
class Conflict:
    """One conflict region: the lines of both sides, with their endings."""

    ours: bytes
    theirs: bytes


@dataclass(frozen=True, slots=True)
class AutomaticMerge:
    """What `git merge-tree` made: files (mode and contents, with long markers) and the paths left open."""

    files: Mapping[bytes, tuple[bytes, bytes]]
    conflicted: frozenset[bytes]


def merge_automatically(git: Git, ours: str, theirs: str | None, base: str | None = None) -> AutomaticMerge:
    """Merge two commits, leaving nothing behind in the repository.

    base: for a pick or a revert, the commit that is the base whatever history says.

    Raises:
        GitError: the commits cannot be merged at all (unrelated histories, a missing object).
    """
    with temporary_folder("story") as folder:
        attributes = Path(folder, "attributes")
        attributes.write_text(f"* conflict-marker-size={MARKER_SIZE}\n", encoding="ascii")
        Path(folder, "objects").mkdir()
        scratch = git.with_env(
            GIT_OBJECT_DIRECTORY=f"{folder}/objects", GIT_ALTERNATE_OBJECT_DIRECTORIES=f"{git.git_dir}/objects"
        )
        sides = (ours, str(theirs))
        if base is not None or theirs is None:
            made = write_three_way(scratch, base, ours, theirs)
            sides = (made.local, made.other)
        command = (
            "-c",
            f"core.attributesFile={attributes}",
            "merge-tree",
            "--write-tree",
            "-z",
            "--messages",
            *sides,
        )
        result = scratch.execute(*command)
        if result.returncode not in (0, 1):
            raise GitError(command, result)
        replay = parse_merge_tree(result.stdout, clean=result.returncode == 0, marker_size=MARKER_SIZE)
        return AutomaticMerge(read_files(scratch, replay.tree), frozenset(replay.conflicted))


def split_conflicts(data: bytes) -> list[bytes | Conflict]:
    """A merged file as runs of settled bytes and the conflicts between them, in order.

    Git's markers are one longer in a file that both sides renamed, so that those of two files are told apart.
    """
    parts: list[bytes | Conflict] = []
    settled: list[bytes] = []
    sides: tuple[list[bytes], list[bytes]] | None = None
    side = size = 0
    for line in data.split(b"\n"):
        mark = line.rstrip(b"\r")
        if sides is None and mark.startswith((b"<" * MARKER_SIZE + b" ", b"<" * (MARKER_SIZE + 1) + b" ")):
            parts.append(b"".join(settled))
            settled, sides, side, size = [], ([], []), 0, mark.index(b" ")
        elif sides is not None and side == 0 and mark == b"=" * size:
            side = 1
        elif sides is not None and mark.startswith(b">" * size + b" "):
            parts.append(Conflict(b"".join(sides[0]), b"".join(sides[1])))
            sides = None
        else:
            (settled if sides is None else sides[side]).append(line + b"\n")
    parts.append(b"".join(settled)[:-1])  # split() leaves one line more than there are line feeds
    return parts


def read_files(git: Git, tree: str) -> dict[bytes, tuple[bytes, bytes]]:
    """Mode and contents of every file of a tree-ish, by path, in two processes."""
    listed: dict[bytes, tuple[bytes, bytes]] = {}
    for record in git.run("ls-tree", "-r", "-z", tree).split(b"\0")[:-1]:
        info, path = record.split(b"\t", 1)
        mode, _, oid = info.split(b" ")
        listed[path] = (mode, oid)
    blobs = _read_blobs(git, sorted({oid for _, oid in listed.values()}))
    return {path: (mode, blobs[oid]) for path, (mode, oid) in listed.items()}


def _read_blobs(git: Git, ids: list[bytes]) -> dict[bytes, bytes]:
    output = git.run("cat-file", "--batch", stdin=b"".join(oid + b"\n" for oid in ids))
    blobs: dict[bytes, bytes] = {}
    at = 0
    for oid in ids:
        start = output.index(b"\n", at) + 1
        end = start + int(output[at:start].split(b" ")[2])
        blobs[oid] = output[start:end]
        at = end + 1
    return blobs
