"""What any number of commits changed, through a few `git diff-tree --stdin` processes.

Not `git log`: it ends at the first object that is missing. Here a process answers so many questions and no more, and
one that ends early costs the commit it stumbled over.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import IO, Final, TypeVar

from gitgoodbench.git.process import Git

COMMITS_PER_PROCESS: Final = 1500
_PROCESSES_AHEAD: Final = 3
_RENAME_LIMIT: Final = 1000
"""Added or deleted files of one commit up to which moved files with other contents are searched for: Git's default."""

_BLOCK: Final = 1 << 16
_COMMAND: Final = ("diff-tree", "--stdin", "-r", "-z", "--no-renames", "--no-abbrev", "--raw")
_COLON: Final = ord(":")

T = TypeVar("T")

Change = tuple[bytes, bytes]
"""What Git's raw format says of a path that was changed, and the path: `(b":100644 100644 OLD NEW M", b"a.py")`.

Millions of them are read, so they are plain tuples.
"""

Changes = tuple[Change, ...]

State = tuple[bytes, bytes]
"""Mode and object id; zeros where there is nothing."""


def status(header: bytes) -> str:
    """A added, D deleted, M modified, T type changed."""
    return chr(header[-1])


def state_before(header: bytes) -> State:
    mode, _, oid, _, _ = header[1:].split(b" ")
    return mode, oid


def state_after(header: bytes) -> State:
    _, mode, _, oid, _ = header[1:].split(b" ")
    return mode, oid


@dataclass(frozen=True, slots=True)
class CommitDiff:
    """What a commit changed against its parent, or against nothing in a root commit; nothing for a merge.

    changes: without renames, each of which is a deletion and an addition.
    lines: added and removed lines by path; 0 for binary files. As `git log -M --numstat` counts them: a file that moves
        has those that differ from what it was, at its new path, and none if it only moves.
    """

    changes: Changes
    lines: Mapping[bytes, int]


def read_changes(git: Git, trees: Iterable[str]) -> Iterator[Changes | None]:
    """How pairs of trees (`f"{old} {new}"`) differ, in the order given; None where an object is missing."""
    return _ask(git, trees, _parse_changes)


def read_diffs(git: Git, commits: Iterable[str]) -> Iterator[CommitDiff | None]:
    """What each of the commits changed, in the order given; None where an object is missing."""
    options = ("--root", "--always", "--numstat", "--format=tformat:%H", "--find-renames=50%", f"-l{_RENAME_LIMIT}")
    return _ask(git, commits, _parse_diffs, *options)


