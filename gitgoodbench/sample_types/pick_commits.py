"""Commits made for replays of many picks: as `git.picks.write_three_way` makes three, thousands by a few processes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.git.process import Git
from gitgoodbench.mining.diffs import batched
from gitgoodbench.sample_types.merge_spool import MergeCommit

_AT_ONCE: Final = 2000
_LINES: Final = b"author a <a> 0 +0000\ncommitter a <a> 0 +0000\n\n"


@dataclass(frozen=True)
class Sides:
    """Which three commits a pick merges; None is nothing. merge: the real outcome, without parents of its own."""

    base: str | None
    local: str
    other: str | None
    position: int
    result: str
    committed: int
    dated: bool


def as_merges(scratch: Git, picks: Iterable[Sides]) -> Iterator[tuple[Sides, MergeCommit | None]]:
    """Merges that have the trees of picks, in order; None where a commit or its tree is missing."""
    nothing = scratch.line("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    for chunk in batched(picks, _AT_ONCE):
        trees = _trees(scratch, {name for sides in chunk for name in (sides.base, sides.local, sides.other) if name})
        trees[None] = nothing
        whole = [(sides, tuple(map(trees.get, (sides.base, sides.local, sides.other)))) for sides in chunk]
        known = [found for found in whole if all(found[1])]
        bases = _write(scratch, [b"tree %s\n%sbase\n" % (str(base).encode(), _LINES) for _, (base, _, _) in known])
        texts = [
            b"tree %s\nparent %s\n%s%s\n" % (str(tree).encode(), root.encode(), _LINES, name)
            for (_, (_, local, other)), root in zip(known, bases, strict=True)
            for tree, name in ((local, b"local"), (other, b"other"))
        ]
        made = iter(_write(scratch, texts))
        for sides, found in whole:
            merge = None
            if all(found):
                parents = next(made), next(made)
                merge = MergeCommit(sides.position, sides.result, parents, sides.committed, sides.dated)
            yield sides, merge


def _trees(git: Git, commits: Iterable[str]) -> dict[str | None, str]:
    """The trees of commits, where both are there."""
    wanted = sorted(commits)
    asked = "".join(f"{name}^{{tree}}\n" for name in wanted).encode("ascii")
    answers = git.run("cat-file", "--batch-check=%(objecttype) %(objectname)", "--buffer", stdin=asked)
    lines = answers.split(b"\n")[:-1]
    found = (line.split() for line in lines)
    return {name: oid.decode("ascii") for name, (kind, oid, *_) in zip(wanted, found, strict=True) if kind == b"tree"}


def _write(git: Git, commits: Sequence[bytes]) -> list[str]:
    if not commits:
        return []
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, str(number)) for number in range(len(commits))]
        for path, content in zip(paths, commits, strict=True):
            path.write_bytes(content)
        listed = "".join(f"{path}\n" for path in paths).encode()
        command = ("-c", "core.fsync=none", "hash-object", "-t", "commit", "-w", "--stdin-paths")
        return git.run(*command, stdin=listed).decode("ascii").split()
