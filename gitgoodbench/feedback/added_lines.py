"""Which lines a text has that another one lacks, as Git's own diff tells it.

Commits and edits are compared by the same diff, so that an edit that was committed as it is adds what the commit adds,
wherever a diff could have been told in two ways. Lines are counted from 0, and end with LF only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.process import Git

Lines = tuple[int, int]
"""The first line of a run, and the one after its last."""

Span = tuple[int, int]
"""First byte, and the one after the last."""

DIFF: Final = (
    "-r", "-p", "--unified=0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic", "--no-color",
    "--no-ext-diff", "--no-textconv", "--full-index", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
"""Options of `git diff-tree` of which `read_sections` reads the output."""

_INDEX: Final = re.compile(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)")
_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_STREAM_HEAD: Final = b"committer gitgoodbench <feedback@gitgoodbench.invalid> 0 +0000\ndata 0\n"


@dataclass(frozen=True)
class LineChange:
    """The runs of lines of the text before that are gone, and those of the text after that are new."""

    removed: tuple[Lines, ...] = ()
    added: tuple[Lines, ...] = ()


@dataclass(frozen=True)
class Section:
    """What a diff says of one file.

    header: its first line. old, new: ids of the blobs; empty where only the name or the mode changes. lines: which
    lines change; None for a file that Git takes for binary.
    """

    header: bytes
    old: str
    new: str
    lines: LineChange | None


def read_sections(patch: bytes) -> Iterator[Section]:
    """Read what `git diff-tree` prints with the options `DIFF`.

    Raises:
        GitGoodBenchError: it is no such output.
    """
    rows = iter(patch.split(b"\n"))
    header: bytes | None = None
    ids = ("", "")
    is_binary = False
    removed: list[Lines] = []
    added: list[Lines] = []
    for row in rows:
        if row.startswith(b"diff --git "):
            if header is not None:
                yield Section(header, *ids, None if is_binary else LineChange(tuple(removed), tuple(added)))
            header, ids, is_binary, removed, added = row, ("", ""), False, [], []
        elif match := _INDEX.match(row):
            ids = (match[1].decode(), match[2].decode())
        elif row.startswith((b"Binary files ", b"GIT binary patch")):
            is_binary = True
        elif hunk := _HUNK.match(row):
            old, old_count, new, new_count = (1 if one is None else int(one) for one in hunk.groups())
            if old_count:
                removed.append((old - 1, old - 1 + old_count))
            if new_count:
                added.append((new - 1, new - 1 + new_count))
            _skip(rows, old_count + new_count)
    if header is not None:
        yield Section(header, *ids, None if is_binary else LineChange(tuple(removed), tuple(added)))


def line_starts(content: bytes) -> list[int]:
    """The first byte of each line, and the end of the content."""
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [*accumulate((len(line) + 1 for line in lines[:-1]), initial=0), len(content)] if lines else [0]


def count_lines(content: bytes) -> int:
    """The number of lines; the last one need not end."""
    return content.count(b"\n") + (bool(content) and not content.endswith(b"\n"))


def spans_of(content: bytes, runs: Sequence[Lines]) -> tuple[Span, ...]:
    """The bytes of runs of lines."""
    starts = line_starts(content)
    return tuple((starts[first], starts[last]) for first, last in runs)


def changed_lines(pairs: Sequence[tuple[bytes | None, bytes]]) -> list[LineChange]:
    """Which lines change in pairs of a text before (None: there was none) and after.

    What Git takes for binary has no lines.

    Raises:
        GitGoodBenchError: Git cannot be run.
    """
    found: dict[int, LineChange] = {}
    asked: dict[int, tuple[bytes, bytes]] = {}
    for at, (before, after) in enumerate(pairs):
        if before == after or is_binary(after) or is_binary(before or b""):
            found[at] = LineChange()
        elif not before or not after:
            found[at] = LineChange(_all_lines(before or b""), _all_lines(after))
        else:
            asked[at] = (before, after)
    if asked:
        with temporary_folder("lines") as folder:
            found.update(_by_git(folder, asked))
    return [found.get(at, LineChange()) for at in range(len(pairs))]


def is_binary(content: bytes) -> bool:
    """Whether Git takes it for binary."""
    return b"\0" in content[:8000]


def _all_lines(content: bytes) -> tuple[Lines, ...]:
    return ((0, count_lines(content)),) if content else ()


def _by_git(folder: Path, asked: dict[int, tuple[bytes, bytes]]) -> Iterator[tuple[int, LineChange]]:
    """Two commits of all texts, before and after, compared at once."""
    for needed in ("objects", "refs"):
        (folder / needed).mkdir()
    (folder / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    git = Git(folder)
    stream: list[bytes] = []
    for side, name in enumerate((b"before", b"after")):
        stream.append(b"commit refs/heads/%s\n%s" % (name, _STREAM_HEAD))
        for at, pair in asked.items():
            stream.append(b"M 100644 inline %d\ndata %d\n%s\n" % (at, len(pair[side]), pair[side]))
        stream.append(b"\n")
    git.run("-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", stdin=b"".join(stream))
    patch = git.run("diff-tree", *DIFF, "--no-renames", "refs/heads/before", "refs/heads/after")
    for section in read_sections(patch):
        yield int(section.header.rpartition(b" b/")[2]), section.lines or LineChange()


def _skip(rows: Iterator[bytes], count: int) -> None:
    """Pass over so many changed lines. A note that a file lacks its last LF may stand among them."""
    while count:
        row = next(rows, None)
        if row is None or row[:1] not in (b"+", b"-", b"\\"):
            raise GitGoodBenchError("a diff ends within a hunk")
        count -= row[:1] != b"\\"
