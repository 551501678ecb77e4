"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_BAR: Final = re.compile(r"(?<!\\)\|")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; all columns but the first are numbers where the first row has numbers."""
    lines = [[_cell(value) for value in row] for row in rows]
    right = [bool(lines) and line.replace(".", "").replace("%", "").strip().isdigit() for line in (lines or [[""]])[0]]
    marks = ["---:" if number else "---" for number in right] if lines else ["---"] * len(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in [list(header), marks, *lines])


def _cell(value: object) -> str:
    return _BAR.sub(r"\\|", str(value)).replace("\n", " ")
