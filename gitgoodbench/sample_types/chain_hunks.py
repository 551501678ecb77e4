"""The hunks that chains make in their own files, as Git's diff without context has them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import IO, Final

from gitgoodbench.git.paths import parse_path
from gitgoodbench.git.process import ExecResult, Git, GitError
from gitgoodbench.mining.diffs import line_file

_COMMAND: Final[tuple[str, ...]] = (
    "diff-tree",
    "--stdin",
    "-r",
    "-p",
    "-U0",
    "--no-renames",
    "--full-index",
    "--no-color",
)
_COMMIT: Final = re.compile(rb"[0-9a-f]{40,64}\n")
_RANGES: Final = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NEW_NAME: Final = b"+++ "
_CONTENT: Final = (b"+", b"-")

Step = tuple[str, bytes]
"""A commit, and a path that it modifies."""


def read_hunks(git: Git, steps: Iterable[Step]) -> dict[Step, list[bytes]]:
    """The hunks of each step: the lines that are removed and added, without marks. Binary files have none.

    Raises:
        GitError: an object is missing.
    """
    wanted = set(steps)
    commits = dict.fromkeys(sorted(commit for commit, _ in wanted))
    paths = sorted({path for _, path in wanted})
    found: dict[Step, list[bytes]] = defaultdict(list)
    command: tuple[str | bytes, ...] = (*_COMMAND, "--", *paths)
    with line_file(commits) as stdin, git.stream(*command, stdin=stdin) as process:
        assert process.stdout is not None
        for step, hunk in _parse(process.stdout):
            if step in wanted:
                found[step].append(hunk)
        if (code := process.wait()) != 0:
            raise GitError(command, ExecResult(code))
    return found


def _parse(lines: IO[bytes]) -> Iterator[tuple[Step, bytes]]:
    commit, path = "", b""
    for line in lines:
        if _COMMIT.fullmatch(line):
            commit = line[:-1].decode("ascii")
        elif line.startswith(_NEW_NAME):
            path = _name(line[len(_NEW_NAME) : -1])
        elif match := _RANGES.match(line):
            count = sum(1 if number is None else int(number) for number in match.groups())
            yield (commit, path), _body(lines, count)


def _body(lines: IO[bytes], count: int) -> bytes:
    body = []
    while count:
        line = next(lines, b"")
        if not line:
            break
        if line.startswith(_CONTENT):  # else: \ No newline at end of file
            count -= 1
            body.append(line[1:])
    return b"".join(body)


def _name(shown: bytes) -> bytes:
    """The path of a line +++; Git ends one that has a blank in it with a tab."""
    return parse_path(shown.removesuffix(b"\t").decode("utf-8", "surrogateescape")).removeprefix(b"b/")
