"""Conflicts that were left open in a file, markers and all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from gitgoodbench.git.conflict_text import Region, split_lines

_TEXT: Final = re.compile(rb"[^\r\n]")


def without_unresolved(content: bytes, regions: Sequence[Region], truth: bytes) -> tuple[bytes, list[int]]:
    """The content with blanks in place of conflicts that are still open, and where each begins.

    Every other byte stays in its place. Open is what stands from an opening marker to the next closing one; a marker
    without the other is by itself. A marker is a line as Git writes it, of the size that those of the file's conflicts
    have. Real merges have been committed with markers: a line that the truth has as well is none.
    """
    if not regions:
        return content, []
    kept = {line.rstrip(b"\r\n") for line in split_lines(truth)}
    size = len(regions[0].opening) - len(regions[0].opening.lstrip(b"<"))
    opening, closing, marker = (
        re.compile(rb"[%s]{%d}(?: .*)?" % (marks, size)) for marks in (b"<", b">", b"<>=|")
    )  # fmt: skip
    lines = split_lines(content)
    bare = [line.rstrip(b"\r\n") for line in lines]
    marks = [at for at, line in enumerate(bare) if line not in kept and marker.fullmatch(line)]
    blank = {at: at for at in marks}  # line -> the first one of the same open conflict
    start = None
    for at in marks:
        if opening.fullmatch(bare[at]):
            start = at
        elif closing.fullmatch(bare[at]) and start is not None:
            blank |= dict.fromkeys(range(start, at + 1), start)
            start = None
    starts = [0, *accumulate(map(len, lines))]
    blanked = b"".join(_TEXT.sub(b" ", line) if at in blank else line for at, line in enumerate(lines))
    return blanked, [starts[first] for first in sorted(set(blank.values()))]
