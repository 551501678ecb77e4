"""Keep evaluation out of training data, and the two sides of a split apart: by repositories and commits, not by names
of datasets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import UserError
from gitgoodbench.trajectories.rows import Row

EVALUATION_SUITES: Final = ("mini", "lite", "full")


@dataclass(frozen=True)
class Evaluation:
    """What evaluation suites are about. suites: which ones, with the fingerprints of their rows."""

    suites: tuple[tuple[str, str], ...]
    repositories: frozenset[str]
    commits: frozenset[str]

    def holds(self, row: Row) -> bool:
        """Whether a row is of a repository, or about a commit, of these suites."""
        return row.repository.lower() in self.repositories or not self.commits.isdisjoint(row.commits)


def load_evaluation(specs: Iterable[str] = EVALUATION_SUITES, *, offline: bool = False) -> Evaluation:
    """Read the suites that nothing may be trained on.

    Raises:
        UserError: one cannot be had, so that nothing can be promised.
    """
    suites, repositories, commits = [], set(), set()
    for spec in specs:
        try:
            suite = load_suite(spec, skip_invalid=True, offline=offline)
        except UserError as problem:
            raise UserError(
                f"rows cannot be compared with the evaluation suite {spec}: {problem}; give its file with "
                "--evaluation-suite FILE (repeat it for each suite), or --allow-evaluation-data"
            ) from problem
        suites.append((spec, suite.fingerprint))
        for sample in suite.samples:
            repositories.add(sample.name.lower())
            commits.update(sample_type(sample.sample_type).commits(sample.spec))
    return Evaluation(tuple(suites), frozenset(repositories), frozenset(commits))


def split(rows: Sequence[Row], share: float) -> tuple[list[Row], list[Row]]:
    """Divide rows into train and test, by repository.

    Repositories that share a commit (forks) are one. Those go to test, in an order that only their names decide, that
    together do not exceed the share of rows.

    Args:
        share: of the rows for test, in [0, 1).
    """
    groups = _groups(rows)
    sizes: dict[str, int] = {}
    for row in rows:
        sizes[groups[row.repository.lower()]] = sizes.get(groups[row.repository.lower()], 0) + 1
    room = share * len(rows)
    test: set[str] = set()
    for group in sorted(sizes, key=lambda name: hashlib.sha256(name.encode()).hexdigest()):
        if sizes[group] <= room:
            room -= sizes[group]
            test.add(group)
    sides: tuple[list[Row], list[Row]] = ([], [])
    for row in rows:
        sides[groups[row.repository.lower()] in test].append(row)
    return sides


def _groups(rows: Iterable[Row]) -> dict[str, str]:
    """The repositories, each with the first name of those it shares commits with."""
    parent: dict[str, str] = {}

    def top(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    of_commit: dict[str, str] = {}
    for row in rows:
        name = row.repository.lower()
        for commit in row.commits:
            one, other = sorted((top(name), top(of_commit.setdefault(commit, name))))
            parent[other] = one
        top(name)
    return {name: top(name) for name in parent}
