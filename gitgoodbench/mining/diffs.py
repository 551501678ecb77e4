"""What commits changed, for any number of commits, through a few `git diff-tree --stdin` processes.

Not `git log`: it keeps every commit that it has seen, so that its memory grows with history, and it ends at the first
object that is missing. Here a process serves so many commits and no more, and one that ends early costs the commit it
stumbled over.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, Final, NamedTuple, TypeVar

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.process import Git

COMMITS_PER_PROCESS: Final = 1000
_PROCESSES_AHEAD: Final = 1
_BLOCK: Final = 1 << 16
_SENTINEL: Final = "-"
"""A line of input that is no commit: Git repeats it, so that the end of a commit's output can be told."""
_FORMAT: Final = "--format=tformat:%H%x00%P%x00%ct%x00%B"
_COMMAND: Final = ("diff-tree", "--stdin", "-r", "-z", "--no-renames", "--no-abbrev", "--root", "-c", "--always")

T = TypeVar("T")


class Change(NamedTuple):
    """A path that a commit changed; `header` is the line before it in Git's raw format.

    In a merge only paths that differ from every parent are listed; `old` is the first parent's.
    """

    path: bytes
    header: bytes

    @property
    def status(self) -> str:
        """A added, D deleted, M modified, T type changed."""
        return chr(self.header[-1])

    @property
    def old(self) -> tuple[bytes, bytes]:
        """Mode and object id before; zeros where there was nothing."""
        words = self.header.lstrip(b":").split(b" ")
        return words[0], words[len(words) // 2]

    @property
    def new(self) -> tuple[bytes, bytes]:
        """Mode and object id after; zeros where nothing is left."""
        words = self.header.lstrip(b":").split(b" ")
        return words[len(words) // 2 - 1], words[-2]


@dataclass(frozen=True, slots=True)
class CommitDiff:
    """A commit and what it changed: against its parent, or against nothing in a root commit.

    committed: when, by its committer, as Unix time in seconds; 0 where the commit does not say.
    changes: None where Git cannot compare, since an object is missing.
    lines: added and removed lines by path, if asked for; 0 for binary files.
    """

    oid: str
    parents: tuple[str, ...]
    committed: int
    message: bytes
    changes: tuple[Change, ...] | None
    lines: Mapping[bytes, int] = field(default_factory=dict)


def read_diffs(git: Git, commits: Iterable[str], *options: str) -> Iterator[CommitDiff]:
    """What each of the commits changed, in the order given. `options`: `--raw`, and `--numstat` for lines.

    The next process already works, into a file, while the answers of the one before are read. `commits` is read so
    far ahead.
    """
    started: deque[_Batch] = deque()
    try:
        for chunk in batched(commits, COMMITS_PER_PROCESS):
            started.append(_start(git, chunk, options))
            if len(started) > _PROCESSES_AHEAD:
                yield from _finish(git, started.popleft(), options)
        while started:
            yield from _finish(git, started.popleft(), options)
    finally:
        for batch in started:
            batch.resources.close()


@dataclass(frozen=True, slots=True)
class _Batch:
    """A running process and what it was asked."""

    commits: Sequence[str]
    process: subprocess.Popen[bytes]
    answers: IO[bytes]
    resources: ExitStack


def _start(git: Git, commits: Sequence[str], options: Sequence[str]) -> _Batch:
    with ExitStack() as stack:
        stdin = stack.enter_context(commit_list(commits, sentinel=True))
        answers = stack.enter_context(tempfile.TemporaryFile())
        process = stack.enter_context(git.stream(*_COMMAND, _FORMAT, *options, stdin=stdin, stdout=answers))
        return _Batch(commits, process, answers, stack.pop_all())


def _finish(git: Git, batch: _Batch, options: Sequence[str]) -> Iterator[CommitDiff]:
    """The answers of a batch; a process that ended early costs the commit it stumbled over, and another does the
    rest.
    """
    while True:
        done = 0
        with batch.resources:
            batch.process.wait()
            batch.answers.seek(0)
            for diff in _parse(read_fields(batch.answers)):
                if diff.oid != batch.commits[done]:
                    raise GitGoodBenchError(f"git diff-tree answers {diff.oid}, asked for {batch.commits[done]}")
                yield diff
                done += 1
        if done == len(batch.commits):
            return
        yield _unreadable(git, batch.commits[done])
        rest = batch.commits[done + 1 :]
        if not rest:
            return
        batch = _start(git, rest, options)


def commit_list(commits: Sequence[str], *, sentinel: bool = False) -> IO[bytes]:
    """A temporary file to be a process's standard input: the commits, each on a line, perhaps with sentinels."""
    end = f"\n{_SENTINEL}\n" if sentinel else "\n"
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    file.write("".join(f"{commit}{end}" for commit in commits).encode("ascii"))
    file.seek(0)
    return file


def read_fields(stream: IO[bytes]) -> Iterator[bytes]:
    """The fields of a stream that NUL separates, as they come; the last may be cut off."""
    rest = b""
    while block := stream.read(_BLOCK):
        *fields, rest = (rest + block).split(b"\0")
        yield from fields
    if rest:
        yield rest


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`, the last perhaps shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _parse(fields: Iterator[bytes]) -> Iterator[CommitDiff]:
    """The commits whose output is complete."""
    first = next(fields, b"")
    while first:
        header = [first, *islice(fields, 3)]
        changes: list[Change] = []
        lines: dict[bytes, int] = {}
        for line in fields:
            text = line.removeprefix(b"\n")
            if text.startswith(b":"):
                changes.append(Change(next(fields, b""), text))
            elif text.startswith(b"-\n"):
                first = text[2:]
                break
            elif text:
                added, removed, path = text.split(b"\t", 2)
                lines[path] = 0 if added == b"-" else int(added) + int(removed)
        else:
            return
        yield _commit(header, tuple(changes), lines)


def _commit(header: Sequence[bytes], changes: tuple[Change, ...] | None, lines: Mapping[bytes, int]) -> CommitDiff:
    oid, parents, committed, message = header
    names = tuple(parents.decode("ascii").split())
    return CommitDiff(oid.decode("ascii"), names, int(committed or 0), message, changes, lines)


def _unreadable(git: Git, oid: str) -> CommitDiff:
    output = git.run("log", "--no-walk", "-z", "--no-patch", _FORMAT, "--end-of-options", oid)
    return _commit(output.split(b"\0")[:4], None, {})
