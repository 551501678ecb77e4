"""What became of each stretch of a source, by what became of the nodes whose own text it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from gitgoodbench.ted.mapping import KINDS, EditKind
from gitgoodbench.ted.tree import Tree, has_text


class Stretch(NamedTuple):
    """Bytes of a source of which all became the same; start, and the byte after the last."""

    start: int
    end: int
    mark: EditKind


def painted(tree: Tree, marks: Sequence[EditKind]) -> list[Stretch]:
    """The whole source in stretches, from what became of each node.

    Blanks between nodes of one mark on one line have it, too. What is no node's text is kept.
    """
    nobody = len(KINDS)
    codes = np.full(len(tree.source), nobody, np.uint8)
    for node in range(len(tree) - 1, -1, -1):  # a parent before its children, which lie over it
        start, end = tree.span(node)
        own = has_text(tree.vocabulary[tree.nodes.labels[node]])
        codes[start:end] = KINDS.index(marks[node]) if own else nobody
    places = np.flatnonzero(codes != nobody).tolist()
    for last, following in pairwise(places):
        if following > last + 1:
            blank = tree.source[last + 1 : following]
            codes[last + 1 : following] = codes[last] if codes[last] == codes[following] and b"\n" not in blank else 0
    codes[codes == nobody] = 0
    return stretches(codes.tolist())


def stretches(codes: Sequence[int]) -> list[Stretch]:
    """Runs of equal places in `KINDS`."""
    found: list[Stretch] = []
    start = 0
    for code, some in groupby(codes):
        end = start + sum(1 for _ in some)
        found.append(Stretch(start, end, KINDS[code]))
        start = end
    return found
