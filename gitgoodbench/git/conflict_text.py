"""Conflict regions in the text of an automatically merged file.

The text is cut into segments: what merged cleanly, and `Region`s with the lines of both sides. Cutting relies on a
conflict-marker size that no line of the merged files starts with (see `marker_size`), so content that looks like a
marker is never taken for one. A line ends with LF; a CR before it belongs to the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from gitgoodbench.git.line_matches import matching_lines

DEFAULT_MARKER_SIZE: Final = 7
_MARKER_RUN: Final = re.compile(rb"^(?:<{7,}|={7,}|>{7,}|\|{7,})", re.MULTILINE)


@dataclass(frozen=True)
class Region:
    """A conflict: the lines of either side as they are there, and the marker lines as Git wrote them.

    A side whose file ends inside the region without a newline has none here either.
    """

    local: bytes
    incoming: bytes
    opening: bytes
    separator: bytes
    closing: bytes

    @property
    def text(self) -> bytes:
        """The region as Git writes it, markers included: a side that lacks its last newline is given one."""
        local, incoming = (side and _with_newline(side) for side in (self.local, self.incoming))
        return self.opening + local + self.separator + incoming + self.closing


Segment = bytes | Region


def marker_size(contents: Iterable[bytes]) -> int:
    """The smallest marker size, at least Git's default, that no line of the contents can be mistaken for."""
    longest = max((len(run) for content in contents for run in _MARKER_RUN.findall(content)), default=0)
    return max(DEFAULT_MARKER_SIZE, longest + 1)


def split_conflicts(
    content: bytes, size: int, local_file: bytes = b"\n", incoming_file: bytes = b"\n"
) -> list[Segment]:
    """Cut an automatically merged file at its conflict regions.

    Always starts and ends with clean text (perhaps empty), with exactly one piece of clean text between two regions.
    `local_file` and `incoming_file` are the files that were merged: only they tell whether a side lacks its final
    newline.

    Raises:
        ValueError: the markers do not form regions.
    """
    opening, separator, closing = (
        re.compile(rb"^" + re.escape(mark) * size + rb"(?:[ \r\n]|$)") for mark in (b"<", b"=", b">")
    )
    segments: list[Segment] = []
    clean: list[bytes] = []
    local: list[bytes] = []
    incoming: list[bytes] = []
    head = middle = b""
    part = clean
    for line in split_lines(content):
        if part is clean and opening.match(line):
            segments.append(b"".join(clean))
            head, local, incoming = line, [], []
            part = local
        elif part is local and separator.match(line):
            middle, part = line, incoming
        elif part is incoming and closing.match(line):
            segments.append(Region(b"".join(local), b"".join(incoming), head, middle, line))
            clean = []
            part = clean
        else:
            part.append(line)
    if part is not clean:
        raise ValueError("a conflict region is not closed")
    segments.append(b"".join(clean))
    if len(segments) > 1 and not segments[-1]:
        last = segments[-2]
        assert isinstance(last, Region)
        segments[-2] = replace(
            last, local=_as_in_file(last.local, local_file), incoming=_as_in_file(last.incoming, incoming_file)
        )
    return segments


def regions(segments: Sequence[Segment]) -> list[Region]:
    return [segment for segment in segments if isinstance(segment, Region)]


