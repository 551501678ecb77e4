"""Where a piece of a file stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gitgoodbench.feedback.records import Part
from gitgoodbench.git.line_matches import matching_lines

_REPEATED: Final = 0.5


def apply_parts(content: bytes, parts: Sequence[Part]) -> bytes | None:
    """A file's content with pieces of it replaced, one after the other; None where one of them is not there.

    Of several places the one nearest to the part's line is taken, the first where the line is not known. A log may
    write LF for the CRLF of a file.
    """
    for part in parts:
        before, after = part.before or b"", part.after
        if before and before not in content and b"\r\n" in content:
            before, after = _crlf(before), _crlf(after)
        place = _place(content, before, part.line)
        if place is None:
            return None
        content = content[:place] + after + content[place + len(before) :]
    return content


def _place(content: bytes, piece: bytes, line: int | None) -> int | None:
    wanted = None if line is None else start_of_line(content, line)
    if not piece:
        return wanted if content else 0
    places: list[int] = []
    at = content.find(piece)
    while at >= 0:
        places.append(at)
        at = content.find(piece, at + 1) if wanted is not None else -1
    return min(places, key=lambda place: abs(place - (wanted or 0)), default=None)


def start_of_line(content: bytes, line: int) -> int:
    """The first byte of a line, counted from 1; the end of the content where there are not so many."""
    at = 0
    for _ in range(line - 1):
        end = content.find(b"\n", at)
        if end < 0:
            return len(content)
        at = end + 1
    return at


def line_of(content: bytes, place: int) -> int:
    """The line, from 1, that a byte is in."""
    return content.count(b"\n", 0, place) + 1


def repeats(piece: bytes, content: bytes) -> bool:
    """Whether a piece is mostly lines that a file has already, in the same order."""
    lines, there = ([line.strip() for line in text.split(b"\n")] for text in (piece, content))
    filled = sum(1 for line in lines if line)
    found = sum(1 for line in matching_lines(lines, there) if lines[line])
    return bool(filled) and found >= _REPEATED * filled


def _crlf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
