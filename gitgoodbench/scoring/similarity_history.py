"""How near a history is to the real one, by syntax trees: which of its commits add what which real commit adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Final

import numpy as np

from gitgoodbench.git.hunks import Mark, TextChange
from gitgoodbench.scoring.assignment import best_assignment
from gitgoodbench.scoring.history_lines import ChangedFile, LineHistory
from gitgoodbench.scoring.similarity_lazy import Addition, Distance, Distances, Step, additions
from gitgoodbench.scoring.similarity_trees import Searcher, TooMuch, TreeReader
from gitgoodbench.ted import Tree
from gitgoodbench.ted.fragments import Span
from gitgoodbench.ted.items import itemized

MAX_NODES: Final = 2_000_000
"""Nodes of what the commits of one history add, up to which it is compared: some 150,000 lines of code."""


@dataclass(frozen=True)
class CommitPair:
    """An agent's commit and a real one, by position, and the bounds of their reward."""

    agent: int
    truth: int
    at_most: float
    at_least: float


@dataclass(frozen=True)
class HistorySimilarity:
    """How near two histories are, from 0 to 1.

    value: where it would take too long to know exactly, an upper bound; then `at_least` is a lower one, else the same.
    pairs: of an agent's commit and a real one. evaluated: those whose reward is known exactly. pairing: the best one.
    """

    value: float
    at_least: float
    pairs: int
    evaluated: int
    pairing: tuple[CommitPair, ...] = field(default=(), compare=False)

    @property
    def is_exact(self) -> bool:
        return self.at_least == self.value


def history_similarity(agent: LineHistory, truth: LineHistory) -> float | None:
    """The value of `compare_histories`."""
    found = compare_histories(agent, truth)
    return None if found is None else found.value


def compare_histories(agent: LineHistory, truth: LineHistory) -> HistorySimilarity | None:
    """The mean reward of the commits of two histories, paired so that it is greatest; a commit without partner has 0.

    The reward of a pair is that of `ted.reward`, taken both ways: with the lines that one commit adds to a file as
    snippets (parsed within the file, item by item) and those that the other adds to it as the haystack, and the other
    way round; r = 1 - sum d_i / sum |t_i| over both. So a commit that holds but a small part of another is not like it.

    Commits that add nothing that can be parsed are left out. None where that is all commits.

    Raises:
        TooMuch: a history adds more than `MAX_NODES`.
    """
    reader = TreeReader()
    read = [_read(history, reader) for history in (agent, truth)]
    found = compare_commits(*([commit for _, commit in commits] for commits in read))
    if found is None:
        return None
    here, there = ([position for position, _ in commits] for commits in read)
    return replace(
        found, pairing=tuple(replace(pair, agent=here[pair.agent], truth=there[pair.truth]) for pair in found.pairing)
    )


def compare_commits(
    agent: Sequence[Mapping[bytes, Tree]], truth: Sequence[Mapping[bytes, Tree]]
) -> HistorySimilarity | None:
    """The same of what each commit adds to which file, as trees whose children are items (see `ted.items`).

    Rewards are computed only as far as the best pairing needs them. Each has an upper bound; the pairing is the best
    one by the bounds, and the rewards in it are refined, until all of them are exact. No other pairing is better then,
    for none is above its bounds.
    """
    if not agent and not truth:
        return None
    if not agent or not truth:
        return HistorySimilarity(0.0, 0.0, 0, 0)
    found = iter(additions([tree for commits in (agent, truth) for commit in commits for tree in commit.values()]))
    first, second = ([{path: next(found) for path in commit} for commit in commits] for commits in (agent, truth))
    distances = Distances()
    pairs = [[_Pair(one, other, distances) for other in second] for one in first]
    pairing = _best_pairing(pairs)
    value, at_least = fsum(pair.at_most for pair in pairing), fsum(pair.at_least for pair in pairing)
    most = max(len(first), len(second))
    evaluated = sum(pair.at_least == pair.at_most for row in pairs for pair in row)
    return HistorySimilarity(value / most, at_least / most, len(first) * len(second), evaluated, pairing)


_Commit = Mapping[bytes, Addition]


class _Pair:
    """Two commits, and what is known of their reward."""

    def __init__(self, one: _Commit, other: _Commit, distances: Distances) -> None:
        self.size = self._missing = 0
        self._distances: list[tuple[Distance, int]] = []
        for snippets, haystacks in ((one, other), (other, one)):
            for path, addition in snippets.items():
                self.size += addition.size
                if path in haystacks:
                    self._distances += distances.of(addition, haystacks[path])
                else:
                    self._missing += addition.size

    @property
    def at_most(self) -> float:
        """The reward is not above."""
        return 1 - (self._missing + sum(count * one.least for one, count in self._distances)) / self.size

    @property
    def at_least(self) -> float:
        """The reward is not below."""
        return 1 - (self._missing + sum(count * one.most for one, count in self._distances)) / self.size

    @property
    def is_settled(self) -> bool:
        return all(one.is_settled for one, _ in self._distances)

    def refine(self, searcher: Searcher) -> None:
        """Better bounds of all distances that have the coarsest one; then the exact half of them, of large items first.

        Mostly half of them tell that the pair is not one of the best.
        """
        waiting = sorted(self._waiting(), key=lambda one: -len(one.item))
        coarse = [one for one in waiting if one.step is Step.LABELS]
        for one in coarse or waiting[: (len(waiting) + 1) // 2]:
            one.refine(searcher)

    def _waiting(self) -> Iterator[Distance]:
        return (one for one, _ in self._distances if not one.is_settled)


def _best_pairing(pairs: Sequence[Sequence[_Pair]]) -> tuple[CommitPair, ...]:
    """The pairing with the greatest sum of rewards, each commit in one pair at most; by upper bounds where need be."""
    searcher = Searcher()
    bounds = np.array([[pair.at_most for pair in row] for row in pairs])
    while True:
        chosen = best_assignment(bounds)
        places = [row for row, _ in chosen], [column for _, column in chosen]
        best = [pairs[row][column] for row, column in chosen]
        for pair in best:
            if not pair.is_settled:
                pair.refine(searcher)
        refined = [pair.at_most for pair in best]
        if refined == bounds[places].tolist() and all(pair.is_settled for pair in best):
            return tuple(
                CommitPair(*where, reward, pair.at_least)
                for where, reward, pair in zip(chosen, refined, best, strict=True)
            )
        bounds[places] = refined


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


def _read(history: LineHistory, reader: TreeReader) -> list[tuple[int, dict[bytes, Tree]]]:
    """What each commit adds, by path, with its position; commits that add nothing with a tree are left out.

    Raises:
        TooMuch: it has more than `MAX_NODES`.
    """
    found: list[tuple[int, dict[bytes, Tree]]] = []
    nodes = 0
    for position, files in enumerate(history.commits):
        commit: dict[bytes, Tree] = {}
        for file in files:
            tree = _addition(file, reader)
            if tree is not None:
                commit[file.path] = tree
                nodes += len(tree)
            if nodes > MAX_NODES:
                raise TooMuch(f"what the commits add has more than {MAX_NODES:,} nodes")
        if commit:
            found.append((position, commit))
    return found


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
