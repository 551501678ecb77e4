"""The plain measure for what no grammar reads: edit distance of lines, blanks around them and empty ones left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

MAX_CELLS: Final = 100_000_000
"""Lines of the needle times lines of the haystack, up to which they are compared."""


@dataclass(frozen=True)
class LineMatch:
    """The run of lines that is closest to a needle; start, end: bytes in the haystack's source."""

    distance: int
    start: int
    end: int


def count_lines(source: bytes) -> int:
    """The lines that count."""
    return len(_lines(source))


def closest_lines(needle: bytes, haystack: bytes, *, max_cells: int = MAX_CELLS) -> LineMatch | None:
    """The run of the haystack's lines with the least edit distance to all lines of the needle (an empty run counts).

    Unit costs, over lines: delete, insert, replace (P. Sellers, The theory and computation of evolutionary distances,
    J. Algorithms 1, 1980). Of several, the one that ends first. None where the two are too large: they have more pairs
    of lines than `max_cells`.
    """
    wanted, there = _lines(needle), _lines(haystack)
    if (equal := _equal_run(wanted, there)) is not None:
        return LineMatch(0, there[equal][1], there[equal + len(wanted) - 1][2])
    if len(wanted) * len(there) > max_cells:
        return None
    numbers: dict[bytes, int] = {}
    known = np.array([numbers.setdefault(line, len(numbers)) for line, _, _ in there], np.int64)
    columns = np.arange(len(there) + 1)
    costs, begins = np.zeros(len(there) + 1, np.int64), columns.copy()
    for line, _, _ in wanted:
        diagonal = costs[:-1] + (known != numbers.get(line, -1))
        above = costs[1:] + 1
        best = np.append(costs[0] + 1, np.minimum(diagonal, above))
        from_ = np.append(begins[0], np.where(diagonal <= above, begins[:-1], begins[1:]))
        level = best - columns
        lowest = np.minimum.accumulate(level)
        source = np.maximum.accumulate(np.where(level == lowest, columns, 0))
        costs, begins = lowest + columns, from_[source]
    last = int(np.argmin(costs))
    first = int(begins[last])
    if first == last:
        return LineMatch(int(costs[last]), 0, 0)
    return LineMatch(int(costs[last]), there[first][1], there[last - 1][2])


def _equal_run(wanted: list[tuple[bytes, int, int]], there: list[tuple[bytes, int, int]]) -> int | None:
    """The line with which the first run of equal lines begins."""
    needle, haystack = (b"".join(b"%s\n" % line for line, _, _ in lines) for lines in (wanted, there))
    at = (b"\n" + haystack).find(b"\n" + needle) if wanted else -1
    return None if at < 0 else haystack.count(b"\n", 0, at)


def _lines(source: bytes) -> list[tuple[bytes, int, int]]:
    """Each line that is not empty without the blanks around it, with its first byte and the one after its last."""
    found = []
    start = 0
    for line in source.split(b"\n"):
        if bare := line.strip():
            found.append((bare, start, min(start + len(line) + 1, len(source))))
        start += len(line) + 1
    return found
