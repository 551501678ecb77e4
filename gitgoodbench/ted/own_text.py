"""Text that belongs to a node itself, since none of its children covers it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.postorder import parents_of

Integers = NDArray[np.int32]

_BLANKS: Final = b" \t\n\r\f\v"
_CONTINUED: Final = b"\\\n"


def own_texts(content: bytes, leftmost: Integers, starts: Integers, ends: Integers) -> dict[int, list[bytes]]:
    """Of nodes with children: their own pieces of text, from left to right, where there are any.

    Blanks alone, and the ends of lines that are continued, are no text.
    """
    found: dict[int, list[tuple[int, bytes]]] = {}
    for node, start, end in _gaps(content, leftmost, starts, ends):
        text = content[start:end]
        if is_text(text):
            found.setdefault(node, []).append((start, text))
    return {node: [text for _, text in sorted(pieces)] for node, pieces in found.items()}


def is_text(piece: bytes) -> bool:
    """Whether a piece of source between nodes is text: more than blanks, and than ends of lines that are continued."""
    return bool(piece.replace(_CONTINUED, b"").strip(_BLANKS))


def _gaps(content: bytes, leftmost: Integers, starts: Integers, ends: Integers) -> Iterator[tuple[int, int, int]]:
    """Node, start and end of each stretch with something in it: after the last child, between two, before the first."""
    places = np.arange(len(leftmost), dtype=np.int32)
    is_text = ~np.isin(np.frombuffer(content, np.uint8), np.frombuffer(_BLANKS, np.uint8))
    filled = np.concatenate([[0], np.cumsum(is_text)])
    is_leaf = leftmost == places
    inner = np.flatnonzero(~is_leaf)

    nodes = inner[filled[ends[inner]] > filled[ends[inner - 1]]]
    yield from _rows(nodes, ends[nodes - 1], ends[nodes])

    outermost = np.empty(len(leftmost), np.int32)  # of the nodes that begin with a leaf
    outermost[leftmost] = places
    before = np.flatnonzero(is_leaf[1:])  # followed by a sibling, which begins with the next node
    after = outermost[before + 1]
    holds = filled[starts[after]] > filled[ends[before]]
    if holds.any():
        parents = parents_of(leftmost)[before[holds]]
        yield from _rows(parents, ends[before[holds]], starts[after[holds]])

    early = inner[filled[starts[leftmost[inner]]] > filled[starts[inner]]]
    if len(early):
        yield from _rows(early, starts[early], starts[_first_children(leftmost)[early]])


def _first_children(leftmost: Integers) -> NDArray[np.int64]:
    """The first child of each node that has one: of those that begin with the same leaf, the one before it."""
    order = np.argsort(leftmost, kind="stable")
    previous = np.empty(len(leftmost), np.int64)
    previous[order[1:]] = order[:-1]
    return previous


def _rows(*columns: NDArray[Any]) -> Iterator[tuple[int, int, int]]:
    yield from zip(*(column.tolist() for column in columns), strict=True)