def split_lines(content: bytes) -> list[bytes]:
    """Lines with their LF; never at any other character."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def place(content: bytes, region: Region, *, at_end: bool) -> bytes:
    """The bytes that stand for an agent's `content` in place of a region.

    A model writes LF and seldom ends its text with one. Content with a CR is taken as it is. Else each line gets the
    ending that the same line has in the sides, or the ending that all lines of the sides share. A last line without
    an ending gets one, except at the end of the file (`at_end`) when a side has none there either. So "as in the
    side, or as the agent wrote it".
    """
    if not content:
        return b""
    sides = split_lines(region.local) + split_lines(region.incoming)
    endings = _endings(sides)
    shared = next(iter(endings)) if len(endings) == 1 else b"\n"
    lines = split_lines(content)
    if not lines[-1].endswith(b"\n") and not (at_end and _lacks_final_newline(region)):
        lines[-1] += b"\r\n" if b"\r\n" in content else b"\n"
    if b"\r" in content:
        return b"".join(lines)
    known: dict[bytes, set[bytes]] = {}
    for line in sides:
        known.setdefault(line.rstrip(b"\r\n"), set()).update(_endings([line]))
    placed = []
    for line in lines:
        if not line.endswith(b"\n"):
            placed.append(line)
            continue
        own = known.get(line[:-1], set())
        placed.append(line[:-1] + (next(iter(own)) if len(own) == 1 else shared))
    return b"".join(placed)


def expressible(resolution: bytes, region: Region, *, at_end: bool) -> bool:
    """Whether `place` can give exactly these bytes: then `resolution` itself is content that does."""
    return place(resolution, region, at_end=at_end) == resolution


def resolutions(segments: Sequence[Segment], final: bytes) -> list[bytes] | None:
    """What stands in place of each region in `final`, or None where `final` also differs outside the regions.

    Clean segments must occur in `final` in order, whole lines, the first at its start and the last at its end. Where
    that is possible in several ways the leftmost is taken; if any way exists, the leftmost works (as in matching a
    pattern of literals and wildcards).
    """
    spans = _exact_spans(segments, final)
    return None if spans is None else [final[start:stop] for start, stop in spans]


@dataclass(frozen=True)
class Stretch:
    """Where the text that stands for a region is in a file: its first byte, and the one after the last.

    is_exact: whether the clean lines next to the region are still next to it. Else the stretch is the least one between
    clean lines that are still there; neighbouring regions may have the same one.
    """

    start: int
    stop: int
    is_exact: bool


def aligned_resolutions(segments: Sequence[Segment], final: bytes) -> list[bytes]:
    """As `resolutions`, for any `final`: the lines between the nearest surviving clean lines around each region."""
    return [final[stretch.start : stretch.stop] for stretch in locate(segments, final)]


def locate(segments: Sequence[Segment], final: bytes) -> list[Stretch]:
    """Where `aligned_resolutions` stand in `final`. Lines whose ends were changed survive, too."""
    exact = _exact_spans(segments, final)
    if exact is not None:
        return [Stretch(start, stop, is_exact=True) for start, stop in exact]
    clean: list[bytes] = []
    cuts = []
    for segment in segments:
        if isinstance(segment, bytes):
            clean += split_lines(segment)
        else:
            cuts.append(len(clean))
    lines = split_lines(final)
    mapping = {-1: -1, **matching_lines(*map(_without_ends, (clean, lines))), len(clean): len(lines)}
    starts = [0, *accumulate(map(len, lines))]
    found = []
    for cut in cuts:
        before = next(mapping[i] for i in range(cut - 1, -2, -1) if i in mapping)
        after = next(mapping[i] for i in range(cut, len(clean) + 1) if i in mapping)
        is_exact = cuts.count(cut) == 1 and cut - 1 in mapping and cut in mapping
        found.append(Stretch(starts[before + 1], starts[after], is_exact))
    return found


def _exact_spans(segments: Sequence[Segment], final: bytes) -> list[tuple[int, int]] | None:
    clean = [segment for segment in segments if isinstance(segment, bytes)]
    if len(clean) == 1:
        return [] if clean[0] == final else None
    if not final.startswith(clean[0]) or not final.endswith(clean[-1]):
        return None
    position, end = len(clean[0]), len(final) - len(clean[-1])
    if position > end or not _starts_line(final, end if clean[-1] else position):
        return None
    found = []
    for text in clean[1:-1]:
        start = _find_lines(final, text, position, end)
        if start is None:
            return None
        found.append((position, start))
        position = start + len(text)
    return [*found, (position, end)]


def _find_lines(content: bytes, text: bytes, start: int, end: int) -> int | None:
    """Where `text` first occurs as whole lines within content[start:end]; an empty text occurs at once."""
    while True:
        position = content.find(text, start, end)
        if position < 0:
            return None
        if _starts_line(content, position):
            return position
        start = position + 1


def _starts_line(content: bytes, position: int) -> bool:
    return position == 0 or content[position - 1 : position] == b"\n"


def _without_ends(lines: Iterable[bytes]) -> list[bytes]:
    return [line.rstrip(b"\r\n") for line in lines]


def _endings(lines: Iterable[bytes]) -> set[bytes]:
    return {b"\r\n" if line.endswith(b"\r\n") else b"\n" for line in lines if line.endswith(b"\n")}


def _as_in_file(side: bytes, file: bytes) -> bytes:
    """A side at the end of its file, without the newline that Git adds before a marker where the file has none."""
    if not side or file.endswith(b"\n"):
        return side
    return next((bare for end in (b"\r\n", b"\n") if file.endswith(bare := side.removesuffix(end))), side)


def _with_newline(text: bytes) -> bytes:
    return text if text.endswith(b"\n") else text + b"\n"


def _lacks_final_newline(region: Region) -> bool:
    return any(side and not side.endswith(b"\n") for side in (region.local, region.incoming))
