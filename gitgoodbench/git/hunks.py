"""Hunks of a text file, byte for byte: any of them can be applied without the others, in any order.

Git says which lines changed; from then on only lines are counted. A file's change is a script: every line of the old
and the new file once, in one order, each kept, removed or added. A hunk is a set of its changed lines. Applying hunks
takes lines out of the script and puts lines in; nothing is searched for and nothing is patched, so the same text
twice, hunks side by side, or hunk 2 before hunk 1 make no difference. A line ends with LF, and only with LF.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.line_pairs import pair_lines
from gitgoodbench.git.process import Git
from gitgoodbench.git.reads import is_id, kept

CONTEXT: Final = 3
"""Unchanged lines shown around a change; changes with at most twice as many between them are one hunk."""

_HEADER: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)", re.DOTALL)
_OPTIONS: Final = (
    f"--unified={CONTEXT}", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic", "--text",
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip


class DiffError(GitGoodBenchError):
    """A diff that is not well formed, or does not lead from the one file to the other."""


class Mark(Enum):
    """What becomes of a line; the values are how a diff marks it."""

    KEPT = b" "
    REMOVED = b"-"
    ADDED = b"+"


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its LF; only the last line of either file may have none.

    restated: removed and added in a view only because its end changes; it is none of the hunk's lines.
    """

    mark: Mark
    content: bytes
    restated: bool = False


@dataclass(frozen=True)
class Hunk:
    """Changed lines that belong together, as ascending positions in the script of their `TextChange`.

    heading: what Git prints behind the line numbers: usually the line that opens the function around the hunk.
    """

    changed: tuple[int, ...]
    heading: bytes = b""


