"""A merge replayed: the automatic merge, its conflicted paths with their stages, and what Git says of them.

`git merge-tree --write-tree` gives all of it in one process, in a form meant for programs. Conflicts are read from
the stages 1, 2 and 3 (base, local, incoming); markers are only how Git displays them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gitgoodbench.git.conflict_text import DEFAULT_MARKER_SIZE
from gitgoodbench.git.conflict_text import marker_size as smallest_marker_size
from gitgoodbench.git.objects import Entry, read_blobs
from gitgoodbench.git.process import Git


@dataclass(frozen=True)
class Stages:
    """The index entries of a conflicted path; None where a side has no such file."""

    base: Entry | None = None
    local: Entry | None = None
    incoming: Entry | None = None

    @property
    def entries(self) -> list[Entry]:
        return [entry for entry in (self.base, self.local, self.incoming) if entry is not None]


@dataclass(frozen=True)
class Notice:
    """What Git says of a path or several: a stable `kind` such as `CONFLICT (modify/delete)`, and the sentence."""

    kind: str
    paths: tuple[bytes, ...]
    text: bytes

    @property
    def is_conflict(self) -> bool:
        return self.kind.startswith("CONFLICT")


@dataclass(frozen=True)
class Replay:
    """The automatic merge of two commits. `tree` holds conflicted files with markers of `marker_size` characters.

    labels: what Git calls the local and the other side, in markers and in the names of files that it puts aside.
    """

    tree: str
    conflicted: dict[bytes, Stages]
    notices: tuple[Notice, ...]
    clean: bool
    marker_size: int = DEFAULT_MARKER_SIZE
    labels: tuple[bytes, bytes] = (b"HEAD", b"incoming")


def replay_merge(git: Git, local: str, incoming: str, *, marker_size: int = DEFAULT_MARKER_SIZE) -> Replay:
    """Merge two commits without touching index or working tree. Names given become the labels of the markers.

    `marker_size` only records what the repository's attributes ask for.

    Raises:
        GitError: the merge cannot be computed (an object is missing).
        InfrastructureFailed: this machine has no space or memory left.
    """
    code, output = run_merge_tree(git, local, incoming)
    return parse_merge_tree(output, clean=code == 0, marker_size=marker_size)


def run_merge_tree(git: Git, local: str, incoming: str) -> tuple[int, bytes]:
    """What `git merge-tree` says of two commits, and its exit code: 0 for a clean merge, 1 for one that is not.

    Raises:
        GitError, InfrastructureFailed: as `replay_merge`.
    """
    args = ("merge-tree", "--write-tree", "-z", "--messages", "--allow-unrelated-histories", local, incoming)
    result = git.execute(*args)
    if result.returncode not in (0, 1) or result.timed_out or not result.stdout:
        raise git.failure(args, result)
    return result.returncode, result.stdout


def parse_merge_tree(output: bytes, *, clean: bool, marker_size: int = DEFAULT_MARKER_SIZE) -> Replay:
    """Read the whole output of `git merge-tree --write-tree -z --messages` for one merge.

    Raises:
        ValueError: it is cut short.
    """
    replay = read_merge_tree(iter(output.split(b"\0")), clean=clean, marker_size=marker_size)
    if replay is None:
        raise ValueError("the output of git merge-tree is cut short")
    return replay


def read_merge_tree(fields: Iterator[bytes], *, clean: bool, marker_size: int = DEFAULT_MARKER_SIZE) -> Replay | None:
    """Read one answer of `git merge-tree --write-tree -z --messages`, also with `--stdin`, and no field beyond it.

    It is: tree, stages, an empty field, notices, a last field. That is empty, or, for conflicts of submodules, advice
    to a person. None: the answer is cut short.
    """
    conflicted: dict[bytes, dict[str, Entry]] = {}
    notices: list[Notice] = []
    try:
        tree = next(fields).decode()
        while record := next(fields):
            head, _, path = record.partition(b"\t")
            mode, oid, stage = head.decode().split()
            conflicted.setdefault(path, {})[("base", "local", "incoming")[int(stage) - 1]] = Entry(mode, oid)
        while (count := next(fields)).isdigit():
            paths = tuple([next(fields) for _ in range(int(count))])
            kind = next(fields).decode()
            notices.append(Notice(kind, paths, next(fields).rstrip(b"\n")))
    except StopIteration:
        return None
    stages = {path: Stages(**entries) for path, entries in conflicted.items()}
    return Replay(tree, stages, tuple(notices), clean, marker_size)


def needed_marker_size(git: Git, conflicted: Iterable[Stages]) -> int:
    """The marker size with which the conflicted files can be read without doubt."""
    oids = {entry.oid for stages in conflicted for entry in stages.entries if entry.is_file}
    return smallest_marker_size(content for content in read_blobs(git, sorted(oids)).values() if content is not None)
