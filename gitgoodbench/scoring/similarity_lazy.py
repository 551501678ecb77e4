"""Distances of what commits add: lower bounds of all of them, better ones and the exact ones only where asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from gitgoodbench.scoring.similarity_trees import Searcher, TooMuch, items
from gitgoodbench.ted import Tree
from gitgoodbench.ted.matching import unified


class Item:
    """A top-level item: its tree, and how often it has which label."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.labels, self.counts = np.unique(tree.nodes.labels, return_counts=True)

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.tree)


class Addition:
    """What a commit adds to one file: the tree of it, its distinct items with how many there are of each, and its bag.

    bag: how often it has each label. size: nodes of all items.
    """

    def __init__(self, tree: Tree, items: Counter[Item]) -> None:
        self.tree, self.items = tree, items
        self.bag = np.bincount(tree.nodes.labels, minlength=len(tree.vocabulary))
        self.size = sum(len(item) * count for item, count in items.items())


def additions(trees: Sequence[Tree]) -> list[Addition]:
    """The addition of each tree; equal trees have the same, and equal items are the same."""
    known_items: dict[bytes, Item] = {}
    known: dict[tuple[str, bytes], Addition] = {}
    found = []
    for tree in unified(trees):
        key = (tree.language, _signature(tree))
        if key not in known:
            parts: Counter[Item] = Counter()
            for item in items(tree):
                signature = _signature(item)
                if signature not in known_items:
                    known_items[signature] = Item(item)
                parts[known_items[signature]] += 1
            known[key] = Addition(tree, parts)
        found.append(known[key])
    return found


class Step(IntEnum):
    """How a distance was bounded: by the labels in common, as strings; what is settled stays as it is."""

    LABELS = 0
    STRINGS = 1
    SETTLED = 2


@dataclass(eq=False)
class Distance:
    """The least distance of an item to a subtree of what a commit adds: `least` at least, `most` at most."""

    item: Item
    haystack: Addition
    least: int
    most: int
    step: Step

    @property
    def is_settled(self) -> bool:
        return self.step is Step.SETTLED

    def refine(self, searcher: Searcher) -> None:
        """The next better bound, or the exact distance; where that is too much, what is known stays."""
        try:
            if self.step is Step.LABELS:
                self.step = Step.STRINGS
                self.least = max(self.least, searcher.bound(self.item.tree, self.haystack.tree))
                if self.least == self.most:
                    self.step = Step.SETTLED
            elif self.step is Step.STRINGS:
                self.step = Step.SETTLED
                self.least = self.most = searcher.closest(self.item.tree, self.haystack.tree)
        except TooMuch:
            pass


class Distances:
    """The distances of items to additions, each once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Item, Addition], Distance] = {}

    def of(self, addition: Addition, haystack: Addition) -> Iterator[tuple[Distance, int]]:
        """The distance of each distinct item, and how many there are of it."""
        for item, count in addition.items.items():
            key = (item, haystack)
            if key not in self._known:
                self._known[key] = _bounded(item, haystack)
            yield self._known[key], count


def _bounded(item: Item, haystack: Addition) -> Distance:
    """Equal items are settled. Else a node whose label has no partner left costs 1, and a single leaf is that far."""
    if item in haystack.items:
        return Distance(item, haystack, 0, 0, Step.SETTLED)
    common = int(np.minimum(item.counts, haystack.bag[item.labels]).sum())
    return Distance(item, haystack, len(item) - common, len(item), Step.LABELS if common else Step.SETTLED)


def _signature(tree: Tree) -> bytes:
    """All that makes a tree with the same numbering of labels equal to another."""
    return tree.nodes.labels.tobytes() + tree.nodes.leftmost.tobytes()
