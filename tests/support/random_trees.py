"""Random trees of every shape, small or large, and edited copies of them, each from one seed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import numpy as np

from gitgoodbench.ted.postorder import Postorder

SHAPES: Final = ("bushy", "mixed", "deep", "chain", "star", "left comb", "right comb", "zigzag")
_ADOPTING: Final = {"bushy": 0.3, "mixed": 0.5, "deep": 0.7}
LEAVES: Final = 1_000_000
"""Added to the labels of leaves, so that none is that of an inner node."""


def postorder(labels: Sequence[int], children: Sequence[int]) -> Postorder:
    """The tree in whose postorder each node has the label, and that many of the last open trees as children."""
    open_trees: list[int] = []
    leftmost: list[int] = []
    for node, count in enumerate(children):
        first = open_trees[len(open_trees) - count] if count else node
        del open_trees[len(open_trees) - count :]
        open_trees.append(first)
        leftmost.append(first)
    assert len(open_trees) == 1
    return Postorder(np.array(labels, np.int32), np.array(leftmost, np.int32))


def counts_of(random: Random, nodes: int, shape: str) -> list[int]:
    """How many children each node of a tree of the shape has, in postorder."""
    counts: list[int] = []
    trees = 0
    for node in range(nodes - 1):
        count = min(_children(random, node, nodes, shape), trees)
        counts.append(count)
        trees += 1 - count
    return [*counts, trees]


def _children(random: Random, node: int, nodes: int, shape: str) -> int:
    match shape:
        case "chain":
            return 1
        case "star":
            return 0
        case "left comb":
            return 2 if node % 2 == 0 and node else 0
        case "right comb":
            return 2 if node > nodes // 2 else 0
        case "zigzag":  # siblings on the left and on the right in turn
            return (2, 0, 2)[(node - nodes // 4) % 3] if node > nodes // 4 else 0
        case _:
            count = 0
            while random.random() < _ADOPTING[shape]:
                count += 1
            return count


def labels_of(random: Random, counts: Sequence[int], alphabet: int, *, shared: bool = False) -> list[int]:
    """Random labels; `shared`: the same for leaves and inner nodes."""
    return [random.randrange(alphabet) + (0 if count or shared else LEAVES) for count in counts]


def random_tree(random: Random, nodes: int, shape: str, alphabet: int, *, shared: bool = False) -> Postorder:
    """A tree of so many nodes, with labels of so many kinds for each of leaves and inner nodes."""
    counts = counts_of(random, nodes, shape)
    return postorder(labels_of(random, counts, alphabet, shared=shared), counts)


def random_pair(random: Random, most: int, *, shared: bool = False) -> tuple[Postorder, Postorder]:
    """Two trees of up to `most` nodes that have nothing to do with one another, or of which one is an edited other."""
    alphabet = random.choice((1, 2, 4, 30))
    nodes = random.randint(1, most)
    counts = counts_of(random, nodes, random.choice(SHAPES))
    labels = labels_of(random, counts, alphabet, shared=shared)
    first = postorder(labels, counts)
    if random.random() < 0.5:
        second = random_tree(random, random.randint(1, most), random.choice(SHAPES), alphabet, shared=shared)
    else:
        second = edited(random, labels, counts, random.randint(0, 1 + nodes // 3), alphabet)
    return (first, second) if random.random() < 0.5 else (second, first)


def edited(random: Random, labels: Sequence[int], counts: Sequence[int], edits: int, alphabet: int) -> Postorder:
    """The tree with that many random nodes deleted or relabelled, the root never deleted."""
    labels, counts = list(labels), list(counts)
    for _ in range(edits):
        node = random.randrange(len(labels))
        if random.random() < 0.5 or node == len(labels) - 1:
            kind = labels[node] // LEAVES * LEAVES
            labels[node] = kind + random.randrange(alphabet)
            continue
        parent = _parent(counts, node)
        counts[parent] += counts[node] - 1
        if not counts[parent] and max(labels) >= LEAVES:
            labels[parent] += LEAVES
        del labels[node], counts[node]
    return postorder(labels, counts)


def _parent(counts: Sequence[int], node: int) -> int:
    """The node that adopts the tree at `node`."""
    beside = 0  # open trees that came after it
    for parent in range(node + 1, len(counts)):
        if counts[parent] > beside:
            return parent
        beside += 1 - counts[parent]
    raise ValueError("the root has no parent")
