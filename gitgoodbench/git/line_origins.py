"""Which step of a series of versions added each line of the last one, and which removed each line of the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitgoodbench.git.hunks import Mark, TextChange


@dataclass(frozen=True)
class LineOrigins:
    """Steps are counted from 0.

    removed_by: for each line of the first version the step that removed it, None for a line that is kept.
    added_by: for each line of the last version the step that added it, None for one that was there before.
    Lines that one step adds and a later one removes are in neither.
    """

    removed_by: tuple[int | None, ...]
    added_by: tuple[int | None, ...]


@dataclass(frozen=True)
class _Line:
    """A line of some version: its number in the first version, or the step that added it."""

    number: int | None = None
    step: int | None = None


def trace_lines(first_lines: int, steps: Sequence[TextChange | None]) -> LineOrigins:
    """Follow the lines of a first version, so many, through the changes that lead to the last one.

    A step that is None changes nothing.
    """
    removed_by: list[int | None] = [None] * first_lines
    lines = [_Line(number) for number in range(first_lines)]
    for step, change in enumerate(steps):
        if change is None:
            continue
        before = iter(lines)
        lines = []
        for changed in change.script:
            line = _Line(step=step) if changed.mark is Mark.ADDED else next(before)
            if changed.mark is not Mark.REMOVED:
                lines.append(line)
            elif line.number is not None:
                removed_by[line.number] = step
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
