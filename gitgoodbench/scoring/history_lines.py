"""What the commits of a chain change, line by line, and how two histories group the same lines.

The histories may be hostile, so what is read of them is bounded: beyond the limits nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.hunks import Line, Mark, RawHunk, TextChange, change_between, change_from
from gitgoodbench.git.line_origins import LineOrigins, trace_lines
from gitgoodbench.git.objects import (
    SUBMODULE,
    Entry,
    Tree,
    blob_sizes,
    changed_paths,
    read_blobs,
    read_hostile_tree,
    read_tree,
)
from gitgoodbench.git.process import Git

MAX_FILES: Final = 500
"""Changed files, added up over the commits of one history, up to which lines are compared."""

MAX_BLOB_BYTES: Final = 4 * 1024 * 1024
"""Larger files count as one thing that changes as a whole."""

MAX_BYTES: Final = 64 * 1024 * 1024
"""Contents of one history, each counted once, up to which lines are compared."""

MAX_LINES: Final = 500_000
"""Lines of these contents up to which they are compared."""

RawChange = tuple[bytes, Entry | None, Entry | None]
"""A path and its entries before and after."""


class TooLarge(GitGoodBenchError):
    """A history changes more than is compared."""


@dataclass(frozen=True, eq=False)
class ChangedFile:
    """A file that a commit changes; None where there is none before or after. Renames are deletions and additions.

    text: the change line by line; None for submodules and for files too large or missing. old, new: the contents; empty
    where there are none.
    """

    path: bytes
    before: Entry | None
    after: Entry | None
    text: TextChange | None
    old: bytes
    new: bytes

    @property
    def lines(self) -> Counter[tuple[Mark, bytes]]:
        """The removed and added lines, each as often as it occurs."""
        script = () if self.text is None else self.text.script
        return Counter((line.mark, line.content) for line in script if line.mark is not Mark.KEPT)


@dataclass(frozen=True)
class LineHistory:
    """The changes of each commit, oldest first."""

    commits: tuple[tuple[ChangedFile, ...], ...]


class LineReader:
    """Reads histories that share much: each change of a file is computed once."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._texts: dict[tuple[str, str], TextChange] = {}

    def read(self, base: str | None, commits: Sequence[str]) -> LineHistory:
        """What each commit changes against the one before it, the first one against `base` (None: against nothing).

        Raises:
            TooLarge: more files, or larger ones, are changed than is compared.
            GitError: a tree is missing, or lists without end.
        """
        changed: list[list[RawChange]] = []
        before: Tree = {} if base is None else read_tree(self._git, base)
        for commit in commits:
            after = read_hostile_tree(self._git, commit)
            changed.append([(path, *pair) for path, pair in sorted(changed_paths(before, after).items())])
            before = after
            _check_count(changed)
        return self.compare(changed)

    def compare(self, changed: Sequence[Sequence[RawChange]]) -> LineHistory:
        """The same of changes that are known: for each commit, the paths whose entries differ.

        Raises:
            TooLarge: more files, or larger ones, are changed than is compared.
        """
        _check_count(changed)
        blobs = _read_small(self._git, [entry for files in changed for _, *pair in files for entry in pair])
        return LineHistory(tuple(tuple(self._file(blobs, file) for file in files) for files in changed))

    def _file(self, blobs: Mapping[str, bytes | None], change: RawChange) -> ChangedFile:
        path, before, after = change
        old, new = (b"" if entry is None else blobs.get(entry.oid) for entry in (before, after))
        if old is None or new is None:
            return ChangedFile(path, before, after, None, old or b"", new or b"")
        if before is not None and after is not None and before.mode[:3] != after.mode[:3]:
            return ChangedFile(path, before, after, _replacement(old, new), old, new)
        key = ("" if before is None else before.oid, "" if after is None else after.oid)
        if key not in self._texts:
            self._texts[key] = change_between(self._git, (key[0], old), (key[1], new))
        return ChangedFile(path, before, after, self._texts[key], old, new)


def changed_lines(files: Iterable[ChangedFile]) -> Counter[object]:
    """A commit as a set of changed lines (each as often as it occurs), modes, and files that have no lines."""
    found: Counter[object] = Counter()
    for file in files:
        modes = [None if entry is None else entry.mode for entry in (file.before, file.after)]
        if modes[0] != modes[1]:
            found[file.path, modes[0], modes[1]] += 1
        if file.text is None:
            found[file.path, file.before, file.after] += 1
        for line, count in file.lines.items():
            found[file.path, line] += count
    return found


def commits_reproduced(agent: LineHistory, truth: LineHistory) -> float:
    """Share of the real commits that the agent's history has, each as exactly the same set of changed lines."""
    return len(reproduced(agent, truth)) / len(truth.commits)