Parser = Callable[[IO[bytes]], Iterator[tuple[str, T]]]
"""Finds questions and their answers in what a process has written; the last may be cut off."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """A running process and what it was asked."""

    questions: Sequence[str]
    process: subprocess.Popen[bytes]
    answers: IO[bytes]
    resources: ExitStack


def _ask(git: Git, questions: Iterable[str], parse: Parser[T], *options: str) -> Iterator[T | None]:
    """The answers, in order. The next processes already work, into files, while those of the one before are read.
    `questions` is read so far ahead.
    """
    started: deque[_Batch] = deque()
    try:
        for chunk in batched(questions, COMMITS_PER_PROCESS):
            started.append(_start(git, chunk, options))
            if len(started) > _PROCESSES_AHEAD:
                yield from _finish(git, started.popleft(), parse, options)
        while started:
            yield from _finish(git, started.popleft(), parse, options)
    finally:
        for batch in started:
            batch.resources.close()


def _start(git: Git, questions: Sequence[str], options: Sequence[str]) -> _Batch:
    with ExitStack() as stack:
        stdin = stack.enter_context(line_file(questions))
        answers = stack.enter_context(tempfile.TemporaryFile())
        process = stack.enter_context(git.stream(*_COMMAND, *options, stdin=stdin, stdout=answers))
        return _Batch(questions, process, answers, stack.pop_all())


def _finish(git: Git, batch: _Batch, parse: Parser[T], options: Sequence[str]) -> Iterator[T | None]:
    """The answers of a batch. Where a process ended early, the question it stumbled over is asked again alone, and
    another process does the rest.
    """
    rest: Sequence[str] = ()
    while True:
        answered = yield from _answers(batch, parse)
        left = batch.questions[answered:]
        if left and len(batch.questions) > 1:
            next_, rest = left[:1], left[1:]
        else:
            yield from [None] * len(left)
            next_, rest = rest, ()
        if not next_:
            return
        batch = _start(git, next_, options)


def _answers(batch: _Batch, parse: Parser[T]) -> Generator[T | None, None, int]:
    """The answers that are whole; returns how many. Git passes over a question whose object is missing."""
    questions = batch.questions
    position = 0
    with batch.resources:
        complete = batch.process.wait() == 0
        batch.answers.seek(0)
        answers = parse(batch.answers)
        found = next(answers, None)
        while found is not None:
            question, answer = found
            found = next(answers, None)
            if found is None and not complete:
                break
            while questions[position] != question:
                yield None
                position += 1
            yield answer
            position += 1
    if complete:
        yield from [None] * (len(questions) - position)
        return len(questions)
    return position


def _parse_changes(stream: IO[bytes]) -> Iterator[tuple[str, Changes]]:
    """`OLD NEW`, a newline, then the changes, each a header and a path that NUL ends."""
    question = ""
    changes: list[Change] = []
    fields = read_fields(stream, last=True)
    for change in zip_longest(fields, fields, fillvalue=b""):
        header, path = change
        if header[0] != _COLON:
            *pairs, header = header.split(b"\n")
            for pair in pairs:
                if question:
                    yield question, tuple(changes)
                question, changes = pair.decode("ascii"), []
            if not header:
                break
            change = header, path
        changes.append(change)
    if question:
        yield question, tuple(changes)


def _parse_diffs(stream: IO[bytes]) -> Iterator[tuple[str, CommitDiff]]:
    """The commit, its changes, then for each path the lines; all in fields that NUL ends."""
    commit = b""
    changes: list[Change] = []
    lines: dict[bytes, int] = {}
    fields = read_fields(stream)
    for field in fields:
        text = field.removeprefix(b"\n")
        if text.startswith(b":"):
            changes += _read_change(text, fields)
        elif b"\t" in text:
            added, removed, path = text.split(b"\t", 2)
            if not path:  # a rename: both paths follow
                _, path = next(fields, b""), next(fields, b"")
            lines[path] = 0 if added == b"-" else int(added) + int(removed)
        elif text:
            if commit:
                yield commit.decode("ascii"), CommitDiff(tuple(changes), lines)
            commit, changes, lines = text, [], {}
    if commit:
        yield commit.decode("ascii"), CommitDiff(tuple(changes), lines)


def _read_change(header: bytes, fields: Iterator[bytes]) -> Iterator[Change]:
    """A raw record; a rename (`:100644 100755 OLD NEW R90`, two paths) as a deletion and an addition."""
    path = next(fields, b"")
    if b" R" not in header:
        yield header, path
        return
    old_mode, new_mode, old_oid, new_oid, _ = header[1:].split(b" ")
    nothing = b"0" * len(old_oid)
    yield b":%s 000000 %s %s D" % (old_mode, old_oid, nothing), path
    yield b":000000 %s %s %s A" % (new_mode, nothing, new_oid), next(fields, b"")


def line_file(lines: Iterable[str]) -> IO[bytes]:
    """A temporary file of ASCII lines, to be a process's standard input."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    file.write("".join(f"{line}\n" for line in lines).encode("ascii"))
    file.seek(0)
    return file


def read_fields(stream: IO[bytes], *, last: bool = False) -> Iterator[bytes]:
    """The fields of a stream, as they come, each ended by NUL. `last`: and what is behind the last NUL."""

    def blocks() -> Iterator[Sequence[bytes]]:
        rest = b""
        while block := stream.read(_BLOCK):
            *fields, rest = (rest + block).split(b"\0")
            yield fields
        if last and rest:
            yield (rest,)

    return chain.from_iterable(blocks())


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`, the last perhaps shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