@dataclass(frozen=True)
class HunkView:
    """A hunk as a diff shows it, against a file to which some other hunks have been applied already.

    Starts and counts are those of the `@@` line: lines from 1, and the line before where the count is 0.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: bytes
    lines: tuple[Line, ...]

    @property
    def header(self) -> bytes:
        """The `@@` line, without LF."""
        old, new = _range(self.old_start, self.old_count), _range(self.new_start, self.new_count)
        return b"@@ -%s +%s @@%s" % (old, new, b" " + self.heading if self.heading else b"")


@dataclass(frozen=True, eq=False)
class TextChange:
    """The change of one file's text: its script, and the hunks that cover it."""

    script: tuple[Line, ...]
    hunks: tuple[Hunk, ...]

    def content(self, applied: Iterable[Hunk]) -> bytes:
        """The file with these hunks applied: none give the old file, all give the new one, exactly.

        Where a line without LF comes to stand above another one it is given an end.
        """
        standing = self._standing(_positions(applied))
        return b"".join(self._placed(position, standing) for position in standing)

    def view(self, hunk: Hunk, applied: Iterable[Hunk]) -> HunkView:
        """What committing the hunk next would change, with up to `CONTEXT` lines around it.

        applied: hunks that the old side has already; what neither it nor `hunk` has is not shown. The new side is
        numbered as in the new file. A kept line that only gets or loses its end by this is shown removed and added.
        """
        done = _positions(applied)
        standing = self._standing(done)
        own = set(hunk.changed)
        left = self._standing(done | own)
        before = [position for position in standing if position < hunk.changed[0]]
        after = [position for position in standing if position > hunk.changed[-1]]
        inside = (p for p in range(hunk.changed[0], hunk.changed[-1] + 1) if p in own or self._stands(p, done))
        first = max(0, len(before) - CONTEXT)
        shown = [*before[first:], *inside, *after[:CONTEXT]]
        marks = {p: self.script[p].mark if p in own else Mark.KEPT for p in shown}
        lines: list[Line] = []
        for p, mark in marks.items():
            content = self._placed(p, standing if mark is Mark.REMOVED else left)
            if mark is Mark.KEPT and content != (so_far := self._placed(p, standing)):
                lines += [Line(Mark.REMOVED, so_far, restated=True), Line(Mark.ADDED, content, restated=True)]
            else:
                lines.append(Line(mark, content))
        old_count = sum(line.mark is not Mark.ADDED for line in lines)
        new_count = sum(line.mark is not Mark.REMOVED for line in lines)
        above = sum(line.mark is not Mark.REMOVED for line in self.script[: shown[0]])
        return HunkView(
            first + (old_count > 0), old_count, above + (new_count > 0), new_count, hunk.heading, tuple(lines)
        )  # fmt: skip

    def split(self, hunk: Hunk, after_lines: Collection[int]) -> list[Hunk]:
        """Cut a hunk after some of its changed lines, which are counted from 1.

        Raises:
            ValueError: there is no such line, or nothing would be left behind it.
        """
        last = len(hunk.changed)
        if wrong := sorted(line for line in after_lines if not 1 <= line < last):
            raise ValueError(f"line {wrong[0]} is not one of the changed lines 1 to {last - 1}")
        cuts = [0, *sorted(set(after_lines)), last]
        return [Hunk(hunk.changed[start:stop], hunk.heading) for start, stop in pairwise(cuts)]

    def old_line(self, position: int) -> int | None:
        """The number, from 0, of a script line in the old file; None for an added one."""
        return self._numbers[position][0]

    def new_line(self, position: int) -> int | None:
        """The number, from 0, of a script line in the new file; None for a removed one."""
        return self._numbers[position][1]

    @cached_property
    def _numbers(self) -> list[tuple[int | None, int | None]]:
        numbers: list[tuple[int | None, int | None]] = []
        old = new = 0
        for line in self.script:
            in_old, in_new = line.mark is not Mark.ADDED, line.mark is not Mark.REMOVED
            numbers.append((old if in_old else None, new if in_new else None))
            old, new = old + in_old, new + in_new
        return numbers

    @cached_property
    def _line_end(self) -> bytes:
        return b"\r\n" if self.script[0].content.endswith(b"\r\n") else b"\n"

    def _placed(self, position: int, standing: Sequence[int]) -> bytes:
        """A line as it is among those that stand: without LF only as the last one."""
        content = self.script[position].content
        if content.endswith(b"\n") or position == standing[-1]:
            return content
        return content + (b"\n" if content.endswith(b"\r") else self._line_end)

    def _standing(self, done: set[int]) -> list[int]:
        return [position for position in range(len(self.script)) if self._stands(position, done)]

    def _stands(self, position: int, done: set[int]) -> bool:
        """Whether the line is in the file when the changed lines `done` have been dealt with."""
        mark = self.script[position].mark
        return mark is Mark.KEPT or (mark is Mark.ADDED) == (position in done)


@dataclass(frozen=True)
class RawHunk:
    """A hunk as a diff has it. Starts are counted from 0, and are where it begins even if a count is 0."""

    old_start: int
    new_start: int
    heading: bytes
    lines: tuple[Line, ...]


def change_between(git: Git, old: tuple[str, bytes], new: tuple[str, bytes], *, paired: bool = False) -> TextChange:
    """The change from one blob to another; both are given by id and content.

    Args:
        git: a repository on this machine that has both.
        paired: let an added line follow the removed line it resembles, rather than all removed lines at once. Then a
            hunk can be split between two lines that were both edited.

    Raises:
        DiffError: what Git says of the two does not lead from the one to the other.
        GitError: Git failed.
    """
    if not old[1] or not new[1]:
        mark, content = (Mark.ADDED, new[1]) if not old[1] else (Mark.REMOVED, old[1])
        whole = [RawHunk(0, 0, b"", tuple(Line(mark, line) for line in split_lines(content)))] if content else []
    else:
        whole = parse_diff(_difference(git, old[0], new[0]))
    return change_from(old[1], new[1], whole, paired=paired)


def _difference(git: Git, old: str, new: str) -> bytes:
    """What `git diff` says of two blobs."""
    reads = kept()
    known = None if reads is None else reads.differences.get((old, new))
    if known is not None:
        return known
    found = git.run("diff", *_OPTIONS, old, new)
    if reads is not None and is_id(old) and is_id(new) and reads.takes(len(found)):
        reads.differences[old, new] = found
    return found


