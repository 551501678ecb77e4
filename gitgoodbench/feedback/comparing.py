"""What became of added lines in a commit: reward, share kept, reward after normalising, and the place of each match.

The reward is `ted.reward`'s, item by item: runs of added lines against the runs of lines that the commit adds, both
parsed with the files around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from gitgoodbench.feedback.added_lines import Span
from gitgoodbench.feedback.changes import CommitChange
from gitgoodbench.feedback.normalising import normalised, normalised_text
from gitgoodbench.feedback.placing import line_of
from gitgoodbench.feedback.records import MatchedPiece
from gitgoodbench.feedback.work import Addition
from gitgoodbench.git.line_matches import matching_lines
from gitgoodbench.git.paths import show_path
from gitgoodbench.ted.fragments import excerpt, parse_fragment
from gitgoodbench.ted.languages import UnknownLanguage, language_of_fence, language_of_file
from gitgoodbench.ted.nodes import ParseError
from gitgoodbench.ted.reward import (
    Measure,
    Piece,
    Reward,
    Snippet,
    SnippetMatch,
    SnippetParser,
    compare_pieces,
    family_of,
)
from gitgoodbench.ted.tree import Tree


@dataclass(frozen=True)
class Comparison:
    """What became of the lines that an edit adds, or a conversation; see `records.EditResult`."""

    reward: float
    kept: float | None
    normalised: float | None
    size: int
    measure: Measure
    pieces: tuple[MatchedPiece, ...]


@dataclass(frozen=True)
class Hunk:
    """A run of lines that a commit adds: a part of a file."""

    path: bytes
    content: bytes
    span: Span
    piece: Piece


@dataclass(frozen=True)
class _Needle:
    """A run of lines that an edit adds."""

    text: bytes
    piece: Piece


def language_name(path: bytes | None, content: bytes, fence: str | None = None) -> str | None:
    """What `ted` takes for a language: its name, or where it has no grammar the end of the file's name."""
    known = None if path is None else language_of_file(path, content)
    if known is None and fence:
        known = language_of_fence(fence)
        if known is None:
            return fence.split()[0] if fence.split() else None
    if known is not None:
        return known.name
    if path is None:
        return None
    name = PurePosixPath(path.decode("utf-8", "surrogateescape"))
    return (name.suffix or name.name).lower()


