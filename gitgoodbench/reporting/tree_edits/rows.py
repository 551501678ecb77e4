"""The edits as people read them: a subtree that came or went is one row, not one for each node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.reporting.tree_edits.sources import Comparison, Side
from gitgoodbench.ted.mapping import EditKind
from gitgoodbench.ted.tree import Tree


@dataclass(frozen=True)
class EditRow:
    """A relabelled node, or the top of what was deleted or inserted.

    before_line, after_line: from 1; None where there is none. kind: of the node. before, after: text, of a whole
    subtree its source. nodes: how many. alone: a node of which some children stay.
    """

    edit: EditKind
    before_line: int | None
    after_line: int | None
    kind: str
    before: bytes
    after: bytes
    nodes: int
    alone: bool = False


def edit_rows(comparison: Comparison) -> list[EditRow]:
    """All edits but kept nodes, in the order of the sources."""
    return list(_rows(comparison))


def _rows(comparison: Comparison) -> Iterator[EditRow]:
    first, second, mapping = comparison.first, comparison.second, comparison.mapping
    gone = _whole(first.tree, mapping.pairs[:, 0])
    came = _whole(second.tree, mapping.pairs[:, 1])
    for edit in mapping.edits:
        if edit.kind == "relabelled" and edit.before is not None and edit.after is not None:
            one, other = first.tree.node(edit.before), second.tree.node(edit.after)
            kind = one.kind if one.kind == other.kind else f"{one.kind} → {other.kind}"
            lines = first.line(one.start), second.line(other.start)
            yield EditRow(edit.kind, *lines, kind, one.text or b"", other.text or b"", 1)
        elif edit.kind == "deleted" and edit.before is not None and _is_top(first.tree, gone, edit.before):
            text, kind, nodes, alone = _described(first, gone, edit.before)
            yield EditRow(edit.kind, first.line(first.tree.span(edit.before)[0]), None, kind, text, b"", nodes, alone)
        elif edit.kind == "inserted" and edit.after is not None and _is_top(second.tree, came, edit.after):
            text, kind, nodes, alone = _described(second, came, edit.after)
            yield EditRow(edit.kind, None, second.line(second.tree.span(edit.after)[0]), kind, b"", text, nodes, alone)


def _whole(tree: Tree, paired: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Of which nodes neither they nor any below are in a pair."""
    counts = np.zeros(len(tree) + 1, np.int64)
    counts[paired + 1] = 1
    counts = np.cumsum(counts)
    return np.asarray(counts[1:] == counts[tree.nodes.leftmost])


def _is_top(tree: Tree, whole: NDArray[np.bool_], node: int) -> bool:
    """Whether a node is not told by the row of the node above."""
    return not (whole[node] and node != tree.root and whole[tree.parents[node]])


def _described(side: Side, whole: NDArray[np.bool_], number: int) -> tuple[bytes, str, int, bool]:
    node = side.tree.node(number)
    if whole[number]:
        return side.tree.text(number), node.kind, int(side.tree.sizes[number]), False
    return node.text or b"", node.kind, 1, True


def edits_as_json(comparison: Comparison) -> dict[str, Any]:
    """Distance, similarity and every edit but kept nodes, node by node."""
    first, second, mapping = comparison.first, comparison.second, comparison.mapping
    return {
        "first": _side(first),
        "second": _side(second),
        "distance": mapping.distance,
        "similarity": comparison.similarity,
        "counts": mapping.counts,
        "edits": [
            {"edit": edit.kind, "before": _node(first, edit.before), "after": _node(second, edit.after)}
            for edit in mapping.edits
            if edit.kind != "kept"
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "language": side.tree.language,
        "nodes": len(side.tree),
        "errors": side.tree.errors,
    }


def _node(side: Side, number: int | None) -> dict[str, Any] | None:
    if number is None:
        return None
    node = side.tree.node(number)
    return {
        "node": node.number,
        "parent": node.parent,
        "kind": node.kind,
        "text": None if node.text is None else node.text.decode("utf-8", "backslashreplace"),
        "line": side.line(node.start),
        "start": node.start,
        "end": node.end,
    }
