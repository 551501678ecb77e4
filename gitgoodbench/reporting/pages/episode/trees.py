"""Syntax trees side by side: what the agent wrote beside what is true, node by node.

For each conflict that is not resolved as in the truth, and for the files of two commits that belong together but do not
change the same lines. Texts are hostile, so they are parsed in another process; and bounded, the more so where
there are thousands of episodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from re import compile as pattern
from typing import Any, Final

from gitgoodbench.details import CommitDetail, Details, HistoriesDetail, readable
from gitgoodbench.reporting.pages.episode.patches import added_text
from gitgoodbench.ted import (
    ParseError,
    Tree,
    TreeTooLarge,
    UnknownLanguage,
    edit_mapping,
    language_of_file,
    parse_fragment,
)
from gitgoodbench.ted.mapping import EditKind

MAX_NODES: Final = 3000
"""Nodes of one tree that is compared."""

_PARTS: Final = pattern(rb"[\0\1]")
"""What stands between a kind and the text of its own in a label (see `ted.tree`)."""

JsonObject = dict[str, Any]
Row = tuple[EditKind, int, str, int, str, int]
"""What became of a node: the edit, depth and label in the agent's tree, depth and label in the true one, and how many
rows follow that belong to the same subtree, where all of it is kept. A depth of -1: the node is not there."""


@dataclass(frozen=True)
class TreeLimits:
    """text: bytes of one text that is parsed. parts: comparisons of one episode."""

    text: int
    parts: int


ALONE: Final = TreeLimits(text=24 * 1024, parts=24)
AMONG_MANY: Final = TreeLimits(text=3 * 1024, parts=4)
"""Of pages with more episodes than can be compared at length in the time that people wait."""


@dataclass(frozen=True)
class _Pair:
    """Two texts of a file to compare. None: there is no text."""

    title: str
    path: str
    agent: str | None
    truth: str | None
    cut: bool = False


def may_have_trees(details: Details) -> bool:
    """Whether there is anything to compare."""
    return next(_pairs(details), None) is not None


def trees_record(details: Details, limits: TreeLimits = ALONE) -> JsonObject:
    """The comparisons as JSON. Each has `title`, `path`, and either `problem`, why there is none, or `rows`."""
    parts: list[JsonObject] = []
    more = 0
    for pair in _pairs(details):
        if len(parts) < limits.parts:
            parts.append({"title": pair.title, "path": pair.path, **_compared(pair, limits.text)})
        else:
            more += 1
    return {"parts": parts, "more": more}


def _pairs(details: Details) -> Iterator[_Pair]:
    for file in details.files:
        for one in file.conflicts:
            if not one.exact and one.kind == "text":
                yield _Pair(f"Conflict {one.number}", file.path, one.agent_text, one.truth_text, one.cut)
    if details.histories is not None:
        yield from _of_histories(details.histories)


def _of_histories(histories: HistoriesDetail) -> Iterator[_Pair]:
    for pair in histories.pairs or ():
        if pair.agent > len(histories.agent) or pair.truth > len(histories.truth):
            continue
        agent, truth = histories.agent[pair.agent - 1], histories.truth[pair.truth - 1]
        if truth.same_as != pair.agent:
            yield from _of_commits(f"Commits {pair.agent} and {pair.truth}", agent, truth)


def _of_commits(title: str, agent: CommitDetail, truth: CommitDetail) -> Iterator[_Pair]:
    """What both add to each file."""
    ours, theirs = added_text(agent.patch or ""), added_text(truth.patch or "")
    for path in sorted({*ours, *theirs}):
        mine, real = ours.get(path), theirs.get(path)
        if mine != real:
            yield _Pair(title, path, mine, real, agent.cut or truth.cut)


def _compared(pair: _Pair, most: int) -> JsonObject:
    if pair.agent is None or pair.truth is None:
        side = "the agent" if pair.agent is None else "the truth"
        return {"problem": f"{side} has no text there"}
    if pair.cut:
        return {"problem": "the texts are not kept whole in this run"}
    language = language_of_file(pair.path.encode("utf-8", "surrogatepass"))
    if language is None:
        return {"problem": "no language is known for files of that name"}
    largest = max(len(text.encode("utf-8", "backslashreplace")) for text in (pair.agent, pair.truth))
    if largest > most:
        return {"problem": f"too large: {largest} bytes, and at most {most} are compared"}
    return _trees(pair.agent, pair.truth, language.name)


@lru_cache(maxsize=1024)
def _trees(agent: str, truth: str, language: str) -> JsonObject:
    sources = [text.encode("utf-8", "backslashreplace") for text in (agent, truth)]
    try:
        first, second = (parse_fragment(source, language, isolated=True) for source in sources)
        if max(len(first), len(second)) > MAX_NODES:
            return {"problem": f"too large: {max(len(first), len(second))} nodes, and at most {MAX_NODES} are compared"}
        mapping = edit_mapping(first, second)
    except TreeTooLarge:
        return {"problem": "too large: what differs takes too long to compare"}
    except (ParseError, UnknownLanguage) as problem:
        return {"problem": str(problem)}
    became = dict(zip(mapping.pairs[:, 0].tolist(), mapping.pairs[:, 1].tolist(), strict=True))
    return {
        "language": language,
        "errors": [first.errors, second.errors],
        "counts": mapping.counts,
        "distance": mapping.distance,
        "rows": _folds(list(_rows(first, second, became, mapping.marks()[0]))),
    }


def _rows(first: Tree, second: Tree, became: dict[int, int], marks: Sequence[EditKind]) -> Iterator[Row]:
    """Both trees from the top down. A mapping keeps what is above and what is to the left, and so this order, too."""
    others = _outline(second)
    for node, depth, label in _outline(first):
        partner = became.get(node)
        if partner is None:
            yield "deleted", depth, label, -1, "", 0
            continue
        for other, other_depth, other_label in others:
            if other == partner:
                yield marks[node], depth, label, other_depth, other_label, 0
                break
            yield "inserted", -1, "", other_depth, other_label, 0
    for _, other_depth, other_label in others:
        yield "inserted", -1, "", other_depth, other_label, 0


def _outline(tree: Tree) -> Iterator[tuple[int, int, str]]:
    """The nodes, each before its children, with their depths and what is shown of them."""
    leftmost, labels = tree.nodes.leftmost.tolist(), tree.nodes.labels.tolist()
    shown = {label: _shown(tree.vocabulary[label]) for label in set(labels)}
    waiting = [(tree.root, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth, shown[labels[node]]
        child = node - 1
        while child >= leftmost[node]:
            waiting.append((child, depth + 1))
            child = leftmost[child] - 1


def _shown(label: bytes) -> str:
    """The kind, and the text of its own where that says more."""
    kind, _, text = _PARTS.sub(b" ", label, count=1).partition(b" ")
    own = readable(text.replace(b"\1", b" "))
    return own if own == readable(kind) else f"{readable(kind)} {own}".rstrip(" ")


def _folds(rows: list[Row]) -> list[Row]:
    """With the number of rows that follow in the subtree, where all of it is kept, in the first row of each."""
    folded = list(rows)
    start = 0
    while start < len(rows):
        kind, depth, label, other_depth, other_label, _ = rows[start]
        stop = start + 1
        while stop < len(rows) and rows[stop][0] == "kept" and rows[stop][1] > depth and kind == "kept":
            stop += 1
        is_whole = stop == len(rows) or not _is_below(rows[stop], depth, other_depth)
        size = stop - start - 1
        if kind == "kept" and size and is_whole:
            folded[start] = kind, depth, label, other_depth, other_label, size
            start = stop
        else:
            start += 1
    return folded


def _is_below(row: Row, depth: int, other_depth: int) -> bool:
    """Whether a row is in the subtree of a row with these depths, which comes before, on either side."""
    return row[1] > depth or row[3] > other_depth
