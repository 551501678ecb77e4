"""Resolutions that look like slips: what models often send, and real merges hardly ever hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.conflicts import TextConflict
from gitgoodbench.git.text import to_text
from gitgoodbench.resolving.resolution import Resolution

_FENCE: Final = re.compile(rb"\s*(`{3,8}|~{3,8})[^\n]*\n(?:.*\n)?[ \t]*\1\s*", re.DOTALL)
_WORD: Final = re.compile(rb"\w{2}")
_MOST_LINES: Final = 50


def find_slip(resolution: Resolution, conflict: TextConflict, answer: bytes) -> str | None:
    """What is probably wrong with an answer to a conflict, and how to mend it; None where nothing is.

    Found are marker lines of the conflict, fences around the whole answer, and lines around the conflict that are
    repeated at the answer's ends and that neither side has there.
    """
    region = resolution.model.region(conflict)
    markers = {line.rstrip(b"\r\n") for line in (region.opening, region.closing)}
    lines = split_lines(answer)
    for line in lines:
        if line.rstrip(b"\r\n") in markers:
            shown = to_text(line.strip(), "latin-1")
            return f"content still holds the conflict's marker line {shown!r}; leave the marker lines out"
    if _FENCE.fullmatch(answer) and not any(_FENCE.fullmatch(side) for side in (region.local, region.incoming)):
        return "content stands between fences, which would become lines of the file; leave them out"
    pieces = resolution.pieces(conflict.path)
    index = 2 * conflict.position + 1
    above = split_lines(b"".join(piece.content for piece in pieces[:index]))
    below = split_lines(b"".join(piece.content for piece in pieces[index + 1 :]))
    sides = [split_lines(side) for side in (region.local, region.incoming)]
    for where, repeated in (("before", _repeated_above(above, lines)), ("after", _repeated_below(below, lines))):
        ends = [side[: len(repeated)] if where == "before" else side[len(side) - len(repeated) :] for side in sides]
        if repeated and not any(_same(repeated, end) for end in ends):
            count = f"{len(repeated)} lines that stand" if len(repeated) > 1 else "the line that stands"
            return (
                f"content repeats {count} {where} the conflict, so they would stand there twice; give only what "
                "replaces the conflict itself"
            )
    return None


def _repeated_above(above: Sequence[bytes], lines: Sequence[bytes]) -> list[bytes]:
    """The most lines that both end what is above and begin the answer, if a word is among them."""
    for count in range(min(len(above), len(lines), _MOST_LINES), 0, -1):
        if _same(above[len(above) - count :], lines[:count]):
            return _with_word(lines[:count])
    return []


def _repeated_below(below: Sequence[bytes], lines: Sequence[bytes]) -> list[bytes]:
    for count in range(min(len(below), len(lines), _MOST_LINES), 0, -1):
        if _same(below[:count], lines[len(lines) - count :]):
            return _with_word(lines[len(lines) - count :])
    return []


def _same(some: Sequence[bytes], others: Sequence[bytes]) -> bool:
    return [line.rstrip(b"\r\n") for line in some] == [line.rstrip(b"\r\n") for line in others]


def _with_word(lines: Sequence[bytes]) -> list[bytes]:
    return list(lines) if any(_WORD.search(line) for line in lines) else []
