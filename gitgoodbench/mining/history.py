"""One pass over history: every commit once, parents before children, each with what it changed.

Memory does not grow with history, but for what `git rev-list` needs to put commits in order.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from typing import IO, Final, NamedTuple

from gitgoodbench.git.dates import believable_time
from gitgoodbench.git.process import ExecResult, Git, GitError
from gitgoodbench.mining.diffs import Changes, read_changes, read_fields
from gitgoodbench.mining.options import Refs

_SELECTIONS: Final = {
    Refs.BRANCHES: ("--branches", "--remotes"),
    Refs.BRANCHES_AND_TAGS: ("--branches", "--remotes", "--tags"),
    # What the stash, the notes and replacements hold are no commits to a project.
    Refs.ALL: ("--exclude=refs/stash", "--exclude=refs/notes/*", "--exclude=refs/replace/*", "--all"),
}
_COMMAND: Final = (
    "rev-list", "--topo-order", "--reverse", "--children", "--ignore-missing",
    "--format=tformat:%T%x00%P%x00%ct%x00%B%x00",
)  # fmt: skip


MESSAGE_BYTES: Final = 64 * 1024


class Commit(NamedTuple):
    """A commit as the walk meets it. `children`: how many distinct ones the walk will still bring.

    committed: when, by its committer, as Unix time in seconds. dated: whether its date can be believed (see
        `git.dates`); where not, `committed` is the time of its newest parent, which it is not older than, and 0 without
        parents.
    message: in UTF-8, the first `MESSAGE_BYTES` of it.
    changes: against the first parent, or against nothing in a root commit; None where an object is missing.
    """

    oid: str
    parents: tuple[str, ...]
    children: int
    committed: int
    message: bytes
    changes: Changes | None
    dated: bool = True


def read_history(repository: Git, scratch: Git, refs: Refs) -> Iterator[Commit]:
    """Every commit that the refs reach, parents before children. Refs to objects that are absent are passed over.

    Args:
        repository: whose refs count.
        scratch: where the objects are read: a repository without configuration and attributes that borrows them.

    Raises:
        GitError: the repository cannot be walked (a commit is missing in the middle of history).
    """
    command = (*_COMMAND, *_SELECTIONS[refs])
    waiting: deque[Commit] = deque()

    def commits(stream: IO[bytes]) -> Iterator[tuple[Commit, str]]:
        for commit, tree in _parse(stream):
            waiting.append(commit)
            yield commit, tree

    with tempfile.TemporaryFile() as complaints, repository.stream(*command, stderr=complaints) as process:
        assert process.stdout is not None
        no_tree = scratch.line("hash-object", "-t", "tree", "--stdin")
        for changes in read_changes(scratch, _tree_pairs(commits(process.stdout), no_tree)):
            yield waiting.popleft()._replace(changes=changes)
        if (code := process.wait()) != 0:
            complaints.seek(0)
            raise GitError(command, ExecResult(code, stderr=complaints.read()))


def _tree_pairs(commits: Iterable[tuple[Commit, str]], no_tree: str) -> Iterator[str]:
    """Tree of the first parent and tree of the commit, for each commit and its tree."""
    trees: dict[str, str] = {}
    children: dict[str, int] = {}
    for commit, tree in commits:
        yield f"{trees[commit.parents[0]] if commit.parents else no_tree} {tree}"
        for parent in dict.fromkeys(commit.parents):
            children[parent] -= 1
            if not children[parent]:
                del trees[parent], children[parent]
        if commit.children:
            trees[commit.oid], children[commit.oid] = tree, commit.children


def _parse(stream: IO[bytes]) -> Iterator[tuple[Commit, str]]:
    """`commit OID CHILDREN`, a newline, then the fields of the format: commits without changes, and their trees."""
    fields = read_fields(stream)
    times = _Times()
    for names, parents, date, message in zip(fields, fields, fields, fields, strict=False):
        _, oid, *listed, tree = names.decode("ascii").split()
        above, children = tuple(parents.decode("ascii").split()), len(set(listed))
        time = believable_time(date)
        committed = times.add(oid, above, children, time)
        yield Commit(oid, above, children, committed, message[:MESSAGE_BYTES], None, time is not None), tree


class _Times:
    """When commits were made that have children to come."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._children: dict[str, int] = {}

    def add(self, oid: str, parents: tuple[str, ...], children: int, time: int | None) -> int:
        """Add a commit; returns its time, or that of its newest parent where it has none that is believed."""
        if time is None:
            time = max((self._times[parent] for parent in parents), default=0)
        for parent in dict.fromkeys(parents):
            self._children[parent] -= 1
            if not self._children[parent]:
                del self._times[parent], self._children[parent]
        if children:
            self._times[oid], self._children[oid] = time, children
        return time
