"""An edit and what was committed of it, side by side: what is kept, relabelled, deleted and inserted.

Marks are those of a cheapest tree edit mapping of the two pieces, each read by itself. Where there is no grammar, or
the pieces are large, lines are marked instead. Secrets are masked first.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gitgoodbench.feedback.records import MatchedPiece
from gitgoodbench.feedback.secrets import mask
from gitgoodbench.ted import ParseError, Tree, TreeTooLarge, UnknownLanguage, edit_mapping, parse_fragment
from gitgoodbench.ted.mapping import KINDS, EditKind
from gitgoodbench.ted.painting import Stretch, painted, stretches
from gitgoodbench.text import on_one_line

Measure = Literal["tree", "lines"]

MOST_LINES: Final = 80
"""Lines of a piece that are shown."""
_MOST_COLUMNS: Final = 400
"""Bytes of a line that are shown."""
_MOST_MASKED: Final = 256 * 1024
"""Bytes of a piece that are looked at."""
_CUT: Final = " […]"


@dataclass(frozen=True)
class Run:
    """Text of one mark; it may hold line ends, and nothing else that does not print."""

    text: str
    mark: EditKind


@dataclass(frozen=True)
class Sides:
    """One piece: what the assistant wrote, and what was committed.

    counts: nodes (lines) by mark. measure: what was marked. cut: more was written or committed than is shown.
    """

    path: str | None
    line: int | None
    wrote: tuple[Run, ...]
    committed: tuple[Run, ...]
    counts: dict[EditKind, int]
    measure: Measure
    cut: bool


def sides_of(piece: MatchedPiece, language: str | None) -> Sides:
    """EditKind a piece."""
    wrote, cut_wrote = _clipped(piece.snippet)
    committed, cut_committed = _clipped(piece.matched)
    cut = cut_wrote or cut_committed
    if piece.distance == 0:  # read in their files they are the same, whatever they are by themselves
        counts: dict[EditKind, int] = {"kept": piece.size, "relabelled": 0, "deleted": 0, "inserted": 0}
        measure: Measure = "tree" if piece.measure == "tree" else "lines"
        return Sides(piece.path, piece.line, _kept(wrote), _kept(committed), counts, measure, cut)
    trees = None if cut or piece.measure != "tree" or not committed else _trees(wrote, committed, language)
    marked = None if trees is None else _by_nodes(*trees)
    if marked is None:
        return Sides(piece.path, piece.line, *_by_lines(wrote, committed), "lines", cut)
    return Sides(piece.path, piece.line, *marked, "tree", cut)


def _clipped(content: bytes) -> tuple[bytes, bool]:
    """What is shown of a text, without secrets, and whether that is not all of it."""
    cut = len(content) > _MOST_MASKED
    if cut:  # no half of a secret at the end
        content = content[:_MOST_MASKED].rpartition(b"\n")[0] or content[:_MOST_MASKED]
    lines = mask(content)[0].split(b"\n")
    kept = [line if len(line) <= _MOST_COLUMNS else line[:_MOST_COLUMNS] + _CUT.encode() for line in lines[:MOST_LINES]]
    return b"\n".join(kept), cut or kept != lines


def _kept(content: bytes) -> tuple[Run, ...]:
    return (Run(_printable(content), "kept"),) if content else ()


def _trees(wrote: bytes, committed: bytes, language: str | None) -> tuple[Tree, Tree] | None:
    if language is None:
        return None
    try:
        return parse_fragment(wrote, language, isolated=True), parse_fragment(committed, language, isolated=True)
    except (UnknownLanguage, ParseError):
        return None


def _by_nodes(wrote: Tree, committed: Tree) -> tuple[tuple[Run, ...], tuple[Run, ...], dict[EditKind, int]] | None:
    try:
        before, after = edit_mapping(wrote, committed).marks()
    except TreeTooLarge:
        return None
    return (
        _runs(wrote.source, painted(wrote, before)),
        _runs(committed.source, painted(committed, after)),
        _counts(before, after),
    )


def _by_lines(wrote: bytes, committed: bytes) -> tuple[tuple[Run, ...], tuple[Run, ...], dict[EditKind, int]]:
    ours, theirs = _lines(wrote), _lines(committed)
    before: list[EditKind] = ["deleted"] * len(ours)
    after: list[EditKind] = ["inserted"] * len(theirs)
    first, second = ([line.strip() for line in lines] for lines in (ours, theirs))
    for block in difflib.SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks():
        before[block.a : block.a + block.size] = ["kept"] * block.size
        after[block.b : block.b + block.size] = ["kept"] * block.size
    return _of_lines(ours, before), _of_lines(theirs, after), _counts(before, after)


def _lines(text: bytes) -> list[bytes]:
    """Lines with their ends."""
    return [line + b"\n" for line in text.removesuffix(b"\n").split(b"\n")] if text else []


def _of_lines(lines: Sequence[bytes], marks: Sequence[EditKind]) -> tuple[Run, ...]:
    codes = [KINDS.index(mark) for line, mark in zip(lines, marks, strict=True) for _ in line]
    return _runs(b"".join(lines), stretches(codes))


def _runs(content: bytes, marked: Sequence[Stretch]) -> tuple[Run, ...]:
    """Stretches as printable text."""
    return tuple(Run(_printable(content[one.start : one.end]), one.mark) for one in marked)


def _printable(content: bytes) -> str:
    lines = content.decode("utf-8", "backslashreplace").replace("\r\n", "\n").split("\n")
    return "\n".join(on_one_line(line) for line in lines)


def _counts(before: Sequence[EditKind], after: Sequence[EditKind]) -> dict[EditKind, int]:
    return {mark: (after if mark == "inserted" else before).count(mark) for mark in KINDS}
