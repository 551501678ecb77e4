"""Pieces cut out of files, as trees: hunks of added lines, blocks of code in an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.isolated import read_best_isolated
from gitgoodbench.ted.languages import Language, find_language
from gitgoodbench.ted.nodes import Span as Span
from gitgoodbench.ted.nodes import read_best
from gitgoodbench.ted.text import Text, dedent, dedent_by_steps, read_text, without_stray_brackets
from gitgoodbench.ted.tree import Tree, has_text, tree_of

_PHP_OPENING: Final = b"<?"
_INDENT: Final = re.compile(rb"[ \t]*")


def parse_fragment(
    source: bytes, language: str, *, comments: bool = True, isolated: bool = False, needle: bool = False
) -> Tree:
    """The syntax tree of a piece of a file; arguments and errors are those of `tree.parse`.

    needle: give the piece alone, to look for it in other trees, without what only holds it (see `needle_of`).

    Its indentation is taken away by steps (see `text.dedent_by_steps`). If that leaves places that do not parse, other
    readings are tried, and of those with the fewest the first is taken: only what all lines share taken away; brackets
    that close nothing made blank; those that are missing at the end added; the same inside a class, where the language
    has any. Errors stay where they are: the rest is parsed around them. Spans are those of the source as it was given.
    """
    known = find_language(language)
    bare = known.name == "php" and _PHP_OPENING not in source
    tried: dict[bytes, tuple[Text, int | None]] = {}

    def untried() -> Iterator[bytes]:
        for text, before, after in _readings(read_text(source), known):
            reading = before + text.content + after
            if reading not in tried:
                tried[reading] = text, len(before) if before or after else None
                yield reading

    read = read_best_isolated if isolated else read_best
    at, nodes = read(untried(), known.name, fragment=bare, comments=comments)
    reading, (text, begin) = list(tried.items())[at]
    if begin is None:
        tree = tree_of(source, known.name, text, nodes)
    else:
        tree = _unframed(tree_of(source, known.name, Text(reading, None), nodes), text, begin)
    return needle_of(tree) if needle else tree


def needle_of(tree: Tree) -> Tree:
    """The tree without the nodes around it that only hold it: of `f(1)` the call, not the file and the statement.

    A piece of several items keeps its root. Children without text, such as a semicolon that a parser missed, do not
    count.
    """
    node = tree.root
    while not has_text(tree.vocabulary[tree.nodes.labels[node]]):
        children = [child for child in tree.children(node) if tree.ends[child] > tree.starts[child]]
        if len(children) != 1:
            break
        node = children[0]
    return tree.subtree(node)


def _readings(text: Text, language: Language) -> Iterator[tuple[Text, bytes, bytes]]:
    """Texts, and what to put before and after each."""
    stepped = dedent_by_steps(text)
    yield stepped, b"", b""
    yield dedent(text), b"", b""
    balanced, closing = without_stray_brackets(stepped)
    yield balanced, b"", b""
    yield balanced, b"", b"\n" + closing
    if language.frame is not None:
        before, after = language.frame
        yield balanced, before, b"\n" + closing + after


def _unframed(tree: Tree, text: Text, begin: int) -> Tree:
    """A tree that was parsed with something around the text, which begins at `begin`, without that.

    The places where brackets were added count as the end of the text, as those of missing nodes do.
    """
    end = begin + len(text.content)
    part = _picked(tree, (tree.starts >= begin) & (tree.starts < end) & (tree.ends > tree.starts))
    starts, ends = (np.clip(places - begin, 0, len(text.content)) for places in (part.starts, part.ends))
    starts, ends = text.spans(starts, ends)
    return replace(part, starts=starts, ends=ends)


def excerpt(tree: Tree, spans: Sequence[Span]) -> Tree:
    """The tree's root with only what lies inside the spans below it: the largest subtrees that do, from left to right.

    A piece of a file, parsed with all the file around it. Nodes without text are left out.
    """
    inside = np.zeros(len(tree), np.bool_)
    for start, end in spans:
        inside |= (tree.starts >= start) & (tree.ends <= end) & (tree.ends > tree.starts)
    return _picked(tree, inside)


def _picked(tree: Tree, inside: NDArray[np.bool_]) -> Tree:
    """The root with the largest subtrees below it whose roots are marked."""
    parts: list[int] = []
    for node in np.flatnonzero(inside[:-1])[::-1].tolist():
        if not parts or node < tree.nodes.leftmost[parts[-1]]:
            parts.append(node)
    return tree.with_children(parts[::-1])


def items_of(tree: Tree) -> list[int]:
    """The top-level items of a tree: the children of its root, through nodes that only hold items together."""
    wrappers = find_language(tree.language).wrappers
    items: list[int] = []
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node != tree.root and tree.kind(node) not in wrappers:
            items.append(node)
        else:
            waiting.extend(reversed(tree.children(node)))
    return items or [tree.root]


def with_replaced(source: bytes, parts: Sequence[tuple[Span, bytes, Span]]) -> bytes:
    """A source with other sources' parts in place of its own, moved to the indentation of what they replace.

    Args:
        parts: a span of the source, another source, and the span of it that comes there; ascending, not overlapping.
    """
    pieces: list[bytes] = []
    done = 0
    for (start, end), other, span in parts:
        pieces += source[done:start], _moved(other, span, _indent(source, start))
        done = end
    return b"".join([*pieces, source[done:]])


def _moved(source: bytes, span: Span, indent: bytes) -> bytes:
    """A part of a source, its lines moved from the indentation of its first one; as it is where some lack that."""
    first, *rest = source[span[0] : span[1]].split(b"\n")
    own = _indent(source, span[0])
    if not all(line.startswith(own) or not line.strip() for line in rest):
        return b"\n".join([first, *rest])
    return b"\n".join([first, *(indent + line.removeprefix(own) if line.strip() else line for line in rest)])


def _indent(source: bytes, at: int) -> bytes:
    """Blanks at the start of the line that a place is in, up to there."""
    match = _INDENT.match(source, source.rfind(b"\n", 0, at) + 1, at)
    return b"" if match is None else match[0]
