"""Disjoint splits of filtered rows: as published, stratified within each language and sample type.

Rows of such a group are laid out in a row, by difficulty, then project size, then repository (in an order drawn from
the seed), then by chance; every n-th is taken, from a start drawn from the seed. So each of these has its share to
within a row, where shares are whole rows, however small the strata are. (Drawing from every stratum by itself would
not do: with 20 rows to draw there are more strata than rows.)

Every draw depends on the seed and on names alone, not on the order in which rows come.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from gitgoodbench.mining.project import LARGEST, SIZES
from gitgoodbench.mining.records import MinedRow

LITE: Final = "lite"
FULL: Final = "full"
TRAIN: Final = "train"
FRESH: Final = "fresh"
SPLITS: Final = (LITE, FULL, TRAIN, FRESH)

_DIFFICULTIES: Final = ("easy", "medium", "hard")
_SIZES: Final = (*(name for name, _ in SIZES), LARGEST)

Group = tuple[str, str]
"""Language and sample type."""


@dataclass(frozen=True)
class SplitPlan:
    """How to split. lite, full: rows for each language and sample type; train gets the rest.

    A group with fewer rows than `lite` and `full` want gives to both in the same proportion, and nothing to train.
    by_repository: no two of lite, full and train share a repository.
    after: rows committed later than this (Unix time in seconds) are in a split of their own, `fresh`, alone.
    """

    lite: int = 20
    full: int = 150
    seed: int = 42
    by_repository: bool = False
    after: int | None = None


@dataclass(frozen=True)
class Splits:
    """Rows by split, in the order in which they came. left_over: rows that `by_repository` let no split have."""

    rows: Mapping[str, list[MinedRow]]
    left_over: int


def split_rows(rows: Sequence[MinedRow], plan: SplitPlan) -> Splits:
    """Give every row to one split."""
    fresh = [row for row in rows if plan.after is not None and row.candidate.committed > plan.after]
    older = [row for row in rows if plan.after is None or row.candidate.committed <= plan.after]
    given = _by_repository(older, plan) if plan.by_repository else _by_row(older, plan)
    split_of = {row.id: split for split, chosen in given.items() for row in chosen}
    split_of.update((row.id, FRESH) for row in fresh)
    names = SPLITS if plan.after is not None else SPLITS[:-1]
    parts = {name: [row for row in rows if split_of.get(row.id) == name] for name in names}
    return Splits(parts, len(rows) - sum(map(len, parts.values())))


def draw(rows: Sequence[MinedRow], count: int, seed: int) -> list[MinedRow]:
    """`count` of the rows, stratified."""
    if count >= len(rows):
        return list(rows)
    ordered = sorted(rows, key=lambda row: _stratum(row, seed))
    start = _fraction(seed, f"start:{ordered[0].language}:{ordered[0].sample_type}:{count}")
    return [ordered[int((number + start) * len(ordered) / count)] for number in range(count)]


def _by_row(rows: Sequence[MinedRow], plan: SplitPlan) -> dict[str, list[MinedRow]]:
    given: dict[str, list[MinedRow]] = {LITE: [], FULL: [], TRAIN: []}
    for members in _groups(rows).values():
        remaining = members
        for split, count in _quotas(len(members), plan).items():
            chosen = draw(remaining, count, plan.seed) if count else []
            given[split] += chosen
            taken = {row.id for row in chosen}
            remaining = [row for row in remaining if row.id not in taken]
        given[TRAIN] += remaining
    return given


def _by_repository(rows: Sequence[MinedRow], plan: SplitPlan) -> dict[str, list[MinedRow]]:
    """Repositories, in an order drawn from the seed, go to the first split that lacks rows of a kind they have."""
    quotas = {group: _quotas(len(members), plan) for group, members in _groups(rows).items()}
    missing = {split: {group: quota[split] for group, quota in quotas.items()} for split in (LITE, FULL)}
    repositories: dict[str, list[MinedRow]] = defaultdict(list)
    for row in rows:
        repositories[row.project.name].append(row)
    pool: dict[str, list[MinedRow]] = {LITE: [], FULL: [], TRAIN: []}
    for name in sorted(repositories, key=lambda name: _digest(plan.seed, name)):
        groups = _groups(repositories[name])
        split = next((split for split, lacks in missing.items() if any(lacks[group] > 0 for group in groups)), TRAIN)
        pool[split] += repositories[name]
        if split != TRAIN:
            for group, members in groups.items():
                missing[split][group] -= len(members)
    given = {TRAIN: pool[TRAIN]}
    for split in (LITE, FULL):
        groups = _groups(pool[split])
        given[split] = [
            row for group, members in groups.items() for row in draw(members, quotas[group][split], plan.seed)
        ]
    return given


def _quotas(available: int, plan: SplitPlan) -> dict[str, int]:
    wanted = plan.lite + plan.full
    if available >= wanted:
        return {LITE: plan.lite, FULL: plan.full}
    lite = -(-available * plan.lite // wanted)
    return {LITE: lite, FULL: available - lite}


def _groups(rows: Iterable[MinedRow]) -> dict[Group, list[MinedRow]]:
    groups: dict[Group, list[MinedRow]] = defaultdict(list)
    for row in rows:
        groups[row.language, row.sample_type].append(row)
    return dict(sorted(groups.items()))


def _stratum(row: MinedRow, seed: int) -> tuple[int, int, str, str]:
    difficulty = _DIFFICULTIES.index(row.candidate.difficulty or _DIFFICULTIES[-1])
    size = _SIZES.index(row.project.size) if row.project.size in _SIZES else -1
    return difficulty, size, _digest(seed, row.project.name), _digest(seed, row.id)


def _digest(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}:{text}".encode()).hexdigest()


def _fraction(seed: int, text: str) -> float:
    """A number drawn from [0, 1)."""
    return int(_digest(seed, text)[:13], 16) / 16**13


def unix_time(day: datetime) -> int:
    """A time without a zone is taken for UTC."""
    return int((day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp())
