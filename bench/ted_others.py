"""Open implementations of tree edit distance, asked for the distance of two trees, or for a mapping."""

from __future__ import annotations

from typing import Any

import zss
from apted import APTED, Config

from gitgoodbench.ted.postorder import Postorder


class _Node:
    __slots__ = ("children", "label")

    def __init__(self, label: int) -> None:
        self.label = label
        self.children: list[_Node] = []


class _Labels(Config):  # type: ignore[misc]
    def rename(self, node1: _Node, node2: _Node) -> int:
        return int(node1.label != node2.label)

    def children(self, node: _Node) -> list[_Node]:
        return node.children


def zss_distance(a: Postorder, b: Postorder) -> int:
    return int(zss.simple_distance(_linked(a), _linked(b), _children, _label, _differ))


def apted_distance(a: Postorder, b: Postorder) -> int:
    return int(APTED(_linked(a), _linked(b), _Labels()).compute_edit_distance())


def zss_mapping_cost(a: Postorder, b: Postorder) -> int:
    """What the pairs among zss's operations cost.

    Of several nodes deleted (inserted) at the start of a tree zss 1.2 lists only the last one, so pairs are counted.
    """
    _, operations = zss.simple_distance(_linked(a), _linked(b), _children, _label, _differ, return_operations=True)
    kinds = [one.type for one in operations]
    return len(a) + len(b) - 2 * kinds.count(zss.Operation.match) - kinds.count(zss.Operation.update)


def apted_mapping_cost(a: Postorder, b: Postorder) -> int:
    """What apted's mapping costs."""
    pairs = apted_mapping(a, b)
    return sum(one is None or other is None or one.label != other.label for one, other in pairs)


def apted_mapping(a: Postorder, b: Postorder) -> list[tuple[Any, Any]]:
    return list(APTED(_linked(a), _linked(b), _Labels()).compute_edit_mapping())


def _children(node: _Node) -> list[_Node]:
    return node.children


def _label(node: _Node) -> int:
    return node.label


def _differ(one: Any, other: Any) -> int:
    return int(one != other)


def _linked(tree: Postorder) -> _Node:
    open_trees: list[tuple[int, _Node]] = []
    for label, first in zip(tree.labels.tolist(), tree.leftmost.tolist(), strict=True):
        node = _Node(label)
        while open_trees and open_trees[-1][0] >= first:
            node.children.append(open_trees.pop()[1])
        node.children.reverse()
        open_trees.append((first, node))
    return open_trees[0][1]
