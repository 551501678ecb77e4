"""Patch ids of many commits, through pairs of `git diff-tree -p` and `git patch-id`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gitgoodbench.git.process import Git
from gitgoodbench.mining.diffs import COMMITS_PER_PROCESS, batched, line_file

_DIFF: Final = ("diff-tree", "--stdin", "--root", "-r", "-p", "--no-renames", "--full-index")


def patch_ids(git: Git, commits: Iterable[str], *paths: bytes) -> Iterator[tuple[str, str | None]]:
    """The commits, in order, with their patch ids; None where an object is missing. Without a patch: left out.

    `paths`: compare only these.
    """
    for chunk in batched(commits, COMMITS_PER_PROCESS):
        position = 0
        while position < len(chunk):
            found, complete = _patch_ids(git, chunk[position:], paths)
            if complete:
                yield from found.items()
                break
            # The process ended early, and the last id may be that of half a patch.
            done = list(found)[:-1]
            yield from ((oid, found[oid]) for oid in done)
            position = chunk.index(done[-1], position) + 1 if done else position
            while position < len(chunk):
                oid = chunk[position]
                position += 1
                found, complete = _patch_ids(git, [oid], paths)
                if not complete:
                    yield oid, None
                    break
                yield from found.items()


def _patch_ids(git: Git, commits: Sequence[str], paths: Sequence[bytes]) -> tuple[dict[str, str], bool]:
    """Ids by commit, and whether all commits could be read."""
    ids: dict[str, str] = {}
    with (
        line_file(commits) as stdin,
        git.stream(*_DIFF, "--", *paths, stdin=stdin) as diff,
    ):
        assert diff.stdout is not None
        with git.stream("patch-id", "--stable", stdin=diff.stdout) as process:
            assert process.stdout is not None
            for line in process.stdout:
                patch, oid = line.decode("ascii").split()
                ids[oid] = patch
        return ids, diff.wait() == 0
