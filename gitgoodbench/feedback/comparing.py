"""What became of added lines in a commit: reward, share kept, reward after normalising, and the place of each match.

The reward is `ted.reward`'s, item by item: runs of added lines against the runs of lines that the commit adds, both
parsed with the files around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gitgoodbench.feedback.changes import CommitChange
from gitgoodbench.feedback.matched_source import source_of
from gitgoodbench.feedback.normalising import Normaliser, normalised_text
from gitgoodbench.feedback.pieces import Hunk, Run, parse_pieces
from gitgoodbench.feedback.placing import line_of
from gitgoodbench.feedback.records import MatchedPiece
from gitgoodbench.feedback.work import Addition
from gitgoodbench.git.line_matches import matching_lines
from gitgoodbench.git.paths import show_path
from gitgoodbench.ted.limits import TreeTooLarge
from gitgoodbench.ted.matching import aligned
from gitgoodbench.ted.reward import (
    Effort,
    Measure,
    Piece,
    SnippetMatch,
    compare_pieces,
)

_EFFORT: Final = Effort(cells=2_000_000_000_000, lines=1_000_000_000)
"""What one run of lines may take: minutes for tens of thousands of lines with nothing in common, in the background."""


@dataclass(frozen=True)
class Comparison:
    """What became of the lines that an edit adds, or a conversation; see `records.EditResult`.

    reward: None where the lines are too many to be compared.
    """

    reward: float | None
    kept: float | None
    normalised: float | None
    size: int
    measure: Measure
    pieces: tuple[MatchedPiece, ...]


@dataclass(frozen=True)
class _Needle:
    """A run of lines that an edit adds."""

    text: bytes
    piece: Piece


class Comparer:
    """Compares additions with one commit. Each text is parsed once, and all labels are numbered in one way."""

    def __init__(self, change: CommitChange, additions: Iterable[tuple[Addition, str | None]]) -> None:
        """Take all additions that will be asked for, with their languages."""
        self._change = change
        self._asked = list(dict.fromkeys(additions))
        self._normaliser = Normaliser()
        self._alike: dict[int, Piece] = {}

    @property
    def hunks(self) -> list[Hunk]:
        """The runs of lines that the commit adds, blank ones left out."""
        return self._pieces[0]

    def unread(self, path: bytes | None) -> str | None:
        """Why the commit's file of this path is not read; None where it is, or is not of the commit."""
        file = None if path is None else self._change.file(path)
        return None if file is None else file.skipped

    def compare(self, additions: Iterable[tuple[Addition, str | None]], path: bytes | None) -> Comparison | None:
        """What became of additions to one file; None where they add nothing.

        path: the file; of equally close hunks one in it is taken.
        """
        needles = [
            _Needle(one.content[span[0] : span[1]], self._pieces[1][one, language, span])
            for one, language in additions
            for span in one.spans
        ]
        if not needles:
            return None
        hunks = sorted(self.hunks, key=lambda hunk: hunk.path != path)
        reward = compare_pieces([one.piece for one in needles], [one.piece for one in hunks], effort=_EFFORT)
        if reward.value is None or reward.measure is None:
            families = {hunk.piece.family for hunk in hunks}
            comparable = any(one.piece.family is None or one.piece.family in families for one in needles)
            return _too_large(needles) if comparable and hunks else _nothing_alike(needles)
        matches = list(zip(needles, reward.matches, strict=True))
        counted = [(needle, match) for needle, match in matches if match.measure == reward.measure]
        size = sum(match.size for _, match in counted)
        return Comparison(
            reward.value,
            _kept(counted, hunks, size),
            1.0 if reward.value == 1 else self._normalised_value(needles, hunks),
            size,
            reward.measure,
            tuple(_matched(needle, match, hunks) for needle, match in matches),
        )

    @cached_property
    def _pieces(self) -> tuple[list[Hunk], dict[Run, Piece]]:
        return parse_pieces(self._change, self._asked)

    def _normalised_value(self, needles: Sequence[_Needle], hunks: Sequence[Hunk]) -> float | None:
        own, there = ([self._normalised(one.piece) for one in pieces] for pieces in (needles, hunks))
        return compare_pieces(own, there, effort=_EFFORT).value

    def _normalised(self, piece: Piece) -> Piece:
        if id(piece) not in self._alike:
            tree = None if piece.tree is None else self._normaliser.tree(piece.tree)
            self._alike[id(piece)] = Piece(normalised_text(piece.text), piece.family, tree)
        return self._alike[id(piece)]


def _too_large(needles: Sequence[_Needle]) -> Comparison:
    lines = sum(1 for one in needles for line in one.text.split(b"\n") if line.strip())
    return Comparison(None, None, None, lines, "lines", ())


def _nothing_alike(needles: Sequence[_Needle]) -> Comparison | None:
    """The commit adds nothing that these lines could have become: all of their nodes are deleted, which is r = 0."""
    trees = [one.piece.tree for one in needles]
    measure: Measure = "tree" if any(tree is not None for tree in trees) else "lines"
    pieces = []
    for one, tree in zip(needles, trees, strict=True):
        size = len(tree) - 1 if tree is not None else sum(1 for line in one.text.split(b"\n") if line.strip())
        pieces.append(MatchedPiece(one.text, b"", None, None, size, size, "tree" if tree is not None else "lines"))
    size = sum(one.size for one in pieces if one.measure == measure)
    return Comparison(0.0, 0.0, 0.0, size, measure, tuple(pieces)) if size else None


def _kept(counted: Sequence[tuple[_Needle, SnippetMatch]], hunks: Sequence[Hunk], size: int) -> float | None:
    """The share of nodes (lines) that are in the committed code as they are; None where it would take too long."""
    from gitgoodbench.ted.pairing import count_unchanged

    kept = 0
    for needle, match in counted:
        if match.lines is not None:
            kept += _kept_lines(needle.text, match.matched)
        for item in match.items:
            tree, hunk = needle.piece.tree, hunks[item.hunk].piece.tree
            assert tree is not None
            assert hunk is not None
            own = tree.subtree(item.node)
            if not item.match.distance:
                kept += len(own)
                continue
            there = hunk.subtree(item.match.node)
            try:
                kept += count_unchanged(aligned(own, there), there.nodes)
            except TreeTooLarge:
                return None
    return kept / size


def _kept_lines(text: bytes, matched: bytes) -> int:
    own, there = ([line.strip() for line in one.split(b"\n") if line.strip()] for one in (text, matched))
    return len(matching_lines(own, there))


def _matched(needle: _Needle, match: SnippetMatch, hunks: Sequence[Hunk]) -> MatchedPiece:
    """One run and what it became: that of a tree's largest item says where."""
    if match.hunk is None:
        return MatchedPiece(needle.text, b"", None, None, match.size, match.distance, match.measure)
    hunk, tree = hunks[match.hunk], needle.piece.tree
    if match.lines is not None:
        place = hunk.span[0] + match.lines.start
        matched = match.matched
    else:
        assert tree is not None
        largest = max(match.items, key=lambda item: int(tree.sizes[item.node]))
        place = largest.match.start
        matched = source_of(match, hunks)
    return MatchedPiece(
        needle.text,
        matched,
        show_path(hunk.path),
        line_of(hunk.content, place),
        match.size,
        match.distance,
        match.measure,
    )
