"""The edits as one HTML file: both sources side by side. It loads nothing, runs nothing, and shows all text as text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from jinja2 import Environment, StrictUndefined

from gitgoodbench.errors import UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.reporting.tree_edits.rows import EditRow
from gitgoodbench.reporting.tree_edits.sources import Comparison, Side
from gitgoodbench.reporting.tree_edits.table import change_of
from gitgoodbench.ted.mapping import EditKind
from gitgoodbench.ted.painting import painted
from gitgoodbench.text import clean, on_one_line

_PACKAGE: Final = "gitgoodbench.reporting.tree_edits"


@dataclass(frozen=True)
class Run:
    """Text of one mark on one line."""

    text: str
    mark: EditKind


Line = tuple[int, tuple[Run, ...]]
"""A line's number, from 1, and what is on it."""


def write_page(file: Path, comparison: Comparison, rows: Sequence[EditRow]) -> None:
    """Write the page, whole or not at all. Raises UserError where the file cannot be written."""
    try:
        write_atomically(file, clean(page_of(comparison, rows)).encode())
    except OSError as problem:
        raise UserError(
            f"{file} cannot be written ({problem.strerror}): name a file in a folder that is yours"
        ) from problem


def page_of(comparison: Comparison, rows: Sequence[EditRow]) -> str:
    """The page's text."""
    style = _text("page.css")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"line": on_one_line, "change": change_of}
    return environment.from_string(_text("page.html.j2")).render(
        comparison=comparison,
        sides=(("A", comparison.first), ("B", comparison.second)),
        counts=comparison.mapping.counts,
        lines=side_by_side(comparison),
        rows=rows,
        style=style,
        digest=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )


def side_by_side(comparison: Comparison) -> list[tuple[Line | None, Line | None]]:
    """The lines of both sources, those beside each other that have the first node in common."""
    before, after = comparison.mapping.marks()
    first, second = _lines(comparison.first, before), _lines(comparison.second, after)
    found: list[tuple[Line | None, Line | None]] = []
    done_a = done_b = 0
    for line_a, line_b in (*_common(comparison), (len(first) + 1, len(second) + 1)):
        found += _between(first[done_a : line_a - 1], second[done_b : line_b - 1])
        if line_a <= len(first):
            found.append((first[line_a - 1], second[line_b - 1]))
        done_a, done_b = line_a, line_b
    return found


def _between(first: Sequence[Line], second: Sequence[Line]) -> Iterator[tuple[Line | None, Line | None]]:
    """Lines that have nothing in common, but may be equal at their end: blank ones."""
    shared = 0
    while shared < min(len(first), len(second)) and first[-1 - shared][1] == second[-1 - shared][1]:
        shared += 1
    yield from ((line, None) for line in first[: len(first) - shared])
    yield from ((None, line) for line in second[: len(second) - shared])
    yield from zip(first[len(first) - shared :], second[len(second) - shared :], strict=True)


def _common(comparison: Comparison) -> Iterator[tuple[int, int]]:
    """Lines that stand beside each other, each once, ascending on both sides."""
    first, second = comparison.first, comparison.second
    last_a = last_b = 0
    leaves_a, leaves_b = first.tree.nodes.leftmost, second.tree.nodes.leftmost
    for a, b in comparison.mapping.pairs.tolist():
        if leaves_a[a] != a or leaves_b[b] != b or not first.tree.text(a) or not second.tree.text(b):
            continue
        line_a, line_b = first.line(first.tree.span(a)[0]), second.line(second.tree.span(b)[0])
        if line_a > last_a and line_b > last_b:
            yield line_a, line_b
            last_a, last_b = line_a, line_b


def _lines(side: Side, marks: Sequence[EditKind]) -> list[Line]:
    lines: list[list[Run]] = [[]]
    for start, end, mark in painted(side.tree, marks):
        first, *others = side.tree.source[start:end].replace(b"\r\n", b"\n").split(b"\n")
        for number, part in enumerate((first, *others)):
            if number:
                lines.append([])
            if part:
                lines[-1].append(Run(on_one_line(part.decode("utf-8", "backslashreplace")), mark))
    if not lines[-1]:
        lines.pop()
    return [(number, tuple(runs)) for number, runs in enumerate(lines, 1)]


def _text(name: str) -> str:
    return (files(_PACKAGE) / name).read_text(encoding="utf-8")
