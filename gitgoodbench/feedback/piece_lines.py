"""Where in a commit's file the source is that a snippet became."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gitgoodbench.feedback.records import EditResult, MatchedPiece
from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.line_matches import matching_lines
from gitgoodbench.git.paths import parse_path

LEAST_KEPT: Final = 0.5
"""Of a snippet less of which was kept, it cannot be said that any lines are its own: something is always closest."""


class CommitFiles:
    """The files of a commit, each read once."""

    def __init__(self, reader: ObjectReader, commit: str) -> None:
        self._reader = reader
        self._commit = commit
        self._lines: dict[bytes, list[bytes]] = {}

    def lines(self, path: bytes) -> list[bytes]:
        """A file's lines; none of what is no file, or is missing."""
        if path not in self._lines:
            try:
                entry = self._reader.entry(self._commit, path)
            except MissingObjectError:
                entry = None
            found = self._reader.blob(entry.oid) if entry is not None and entry.is_file else None
            self._lines[path] = split_lines(found or b"")
        return self._lines[path]

    def own_lines(self, edit: EditResult) -> Iterator[tuple[MatchedPiece, bytes, list[int]]]:
        """The pieces of an edit whose lines in the commit can be called its own, with path and lines."""
        for piece in own_pieces(edit):
            try:
                path = parse_path(piece.path or "")
            except ValueError:
                continue
            yield piece, path, piece_lines(piece, self.lines(path))


def own_pieces(edit: EditResult) -> list[MatchedPiece]:
    """The pieces of an edit whose lines in the commit can be called its own."""
    return [piece for piece in edit.pieces if _is_own(piece)] if edit.state == "scored" else []


def piece_lines(piece: MatchedPiece, file: Sequence[bytes]) -> list[int]:
    """The numbers, from 1, of the lines of its file that a piece's match has.

    A match is a run of lines around `piece.line`, or several runs put together, where a snippet has several items. Its
    first and last line may lack what stands before or after an item.
    """
    matched = split_lines(piece.matched)
    if piece.line is None or not matched:
        return []
    last = min(piece.line, len(file) - len(matched) + 1)
    for start in range(last, max(0, piece.line - len(matched)), -1):
        if _stands(matched, file[start - 1 : start - 1 + len(matched)]):
            return list(range(start, start + len(matched)))
    places = matching_lines([line.strip() for line in matched], [line.strip() for line in file])
    return sorted(place + 1 for number, place in places.items() if matched[number].strip())


def _is_own(piece: MatchedPiece) -> bool:
    if piece.path is None or piece.line is None or not piece.size:
        return False
    return 1 - piece.distance / piece.size >= LEAST_KEPT


def _stands(matched: Sequence[bytes], lines: Sequence[bytes]) -> bool:
    """Whether these are the lines: the same, but for the ends of the first and the last."""
    if len(lines) != len(matched):
        return False
    inner = all(one == other for one, other in zip(matched[1:-1], lines[1:-1], strict=True))
    first, last = matched[0].rstrip(b"\n"), matched[-1].rstrip(b"\n")
    return inner and first in lines[0] and lines[-1].lstrip().startswith(last.lstrip())
