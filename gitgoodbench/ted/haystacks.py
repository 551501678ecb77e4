"""Needles searched in several haystacks, over several cores where there is enough to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joblib import Parallel, cpu_count, delayed

from gitgoodbench.ted.limits import TreeTooLarge
from gitgoodbench.ted.matching import Match, closest_subtree, count_cells
from gitgoodbench.ted.tree import Tree

SHARED_CELLS: Final = 300_000_000
"""Cells (see `matching.count_cells`) from which on more than one core is used."""


@dataclass(frozen=True)
class Search:
    """A needle, and the haystacks in which to search for the closest subtree."""

    needle: Tree
    haystacks: Sequence[Tree]

    @property
    def cells(self) -> int:
        """Upper bound on the cells that have to be computed."""
        return sum(count_cells(self.needle, tree) for tree in self.haystacks)


@dataclass(frozen=True)
class HaystackMatch:
    """The closest subtree, and the position of its tree among the haystacks."""

    match: Match
    haystack: int


def run_search(search: Search) -> HaystackMatch | None:
    """The closest subtree of all haystacks, of several the first; None where there is none, or one is too large."""
    best: HaystackMatch | None = None
    try:
        for at, tree in enumerate(search.haystacks):
            match = closest_subtree(search.needle, tree)
            if best is None or match.distance < best.match.distance:
                best = HaystackMatch(match, at)
            if not match.distance:
                break
    except TreeTooLarge:
        return None
    return best


def run_searches(searches: Sequence[Search], jobs: int | None = None) -> list[HaystackMatch | None]:
    """What `run_search` finds of each.

    Args:
        jobs: threads (the kernel lets others run meanwhile); None for one per core, where there is enough to do.
    """
    if jobs is None:
        jobs = cpu_count() if sum(search.cells for search in searches) >= SHARED_CELLS else 1
    if jobs == 1 or len(searches) < 2:
        return [run_search(search) for search in searches]
    largest_first = sorted(range(len(searches)), key=lambda at: -searches[at].cells)
    done = Parallel(n_jobs=jobs, prefer="threads")(delayed(run_search)(searches[at]) for at in largest_first)
    found = dict(zip(largest_first, done, strict=True))
    return [found[at] for at in range(len(searches))]
