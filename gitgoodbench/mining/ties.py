"""Which rows of a dataset show the same thing, and so must not stand in two splits.

Two rows are tied by a commit that both show (see `MinedType.shown`). They are tied by their content where hunks of
theirs are near-identical (see `sketches`), or all their hunks are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gitgoodbench.mining.contract import mined_type
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.sketches import alike_pairs, load_sketch

Cause = Literal["commit", "content", "repository"]


@dataclass(frozen=True)
class Tie:
    """Positions of two rows or more that share something."""

    cause: Cause
    rows: tuple[int, ...]


def find_ties(rows: Sequence[MinedRow]) -> list[Tie]:
    """All ties between the rows."""
    commits: dict[Hashable, list[int]] = defaultdict(list)
    contents: dict[Hashable, list[int]] = defaultdict(list)
    sketches: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        for commit in mined_type(row.sample_type).shown(row):
            commits[commit].append(at)
        if row.candidate.content is not None:
            contents[row.candidate.content].append(at)
        for sketch in row.candidate.sketches:
            sketches[sketch].append(at)
    alike = alike_pairs([load_sketch(sketch) for sketch in sketches])
    owners = list(sketches.values())
    pairs = ([*owners[first], *owners[second]] for first, second in alike)
    return [
        *_ties("commit", commits.values()),
        *_ties("content", contents.values()),
        *_ties("content", owners),
        *_ties("content", pairs),
    ]


def repository_ties(rows: Sequence[MinedRow]) -> list[Tie]:
    """A tie for every repository."""
    repositories: dict[Hashable, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        repositories[row.project.name].append(at)
    return _ties("repository", repositories.values())


def components(count: int, ties: Iterable[Tie]) -> list[list[int]]:
    """Positions below `count`, in lists of those that ties hold together, be it through others."""
    edges = [(tie.rows[0], other) for tie in ties for other in tie.rows[1:]]
    first, second = np.array(edges, np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(edges), np.int8), (first, second)), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    found: dict[int, list[int]] = defaultdict(list)
    for at, label in enumerate(labels.tolist()):
        found[label].append(at)
    return list(found.values())


def within(ties: Iterable[Tie], positions: Sequence[int]) -> list[Tie]:
    """The ties between some of the rows, which are numbered anew in the order given."""
    numbers = {position: number for number, position in enumerate(positions)}
    parts = ((tie.cause, [numbers[row] for row in tie.rows if row in numbers]) for tie in ties)
    return [Tie(cause, tuple(part)) for cause, part in parts if len(part) > 1]


def _ties(cause: Cause, groups: Iterable[Sequence[int]]) -> list[Tie]:
    distinct = (tuple(dict.fromkeys(group)) for group in groups)
    return [Tie(cause, group) for group in distinct if len(group) > 1]