def parse_diff(diff: bytes) -> list[RawHunk]:
    """The hunks of a unified diff of one file. What stands above the first `@@` line is not read.

    Raises:
        DiffError: a line is of no known kind, or the counts do not fit.
    """
    rows = iter(diff.split(b"\n")[:-1])
    hunks: list[RawHunk] = []
    for row in rows:
        header = _HEADER.fullmatch(row)
        if header is not None:
            old_count, new_count = (1 if count is None else int(count) for count in (header[2], header[4]))
            lines = _read_body(rows, old_count, new_count)
            starts = (int(header[1]) - (old_count > 0), int(header[3]) - (new_count > 0))
            hunks.append(RawHunk(*starts, header[5], tuple(lines)))
        elif hunks and row.startswith(b"\\"):
            hunks[-1] = _without_last_newline(hunks[-1])
        elif hunks:
            raise DiffError(f"a diff has {row[:80]!r} behind a hunk")
    return hunks


def change_from(old: bytes, new: bytes, hunks: Sequence[RawHunk], *, paired: bool = False) -> TextChange:
    """The change that the hunks of a diff make of `old`.

    Raises:
        DiffError: they do not fit `old`, or do not make `new` of it.
    """
    script: list[Line] = []
    covered: list[Hunk] = []
    rest = split_lines(old)
    done = 0
    for hunk in hunks:
        script += (Line(Mark.KEPT, line) for line in rest[done : hunk.old_start])
        done = hunk.old_start + sum(line.mark is not Mark.ADDED for line in hunk.lines)
        start = len(script)
        script += _paired(hunk.lines) if paired else hunk.lines
        changed = (at for at in range(start, len(script)) if script[at].mark is not Mark.KEPT)
        covered.append(Hunk(tuple(changed), hunk.heading))
    script += (Line(Mark.KEPT, line) for line in rest[done:])
    change = TextChange(tuple(script), tuple(covered))
    if change.content(()) != old or change.content(covered) != new:
        raise DiffError("a diff does not lead from the one file to the other")
    return change


def _read_body(rows: Iterator[bytes], old_count: int, new_count: int) -> list[Line]:
    """So many lines of the old and the new file. A marker for a missing LF after the very last one is left unread."""
    marks = {mark.value: mark for mark in Mark}
    lines: list[Line] = []
    while old_count > 0 or new_count > 0:
        row = next(rows, None)
        if row is None:
            raise DiffError("a diff ends within a hunk")
        if row.startswith(b"\\") and lines:
            lines[-1] = Line(lines[-1].mark, lines[-1].content.removesuffix(b"\n"))
            continue
        mark = marks.get(row[:1] or b" ")  # diff.suppressBlankEmpty: an empty row is an empty line of context
        if mark is None:
            raise DiffError(f"a diff has {row[:80]!r} within a hunk")
        lines.append(Line(mark, row[1:] + b"\n"))
        old_count -= mark is not Mark.ADDED
        new_count -= mark is not Mark.REMOVED
    if old_count or new_count:
        raise DiffError("the counts of a hunk do not fit its lines")
    return lines


def _without_last_newline(hunk: RawHunk) -> RawHunk:
    *others, last = hunk.lines
    bare = Line(last.mark, last.content.removesuffix(b"\n"))
    return RawHunk(hunk.old_start, hunk.new_start, hunk.heading, (*others, bare))


def _paired(lines: Sequence[Line]) -> list[Line]:
    """The same change, with each run of changed lines in the order that `pair_lines` gives it."""
    ordered: list[Line] = []
    removed: list[Line] = []
    added: list[Line] = []
    for line in (*lines, None):
        if line is not None and line.mark is not Mark.KEPT:
            (removed if line.mark is Mark.REMOVED else added).append(line)
            continue
        order = pair_lines([one.content for one in removed], [one.content for one in added])
        ordered += (removed[index] if is_removed else added[index] for is_removed, index in order)
        removed, added = [], []
        if line is not None:
            ordered.append(line)
    return ordered


def _positions(hunks: Iterable[Hunk]) -> set[int]:
    return {position for hunk in hunks for position in hunk.changed}


def _range(start: int, count: int) -> bytes:
    return b"%d" % start if count == 1 else b"%d,%d" % (start, count)