class Comparer:
    """Compares additions with one commit. Each text is parsed once."""

    def __init__(self, change: CommitChange, additions: Sequence[tuple[Addition, str | None]]) -> None:
        """Take the additions that will be asked for, with their languages: a text's runs are read together."""
        self._change = change
        snippets = [
            Snippet(one.content, language, (span,)) for one, language in additions if one.whole for span in one.spans
        ]
        committed = [
            Snippet(file.after or b"", language_name(file.path, file.after or b""), (span,))
            for file in change.files
            for span in file.added
        ]
        self._parser = SnippetParser([*snippets, *committed], comments=True, isolated=True)
        self._fragments: dict[tuple[bytes, str], Tree | None] = {}

    @cached_property
    def hunks(self) -> list[Hunk]:
        """The runs of lines that the commit adds, blank ones left out."""
        found = []
        for file in self._change.files:
            content = file.after or b""
            language = language_name(file.path, content)
            for span in file.added:
                if content[span[0] : span[1]].strip():
                    found.append(Hunk(file.path, content, span, self._in_file(content, language, span)))
        return found

    def compare(
        self,
        additions: Sequence[tuple[Addition, str | None]],
        path: bytes | None,
        *,
        hunks: Sequence[Hunk] | None = None,
    ) -> Comparison | None:
        """What became of additions to one file; None where they add nothing.

        path: the file; of equally close hunks one in it is taken.
        """
        needles = [
            _Needle(one.content[start:end], self._needle(one, language, (start, end)))
            for one, language in additions
            for start, end in one.spans
        ]
        if not needles:
            return None
        ordered = sorted(self.hunks if hunks is None else hunks, key=lambda hunk: hunk.path != path)
        reward = compare_pieces([one.piece for one in needles], [one.piece for one in ordered])
        if reward.value is None or reward.measure is None:
            return _nothing_alike(needles)
        counted = [
            (needle, match)
            for needle, match in zip(needles, reward.matches, strict=True)
            if match.measure == reward.measure
        ]
        size = sum(match.size for _, match in counted)
        return Comparison(
            reward.value,
            _kept(counted, ordered, size),
            _normalised_value(reward, needles, ordered),
            size,
            reward.measure,
            tuple(_matched(needle, match, ordered) for needle, match in zip(needles, reward.matches, strict=True)),
        )

    def _needle(self, addition: Addition, language: str | None, span: Span) -> Piece:
        if addition.whole:
            return self._in_file(addition.content, language, span)
        text = addition.content[span[0] : span[1]]
        return Piece(text, family_of(language), self._cut_out(addition.content, language, span))

    def _in_file(self, content: bytes, language: str | None, span: Span) -> Piece:
        snippet = Snippet(content, language, (span,))
        return Piece(snippet.text, family_of(language), _with_nodes(self._parser.parse(snippet)))

    def _cut_out(self, content: bytes, language: str | None, span: Span) -> Tree | None:
        if language is None:
            return None
        key = (content, language)
        if key not in self._fragments:
            try:
                self._fragments[key] = parse_fragment(content, language, isolated=True)
            except (UnknownLanguage, ParseError):
                self._fragments[key] = None
        tree = self._fragments[key]
        return None if tree is None else _with_nodes(excerpt(tree, [span]))


def _with_nodes(tree: Tree | None) -> Tree | None:
    """The tree, unless there is nothing but a root: lines inside one long string are no tree."""
    return tree if tree is not None and len(tree) > 1 else None


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
    from gitgoodbench.ted.matching import aligned
    from gitgoodbench.ted.unchanged import count_unchanged

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
            unchanged = count_unchanged(aligned(own, there), there.nodes)
            if unchanged is None:
                return None
            kept += unchanged
    return kept / size


def _kept_lines(text: bytes, matched: bytes) -> int:
    own, there = ([line.strip() for line in one.split(b"\n") if line.strip()] for one in (text, matched))
    return len(matching_lines(own, there))


def _normalised_value(reward: Reward, needles: Sequence[_Needle], hunks: Sequence[Hunk]) -> float | None:
    if reward.value == 1.0:
        return 1.0
    own, there = ([_normalised(one.piece) for one in pieces] for pieces in (needles, hunks))
    return compare_pieces(own, there).value


def _normalised(piece: Piece) -> Piece:
    tree = piece.tree
    return replace(piece, text=normalised_text(piece.text), tree=None if tree is None else normalised(tree))


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
        matched = _source(match, hunks)
    return MatchedPiece(
        needle.text,
        matched,
        show_path(hunk.path),
        line_of(hunk.content, place),
        match.size,
        match.distance,
        match.measure,
    )


def _source(match: SnippetMatch, hunks: Sequence[Hunk]) -> bytes:
    """The source of what a run's items became, in their order, as it stands in the commit."""
    places: list[tuple[int, int, int]] = []
    for item in match.items:
        start, end = item.match.start, item.match.end
        if places and places[-1][0] == item.hunk and places[-1][2] <= start:
            places[-1] = (item.hunk, places[-1][1], end)
        else:
            places.append((item.hunk, start, end))
    return b"\n".join(_lines(hunks[at].content, start, end) for at, start, end in places)


def _lines(content: bytes, start: int, end: int) -> bytes:
    """Whole lines, where only blanks stand before the first byte."""
    begin = content.rfind(b"\n", 0, start) + 1
    return content[begin if not content[begin:start].strip() else start : end]
