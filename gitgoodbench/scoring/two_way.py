"""How much of what was written is in what was wanted, and the other way round, item by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.scoring.pairing import common_labels, pair_up
from gitgoodbench.scoring.similarity_trees import Searcher, TooMuch, items
from gitgoodbench.ted import Tree
from gitgoodbench.ted.fragments import Span, excerpt


@dataclass(frozen=True)
class Item:
    """A thing that is compared as a whole: a tree, or a line that is in no node (tree: None), which counts as one.

    key: all that makes it equal to another one, among trees that share a vocabulary.
    """

    key: bytes
    size: int
    tree: Tree | None


UNRESOLVED: Final = Item(b"\2", 1, None)
"""What stands for a conflict that is still open: equal to nothing that is wanted."""


def items_within(tree: Tree, spans: Sequence[Span]) -> list[Item]:
    """The items of what lies inside the spans; text that no node inside them has, as some lines of a long string have
    none, by lines, blanks around them aside.
    """
    part = excerpt(tree, spans)
    found = [
        Item(b"\0" + one.nodes.leftmost.tobytes() + one.nodes.labels.tobytes(), len(one), one) for one in items(part)
    ]
    return [*found, *(Item(b"\1" + line, 1, None) for line in _loose_lines(part, spans))]


def _loose_lines(part: Tree, spans: Sequence[Span]) -> list[bytes]:
    taken = [part.span(child) for child in part.children(part.root)]
    pieces = []
    for start, stop in spans:
        position = start
        for first, last in sorted(span for span in taken if start <= span[0] < stop):
            pieces.append(part.source[position:first])
            position = last
        pieces.append(part.source[position:stop])
    return [line.strip() for piece in pieces for line in split_lines(piece) if line.strip()]


@dataclass(frozen=True)
class Compared:
    """How much of what was written is in what was wanted: nodes of either side, and those that they have in common."""

    written: int = 0
    wanted: int = 0
    common: float = 0.0

    def __add__(self, other: Compared) -> Compared:
        return Compared(self.written + other.written, self.wanted + other.wanted, self.common + other.common)

    @property
    def precision(self) -> float:
        return self.common / self.written if self.written else self._of_nothing

    @property
    def recall(self) -> float:
        return self.common / self.wanted if self.wanted else self._of_nothing

    @property
    def similarity(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def _of_nothing(self) -> float:
        return 0.0 if self.written or self.wanted else 1.0


class Comparison:
    """Compares lists of items; sums up over all that it compares.

    With A the items that were written, T those that were wanted, |x| the nodes of an item, d(x, y) the least edit
    distance of x to a subtree of y, and M pairs of items, one to one:

        c(a, t)   = (|a| - d(a, t) + |t| - d(t, a)) / 2, the nodes that a and t have in common
        precision = sum of c over M / sum of |a| over A
        recall    = sum of c over M / sum of |t| over T

    M holds equal items first; the others are paired so that the sum is greatest. c is at most |a| and |t|, and no item
    is paired twice: what is written again, or beside what is wanted, costs precision. Nothing for nothing is 1; nothing
    for something, and something for nothing, is 0. With both sides swapped, precision and recall are.
    """

    def __init__(self) -> None:
        self._searcher = Searcher()
        self.total = Compared()
        self.not_compared = 0
        """Pairs that it would take too long to compare. They count as unlike."""

    def add(self, written: Sequence[Item], wanted: Sequence[Item]) -> Compared:
        """Compare one list of items with another; their trees share a vocabulary (see `matching.unified`)."""
        sizes = {item.key: item.size for item in written}
        equal = Counter(item.key for item in written) & Counter(item.key for item in wanted)
        common: float = sum(sizes[key] * count for key, count in equal.items())
        first, second = _other_trees(written, equal), _other_trees(wanted, equal)
        if first and second:
            pairs = pair_up(common_labels(first, second), lambda row, column: self._compare(first[row], second[column]))
            common += sum(pairs.values())
        found = Compared(sum(item.size for item in written), sum(item.size for item in wanted), common)
        self.total += found
        return found

    def _compare(self, one: Tree, other: Tree) -> float:
        """The nodes that two trees have in common."""
        try:
            distance = self._searcher.distance([one], other) + self._searcher.distance([other], one)
        except TooMuch:
            self.not_compared += 1
            return 0.0
        return (len(one) + len(other) - distance) / 2


def _other_trees(listed: Sequence[Item], equal: Counter[bytes]) -> list[Tree]:
    """The trees of items, without those that have found their equal."""
    left = equal.copy()
    trees = []
    for item in listed:
        if left[item.key]:
            left[item.key] -= 1
        elif item.tree is not None:
            trees.append(item.tree)
    return trees
