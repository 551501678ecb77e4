"""Which step of a series of versions brought each line of the last one, and which did away with each of the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from gitgoodbench.git.hunks import Mark, TextChange


@dataclass(frozen=True)
class LineOrigins:
    """Steps are counted from 0.

    removed_by: for each line of the first version the step whose change there is the one that lasts, None for a line
    that is kept. If the lines that replaced it are all replaced again, it is the later step: what stands in the end
    in the line's place, or that nothing does, is that step's doing.
    added_by: for each line of the last version the step that added it, None for one that was there before.
    """

    removed_by: tuple[int | None, ...]
    added_by: tuple[int | None, ...]


@dataclass(eq=False)
class _Replacement:
    """Lines of the first version that were replaced together, and how many of the lines put there still stand."""

    replaced: list[int]
    standing: int


@dataclass(frozen=True)
class _Line:
    """A line of some version: its number in the first version, or the step that added it and what it replaced."""

    number: int | None = None
    step: int | None = None
    replacement: _Replacement | None = None


def trace_lines(first_lines: int, steps: Sequence[TextChange | None]) -> LineOrigins:
    """Follow the lines of a first version, so many, through the changes that lead to the last one.

    A step that is None changes nothing.
    """
    removed_by: list[int | None] = [None] * first_lines
    lines = [_Line(number) for number in range(first_lines)]
    for step, change in enumerate(steps):
        if change is None:
            continue
        standing = iter(lines)
        lines = []
        for is_kept, run in groupby(change.script, key=lambda line: line.mark is Mark.KEPT):
            marks = [line.mark for line in run]
            if is_kept:
                lines += (next(standing) for _ in marks)
                continue
            replaced = list(_replaced([next(standing) for mark in marks if mark is Mark.REMOVED]))
            for number in replaced:
                removed_by[number] = step
            added = marks.count(Mark.ADDED)
            lines += [_Line(step=step, replacement=_Replacement(replaced, added))] * added
    return LineOrigins(tuple(removed_by), tuple(line.step for line in lines))


def step_of(change: TextChange, position: int, origins: LineOrigins) -> int | None:
    """The step that made a changed line of the direct change from the first version to the last.

    None where the steps leave the line alone: a line that was moved can be told as removed here and added there, or the
    other way round, and the direct change need not tell it as the steps do.
    """
    old, new = change.old_line(position), change.new_line(position)
    if old is not None and new is not None:
        return None
    return origins.removed_by[old] if old is not None else origins.added_by[new or 0]


def _replaced(removed: Sequence[_Line]) -> Iterator[int]:
    """Lines of the first version whose place is free once these lines are removed."""
    for line in removed:
        if line.number is not None:
            yield line.number
        elif line.replacement is not None:
            line.replacement.standing -= 1
            if line.replacement.standing == 0:
                yield from line.replacement.replaced
