"""Lines that are wider than a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

_LEAST_ROOM = 20


def wrap(line: str, width: int | None, indent: int = 0) -> Iterator[str]:
    """A line, indented, and what has no room beside it below, indented as much; broken at a blank if one is near.

    width: in cells, of which some characters take two; None: any line has room.
    """
    margin = " " * indent
    room = None if width is None else max(_LEAST_ROOM, width - indent)
    while room is not None and cell_len(line) > room:
        head = chop_cells(line[:room], room)[0]
        blank = head.rfind(" ") + 1
        if blank > room // 2 and not head[:blank].isspace():
            head = head[:blank]
        yield f"{margin}{head}".rstrip()
        line = line[len(head) :]
    yield f"{margin}{line}".rstrip()


def wrap_indented(line: str, width: int | None) -> Iterator[str]:
    """The same for a line that is indented already."""
    text = line.lstrip(" ")
    return wrap(text, width, len(line) - len(text))
