"""One pass over history: every commit once, parents before children, each with what it changed.

Memory does not grow with history, but for the list of commits that `git rev-list` needs to put them in order.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.process import ExecResult, Git, GitError
from gitgoodbench.mining.diffs import Change, read_diffs
from gitgoodbench.mining.options import Refs

_SELECTIONS: Final = {
    Refs.BRANCHES: ("--branches", "--remotes"),
    # What the stash and the notes hold are no commits to a project.
    Refs.ALL: ("--exclude=refs/stash", "--exclude=refs/notes/*", "--all"),
}


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as the walk meets it. `children`: how many distinct ones the walk will still bring.

    committed: Unix time in seconds. changes: as in `CommitDiff`; None where an object is missing.
    """

    oid: str
    parents: tuple[str, ...]
    children: int
    committed: int
    message: bytes
    changes: tuple[Change, ...] | None


def read_history(repository: Git, scratch: Git, refs: Refs) -> Iterator[Commit]:
    """Every commit that the refs reach, parents before children. Refs to objects that are absent are passed over.

    Args:
        repository: whose refs count.
        scratch: where the objects are read: a repository without configuration and attributes that borrows them.

    Raises:
        GitError: the repository cannot be walked (a commit is missing in the middle of history).
    """
    command = ("rev-list", "--topo-order", "--reverse", "--children", "--ignore-missing", *_SELECTIONS[refs])
    with tempfile.TemporaryFile() as complaints, repository.stream(*command, stderr=complaints) as process:
        assert process.stdout is not None
        children: dict[str, int] = {}

        def commits(lines: Iterable[bytes]) -> Iterator[str]:
            for line in lines:
                oid, *rest = line.decode("ascii").split()
                children[oid] = len(set(rest))
                yield oid

        for diff in read_diffs(scratch, commits(process.stdout), "--raw"):
            expected = children.pop(diff.oid)
            yield Commit(diff.oid, diff.parents, expected, diff.committed, diff.message, diff.changes)
        if (code := process.wait()) != 0:
            complaints.seek(0)
            raise GitError(command, ExecResult(code, stderr=complaints.read()))
