"""The runs of lines that a commit adds, and those of edits, as pieces to be compared. Each text is parsed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from gitgoodbench.feedback.added_lines import Span
from gitgoodbench.feedback.changes import CommitChange
from gitgoodbench.feedback.work import Addition
from gitgoodbench.ted.fragments import excerpt, parse_fragment
from gitgoodbench.ted.languages import UnknownLanguage, language_of_fence, language_of_file
from gitgoodbench.ted.matching import unified
from gitgoodbench.ted.nodes import ParseError
from gitgoodbench.ted.reward import Piece, Snippet, SnippetParser, family_of
from gitgoodbench.ted.tree import Tree

Run = tuple[Addition, str | None, Span]
"""A run of added lines of an edit."""


@dataclass(frozen=True)
class Hunk:
    """A run of lines that a commit adds: a part of a file."""

    path: bytes
    content: bytes
    span: Span
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


def parse_pieces(
    change: CommitChange, asked: Sequence[tuple[Addition, str | None]]
) -> tuple[list[Hunk], dict[Run, Piece]]:
    """The runs that a commit adds, blank ones left out, and those of additions in their languages.

    The labels of all trees are numbered in one way: to compare two of them takes no more of that.
    """
    places = {run: _place(change, *run) for one, language in asked for run in _runs_of(one, language)}
    committed = [
        (file, language, span)
        for file in change.files
        for language in [language_name(file.path, file.after or b"")]
        for span in file.added
        if (file.after or b"")[span[0] : span[1]].strip()
    ]
    snippets = [Snippet(file.after or b"", language, (span,)) for file, language, span in committed]
    in_files = {run: Snippet(place[0], run[1], (place[1],)) for run, place in places.items() if place is not None}
    parser = SnippetParser([*snippets, *in_files.values()], comments=True, isolated=True)
    fragments: dict[tuple[bytes, str], Tree | None] = {}
    hunks = [_piece(one, parser.parse(one)) for one in snippets]
    needles = {
        run: _piece(in_files[run], parser.parse(in_files[run])) if run in in_files else _cut_out(run, fragments)
        for run in places
    }
    both = _unified([*hunks, *needles.values()])
    found = [
        Hunk(file.path, file.after or b"", span, piece) for (file, _, span), piece in zip(committed, both, strict=False)
    ]
    return found, dict(zip(needles, both[len(hunks) :], strict=True))


def _place(change: CommitChange, addition: Addition, language: str | None, span: Span) -> tuple[bytes, Span] | None:
    """The file that an addition is parsed with: its own, or where that is not known the committed one that has it
    as it is.
    """
    if addition.whole:
        return addition.content, span
    text = addition.content
    for file in change.files:
        content = file.after or b""
        at = 0 if content.startswith(text) else content.find(b"\n" + text) + 1 or -1
        alike = family_of(language) == family_of(language_name(file.path, content))
        if at >= 0 and text.strip() and alike:
            return content, (at + span[0], at + span[1])
    return None


def _runs_of(addition: Addition, language: str | None) -> Iterator[Run]:
    return ((addition, language, span) for span in addition.spans)


def _piece(snippet: Snippet, tree: Tree | None) -> Piece:
    return Piece(snippet.text, family_of(snippet.language), _with_nodes(tree))


def _cut_out(run: Run, known: dict[tuple[bytes, str], Tree | None]) -> Piece:
    """A run of a piece that stands in no known file, parsed with that piece alone."""
    addition, language, span = run
    tree: Tree | None = None
    if language is not None:
        key = addition.content, language
        if key not in known:
            try:
                known[key] = parse_fragment(addition.content, language, isolated=True)
            except (UnknownLanguage, ParseError):
                known[key] = None
        whole = known[key]
        tree = None if whole is None else _with_nodes(excerpt(whole, [span]))
    return Piece(addition.content[span[0] : span[1]], family_of(language), tree)


def _unified(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, the labels of all their trees numbered in one way: comparing two of them takes no more of that."""
    trees = iter(unified([one.tree for one in pieces if one.tree is not None]))
    return [one if one.tree is None else replace(one, tree=next(trees)) for one in pieces]


def _with_nodes(tree: Tree | None) -> Tree | None:
    """The tree, unless there is nothing but a root: lines inside one long string are no tree."""
    return tree if tree is not None and len(tree) > 1 else None
