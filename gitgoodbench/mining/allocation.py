"""Units of rows that must stay together, given to splits so that these come near the sizes wanted of each.

An integer program (scipy's `milp`, the solver HiGHS) gives every unit to one split. What it makes small is the sum over
groups (a language and a sample type) of

- the share that each split lacks of the rows wanted of it (so a split without any costs as much as any other);
- the share of the group's rows that are lost: what a split of limited size has beyond its size;
- a tenth of the share of rows that differ from the difficulties wanted, which decides only where the others do not.

Units with equal counts are interchangeable: the program says how many of each sort a split gets, and who asks draws
which. So its size does not grow with the rows of a dataset, most of which are units of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

Group = tuple[str, str]
"""Language and sample type."""

Stratum = tuple[str, str, str]
"""Language, sample type and difficulty."""

Sort = tuple[tuple[Stratum, int], ...]
"""How many rows of each stratum a unit has; ascending."""

_BALANCE: Final = 0.1
_GAP: Final = 1e-3
_WORK: Final = 60_000
"""Nodes of the search tree times whole variables: some seconds, where there are hundreds of units. Not a time, so that
the same rows give the same splits on every machine.
"""


@dataclass(frozen=True)
class Wanted:
    """Rows wanted of a split, by group. limited: it has no more; what its units have beyond that is lost."""

    rows: Mapping[Group, int]
    limited: bool


@dataclass(frozen=True)
class Allocation:
    """How many units of each sort go to each split. cost: see the module. bound: no allocation costs less than this."""

    units: Mapping[str, Mapping[Sort, int]]
    cost: float
    bound: float


def sort_of(strata: Sequence[Stratum]) -> Sort:
    """The sort of a unit with rows of these strata."""
    return tuple(sorted(Counter(strata).items()))


def allocate(sorts: Sequence[tuple[Sort, int]], wanted: Mapping[str, Wanted]) -> Allocation:
    """Give units to splits.

    Args:
        sorts: each sort and how many units there are of it. Of allocations that cost the same their order decides.

    The search ends within 0.001 (relative to 1 + cost) of the best there is, or after a fixed amount of work.
    """
    if not sorts:
        return Allocation({split: {} for split in wanted}, 0.0, 0.0)
    program = _Program()
    units = {
        (split, sort): program.variable(0.0, upper=number, whole=True) for sort, number in sorts for split in wanted
    }
    for sort, number in sorts:
        program.between({units[split, sort]: 1.0 for split in wanted}, number, number)
    strata: dict[Stratum, dict[Sort, int]] = defaultdict(dict)
    for sort, _ in sorts:
        for stratum, count in sort:
            strata[stratum][sort] = count
    numbers = dict(sorts)
    have = {stratum: sum(numbers[sort] * count for sort, count in own.items()) for stratum, own in strata.items()}
    total: Counter[Group] = Counter()
    for stratum, count in have.items():
        total[stratum[:2]] += count
    for split, goal in wanted.items():
        for group, rows in total.items():
            own = [stratum for stratum in strata if stratum[:2] == group]
            taken: dict[int, float] = {}
            for stratum in own:
                part = {units[split, sort]: float(count) for sort, count in strata[stratum].items()}
                for variable, weight in part.items():
                    taken[variable] = taken.get(variable, 0.0) + weight
                share = goal.rows[group] * have[stratum] / rows
                program.deviation(part, share, _BALANCE / rows, _BALANCE / rows)
            size = goal.rows[group]
            program.deviation(taken, size, 1 / size if size else 0.0, 1 / rows if goal.limited else 0.0)
    values, cost, bound = program.solve()
    found = {split: {sort: round(values[units[split, sort]]) for sort, _ in sorts} for split in wanted}
    return Allocation(found, cost, bound)


@dataclass
class _Program:
    """A linear program in the making, with a variable that is always 1 and costs 1.

    That one makes the solver's relative gap an absolute one where the best cost is near zero.
    """

    costs: list[float] = field(default_factory=lambda: [1.0])
    lower: list[float] = field(default_factory=lambda: [1.0])
    upper: list[float] = field(default_factory=lambda: [1.0])
    whole: list[bool] = field(default_factory=lambda: [False])
    rows: list[tuple[dict[int, float], float, float]] = field(default_factory=list)

    def variable(self, cost: float, *, upper: float = np.inf, whole: bool = False) -> int:
        self.costs.append(cost)
        self.lower.append(0.0)
        self.upper.append(upper)
        self.whole.append(whole)
        return len(self.costs) - 1

    def between(self, terms: Mapping[int, float], least: float, most: float) -> None:
        self.rows.append((dict(terms), least, most))

    def deviation(self, terms: Mapping[int, float], target: float, below: float, above: float) -> None:
        """Let a sum differ from its target, at a cost for each below it and above it."""
        self.between({**terms, self.variable(below): 1.0, self.variable(above): -1.0}, target, target)

    def solve(self) -> tuple[list[float], float, float]:
        """The values, their cost, and a lower bound of the cost."""
        entries = list(self._entries())
        at, columns, values = (np.array(part) for part in zip(*entries, strict=True))
        matrix = coo_array((values, (at, columns)), shape=(len(self.rows), len(self.costs))).tocsr()
        result = milp(
            np.array(self.costs),
            integrality=np.array(self.whole, np.int8),
            bounds=Bounds(np.array(self.lower), np.array(self.upper)),
            constraints=LinearConstraint(
                matrix, np.array([least for _, least, _ in self.rows]), np.array([most for _, _, most in self.rows])
            ),
            options={"mip_rel_gap": _GAP, "node_limit": 1 + _WORK // sum(self.whole)},
        )
        if result.x is None:
            raise RuntimeError(f"the allocation of rows to splits was not solved: {result.message}")
        return list(result.x), float(result.fun) - 1, float(result.mip_dual_bound) - 1

    def _entries(self) -> Iterator[tuple[int, int, float]]:
        for at, (terms, _, _) in enumerate(self.rows):
            for column, value in terms.items():
                yield at, column, value