def reproduced(agent: LineHistory, truth: LineHistory) -> dict[int, int]:
    """For each real commit that the agent's history has so, by position, the agent's commit."""
    left = dict(enumerate(changed_lines(files) for files in agent.commits))
    found: dict[int, int] = {}
    for position, files in enumerate(truth.commits):
        wanted = changed_lines(files)
        same = next((other for other, lines in left.items() if lines == wanted), None)
        if same is not None:
            del left[same]
            found[position] = same
    return found


def line_grouping(agent: LineHistory, truth: LineHistory) -> float | None:
    """The adjusted Rand index of the two groupings of lines into commits; None where no line can be compared.

    The lines are those of the first version that both histories remove, and those of the last version that both add; a
    line's group is the commit that removed or added it. Lines that come and go, or go and come back, in one of the
    histories are not counted. Both must begin and end alike.
    """
    return adjusted_rand_index(line_groups(agent, truth))


def line_groups(agent: LineHistory, truth: LineHistory) -> list[tuple[int, int]]:
    """For each line that `line_grouping` compares, the agent's and the real commit that removed or added it."""
    pairs: list[tuple[int | None, int | None]] = []
    paths = {file.path for history in (agent, truth) for files in history.commits for file in files}
    for path in sorted(paths):
        first, second = _origins(agent, path), _origins(truth, path)
        if first is None or second is None or not _comparable(first, second):
            continue
        pairs += zip(first.removed_by, second.removed_by, strict=True)
        pairs += zip(first.added_by, second.added_by, strict=True)
    return [(first, second) for first, second in pairs if first is not None and second is not None]


def adjusted_rand_index(pairs: Sequence[tuple[object, object]]) -> float | None:
    """How alike two groupings of the same items are: 1 alike, 0 as by chance, below 0 less so; None without items.

    Args:
        pairs: of each item, its group in either grouping.

    Source: L. Hubert and P. Arabie, Comparing partitions, Journal of Classification 2 (1985), formula 5.
    """
    if not pairs:
        return None
    together = sum(comb(count, 2) for count in Counter(pairs).values())
    first, second = (sum(comb(count, 2) for count in Counter(pair[i] for pair in pairs).values()) for i in (0, 1))
    everything = comb(len(pairs), 2)
    if first == second == everything or first == second == 0:  # one group each, or every item alone in both
        return 1.0
    expected = first * second / everything
    return (together - expected) / ((first + second) / 2 - expected)


def _replacement(old: bytes, new: bytes) -> TextChange:
    """All lines removed and all lines added, as Git shows a file that becomes a symbolic link."""
    sides = ((Mark.REMOVED, old), (Mark.ADDED, new))
    lines = tuple(Line(mark, line) for mark, content in sides for line in split_lines(content))
    return change_from(old, new, [RawHunk(0, 0, b"", lines)] if lines else [])


def _check_count(changed: Sequence[Sequence[RawChange]]) -> None:
    if sum(map(len, changed)) > MAX_FILES:
        raise TooLarge(f"more than {MAX_FILES} files are changed")


def _read_small(git: Git, entries: Iterable[Entry | None]) -> dict[str, bytes | None]:
    oids = list(dict.fromkeys(entry.oid for entry in entries if entry is not None and entry.mode != SUBMODULE))
    sizes = blob_sizes(git, oids) if oids else {}
    small = {oid: size for oid, size in sizes.items() if size is not None and size <= MAX_BLOB_BYTES}
    if sum(small.values()) > MAX_BYTES:
        raise TooLarge(f"the changed files hold more than {MAX_BYTES:,} bytes")
    blobs = read_blobs(git, small)
    if sum(content.count(b"\n") for content in blobs.values() if content) > MAX_LINES:
        raise TooLarge(f"the changed files hold more than {MAX_LINES:,} lines")
    return blobs


def _origins(history: LineHistory, path: bytes) -> LineOrigins | None:
    """Which commit added and removed the file's lines; None where a commit changes it otherwise than by lines."""
    steps: list[TextChange | None] = []
    for files in history.commits:
        file = next((file for file in files if file.path == path), None)
        if file is not None and file.text is None:
            return None
        steps.append(None if file is None else file.text)
    first = next((step for step in steps if step is not None), None)
    if first is None:
        return None
    return trace_lines(sum(line.mark is not Mark.ADDED for line in first.script), steps)


def _comparable(first: LineOrigins, second: LineOrigins) -> bool:
    return len(first.removed_by) == len(second.removed_by) and len(first.added_by) == len(second.added_by)
