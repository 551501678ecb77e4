"""How near a history is to the real one, by syntax trees: which of its commits add what which real commit adds."""

from __future__ import annotations

import numpy as np

from gitgoodbench.git.hunks import Mark, TextChange
from gitgoodbench.scoring.history_lines import ChangedFile, LineHistory
from gitgoodbench.scoring.similarity_trees import Searcher, TooMuch, TreeReader, count_nodes, items
from gitgoodbench.ted import Tree
from gitgoodbench.ted.fragments import Span
from gitgoodbench.ted.items import itemized
from gitgoodbench.ted.matching import unified


def history_similarity(ours: LineHistory, theirs: LineHistory) -> float | None:
    """The mean reward of the commits of two histories, paired so that it is greatest; a commit without partner has 0.

    The reward of a pair is that of `ted.reward`, taken both ways: with the lines that one commit adds to a file as
    snippets (parsed within the file, item by item) and those that the other adds to it as the haystack, and the other
    way round; r = 1 - sum d_i / sum |t_i| over both. So a commit that holds but a small part of another is not like it.

    Commits that add nothing that can be parsed are left out. None where that is all commits, or too much would have to
    be compared.
    """
    reader, searcher = TreeReader(), Searcher()
    read = [_read(history, reader) for history in (ours, theirs)]
    numbered = iter(unified([tree for commits in read for commit in commits for tree in commit.values()]))
    first, second = ([{path: _Addition(next(numbered)) for path in commit} for commit in commits] for commits in read)
    if not first and not second:
        return None
    try:
        rewards = np.array([[_likeness(one, other, searcher) for other in second] for one in first])
    except TooMuch:
        return None
    return _assigned(rewards) / max(len(first), len(second)) if first and second else 0.0


class _Addition:
    """What a commit adds to one file: the tree of it, and its items, each with all that makes it equal."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.items = [(item, item.nodes.labels.tobytes() + item.nodes.leftmost.tobytes()) for item in items(tree)]
        self.signatures = {signature for _, signature in self.items}
        self.size = count_nodes([item for item, _ in self.items])


_Commit = dict[bytes, _Addition]


def added_spans(change: TextChange) -> list[Span]:
    """Each run of consecutive added lines: its first byte in the new file, and the one after its last."""
    spans: list[Span] = []
    position = 0
    for line in change.script:
        if line.mark is Mark.REMOVED:
            continue
        end = position + len(line.content)
        if line.mark is Mark.ADDED:
            if spans and spans[-1][1] == position:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((position, end))
        position = end
    return spans


def _read(history: LineHistory, reader: TreeReader) -> list[dict[bytes, Tree]]:
    """What each commit adds, by path; commits that add nothing with a tree are left out."""
    commits = ({file.path: found for file in files if (found := _addition(file, reader))} for files in history.commits)
    return [commit for commit in commits if commit]


def _addition(file: ChangedFile, reader: TreeReader) -> Tree | None:
    """The tree of what a commit adds to a file, if it has any items."""
    if file.text is None or file.after is None or not file.after.is_file:
        return None
    spans = added_spans(file.text)
    added = reader.read(file.path, file.new, spans) if spans else None
    if added is None:
        return None
    tree = itemized(added)
    return tree if len(tree) > 1 else None


def _likeness(one: _Commit, other: _Commit, searcher: Searcher) -> float:
    distance = size = 0
    for snippets, haystacks in ((one, other), (other, one)):
        for path, addition in snippets.items():
            size += addition.size
            haystack = haystacks.get(path)
            if haystack is None:
                distance += addition.size
                continue
            unlike = [item for item, signature in addition.items if signature not in haystack.signatures]
            distance += searcher.distance(unlike, haystack.tree)
    return 1 - distance / size


def _assigned(rewards: np.ndarray) -> float:
    """The greatest sum of rewards with each commit in one pair at most."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(rewards, maximize=True)
    return float(rewards[rows, columns].sum())
