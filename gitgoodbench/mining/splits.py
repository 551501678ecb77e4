"""Disjoint splits of filtered rows: as published, stratified within each language and sample type.

Rows that show the same commit or near-identical content (see `ties`) are one unit, and with `by_repository` all rows
of a repository are. An allocation gives whole units to splits (see `allocation`). Which of the units that have equal
counts of rows, by language, sample type and difficulty, a split gets is drawn: they are laid out in a row by project
size, then repository (in an order drawn from the seed), then by chance; every n-th is taken, from a start drawn from
the seed. So each of these has its share to within a row, where shares are whole rows, however small the strata are.
Where the units of a split have more rows than it may, so many are drawn of them in the same way.

Every draw depends on the seed and on names alone, not on the order in which rows come.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.mining.allocation import Group, Sort, Stratum, Wanted, allocate, sort_of
from gitgoodbench.mining.project import SIZE_NAMES
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.ties import Tie, components, find_ties, repository_ties, within

LITE: Final = "lite"
FULL: Final = "full"
TRAIN: Final = "train"
FRESH: Final = "fresh"
SPLITS: Final = (LITE, FULL, TRAIN, FRESH)

T = TypeVar("T")


@dataclass(frozen=True)
class SplitPlan:
    """How to split. lite, full: rows for each language and sample type; train gets the rest.

    A group with fewer rows than `lite` and `full` want gives to both in the same proportion, and nothing to train.
    by_repository: no two of lite, full and train share a repository; fresh may share one with them.
    after: rows of which everything was committed later than this (Unix time in seconds; of a merge, the merge itself
        counts) and which are not tied to one that was not are in a split of their own, `fresh`, alone.
    """

    lite: int = 20
    full: int = 150
    seed: int = 42
    by_repository: bool = False
    after: int | None = None


@dataclass(frozen=True)
class Tied:
    """Rows that are tied to others. by_commit, by_content: rows tied so, some both ways. units: how many lumps of two
    rows or more they make, largest: rows of the largest one.
    """

    by_commit: int
    by_content: int
    rows: int
    units: int
    largest: int


@dataclass(frozen=True)
class Splits:
    """Rows by split, in the order in which they came, and how many are in no split.

    left_over: what units have beyond the size of their split. straddling: rows of several commits that `after` divides.
    stale: rows later than `after` that are tied to one that is not. undated: rows whose dates are implausible, where
    `after` asks for them. tied: before the split.
    cost, bound: of the allocation.
    """

    rows: Mapping[str, list[MinedRow]]
    left_over: int
    straddling: int
    stale: int
    undated: int
    tied: Tied
    cost: float
    bound: float

    @property
    def lost(self) -> int:
        """Rows in no split."""
        return self.left_over + self.straddling + self.stale + self.undated


def split_rows(rows: Sequence[MinedRow], plan: SplitPlan) -> Splits:
    """Give every row to one split, or to none where its place cannot be in any."""
    ties = find_ties(rows)
    older, later = _by_time(rows, plan.after)
    old = set(older)
    known = {at for tie in ties if not old.isdisjoint(tie.rows) for at in tie.rows}
    fresh = [at for at in later if at not in known]
    given, cost, bound = _allocated([rows[at] for at in older], within(ties, older), plan)
    split_of = {row.id: split for split, chosen in given.items() for row in chosen}
    split_of.update((rows[at].id, FRESH) for at in fresh)
    names = SPLITS if plan.after is not None else SPLITS[:-1]
    parts = {name: [row for row in rows if split_of.get(row.id) == name] for name in names}
    left_over = len(older) - sum(map(len, given.values()))
    stale = len(later) - len(fresh)
    undated = 0 if plan.after is None else sum(row.candidate.implausible_date for row in rows)
    straddling = len(rows) - len({*older, *later}) - undated
    return Splits(parts, left_over, straddling, stale, undated, _tied(len(rows), ties), cost, bound)


def draw(rows: Sequence[MinedRow], count: int, seed: int) -> list[MinedRow]:
    """`count` of the rows, stratified."""
    if count >= len(rows):
        return list(rows)
    name = f"start:{rows[0].language}:{rows[0].sample_type}:{count}"
    return _every_nth(rows, count, lambda row: _stratum(row, seed), _fraction(seed, name))


def _by_time(rows: Sequence[MinedRow], after: int | None) -> tuple[list[int], list[int]]:
    """Positions of rows before and after the time; in neither are those that it divides, or whose time is not known."""
    if after is None:
        return list(range(len(rows))), []
    dated = [(at, row) for at, row in enumerate(rows) if not row.candidate.implausible_date]
    older = [at for at, row in dated if row.candidate.committed <= after]
    later = [at for at, row in dated if _begun(row) > after]
    return older, later


def _begun(row: MinedRow) -> int:
    own = row.candidate
    return own.committed if own.begun is None else min(own.begun, own.committed)


def _allocated(
    rows: Sequence[MinedRow], ties: Sequence[Tie], plan: SplitPlan
) -> tuple[dict[str, list[MinedRow]], float, float]:
    """The rows of each split, the cost of the allocation, and the least there can be."""
    ties = [*ties, *(repository_ties(rows) if plan.by_repository else ())]
    units: dict[Sort, list[list[MinedRow]]] = defaultdict(list)
    for positions in components(len(rows), ties):
        unit = sorted((rows[at] for at in positions), key=lambda row: _stratum(row, plan.seed))
        units[sort_of([_counted(row) for row in unit])].append(unit)
    groups = _groups(rows)
    quotas = {group: _quotas(len(members), plan) for group, members in groups.items()}
    wanted = {
        split: Wanted({group: quota[split] for group, quota in quotas.items()}, limited=split != TRAIN)
        for split in (LITE, FULL, TRAIN)
    }
    sorts = sorted(units, key=lambda sort: _digest(plan.seed, repr(sort)))
    found = allocate([(sort, len(units[sort])) for sort in sorts], wanted)
    given: dict[str, list[MinedRow]] = {split: [] for split in wanted}
    for sort in sorts:
        for split, chosen in _drawn(units[sort], {name: found.units[name][sort] for name in wanted}, plan.seed).items():
            given[split] += [row for unit in chosen for row in unit]
    for split in (LITE, FULL):
        pools = _groups(given[split])
        given[split] = [row for group, pool in pools.items() for row in draw(pool, quotas[group][split], plan.seed)]
    return given, found.cost, found.bound


def _drawn(units: Sequence[list[MinedRow]], counts: Mapping[str, int], seed: int) -> dict[str, list[list[MinedRow]]]:
    """Units of one sort for each split, so many as it gets."""
    given = {}
    remaining = sorted(units, key=lambda unit: _stratum(unit[0], seed))
    for split, count in counts.items():
        first = units[0][0]
        start = _fraction(seed, f"start:{first.language}:{first.sample_type}:{first.candidate.difficulty}:{count}")
        given[split] = _every_nth(remaining, count, lambda unit: _stratum(unit[0], seed), start)
        taken = {unit[0].id for unit in given[split]}
        remaining = [unit for unit in remaining if unit[0].id not in taken]
    return given


def _every_nth(items: Sequence[T], count: int, key: Callable[[T], Any], start: float) -> list[T]:
    ordered = sorted(items, key=key)
    return [ordered[int((number + start) * len(ordered) / count)] for number in range(count)]


def _tied(count: int, ties: Sequence[Tie]) -> Tied:
    lumps = [len(positions) for positions in components(count, ties) if len(positions) > 1]
    by: dict[str, set[int]] = {
        cause: {at for tie in ties if tie.cause == cause for at in tie.rows} for cause in _CAUSES
    }
    return Tied(len(by["commit"]), len(by["content"]), sum(lumps), len(lumps), max(lumps, default=0))


_CAUSES: Final = ("commit", "content")


def _quotas(available: int, plan: SplitPlan) -> dict[str, int]:
    wanted = plan.lite + plan.full
    if available >= wanted:
        return {LITE: plan.lite, FULL: plan.full, TRAIN: available - wanted}
    lite = -(-available * plan.lite // wanted)
    return {LITE: lite, FULL: available - lite, TRAIN: 0}


def _groups(rows: Iterable[MinedRow]) -> dict[Group, list[MinedRow]]:
    groups: dict[Group, list[MinedRow]] = defaultdict(list)
    for row in rows:
        groups[row.language, row.sample_type].append(row)
    return dict(sorted(groups.items()))


def _counted(row: MinedRow) -> Stratum:
    return row.language, row.sample_type, row.candidate.difficulty or DIFFICULTIES[-1]


def _stratum(row: MinedRow, seed: int) -> tuple[int, int, str, str]:
    difficulty = DIFFICULTIES.index(row.candidate.difficulty or DIFFICULTIES[-1])
    size = SIZE_NAMES.index(row.project.size) if row.project.size in SIZE_NAMES else -1
    return difficulty, size, _digest(seed, row.project.name), _digest(seed, row.id)


def _digest(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}:{text}".encode()).hexdigest()


def _fraction(seed: int, text: str) -> float:
    """A number drawn from [0, 1)."""
    return int(_digest(seed, text)[:13], 16) / 16**13


def unix_time(day: datetime) -> int:
    """A time without a zone is taken for UTC."""
    return int((day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp())
