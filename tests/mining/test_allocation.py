"""Allocations of units to splits: whole, near what is wanted, and as cheap as the best of all there are."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitgoodbench.mining.allocation import Group, Sort, Wanted, allocate, sort_of

GROUP: Group = ("python", "merge")


def unit(easy: int, hard: int = 0) -> Sort:
    return sort_of([(*GROUP, "easy")] * easy + [(*GROUP, "hard")] * hard)


def wanted(lite: int, full: int, train: int) -> dict[str, Wanted]:
    sizes = {"lite": lite, "full": full, "train": train}
    return {split: Wanted({GROUP: size}, limited=split != "train") for split, size in sizes.items()}


def test_units_of_one_row_fill_every_split_exactly_and_in_proportion() -> None:
    found = allocate([(unit(1), 60), (unit(0, 1), 30)], wanted(9, 21, 60))
    assert {split: dict(own) for split, own in found.units.items()} == {
        "lite": {unit(1): 6, unit(0, 1): 3},
        "full": {unit(1): 14, unit(0, 1): 7},
        "train": {unit(1): 40, unit(0, 1): 20},
    }
    assert found.cost == pytest.approx(0, abs=1e-6)


def test_a_lump_goes_where_none_of_it_is_lost() -> None:
    found = allocate([(unit(30), 1), (unit(1), 20)], wanted(5, 15, 30))
    assert [found.units[split][unit(30)] for split in ("lite", "full", "train")] == [0, 0, 1]
    assert [found.units[split][unit(1)] for split in ("lite", "full", "train")] == [5, 15, 0]


def test_no_units_are_no_allocation() -> None:
    assert allocate([], wanted(1, 1, 1)).units == {"lite": {}, "full": {}, "train": {}}


def cost(counts: list[tuple[int, int]], given_to: tuple[str, ...], goals: dict[str, Wanted]) -> float:
    """As the module says it, over one group."""
    total = sum(map(sum, counts))
    result = 0.0
    for split, goal in goals.items():
        own = [count for count, where in zip(counts, given_to, strict=True) if where == split]
        size, rows = goal.rows[GROUP], sum(map(sum, own))
        result += max(0, size - rows) / size if size else 0
        result += max(0, rows - size) / total if goal.limited else 0
        for at in range(2):
            share = size * sum(count[at] for count in counts) / total
            result += 0.1 * abs(sum(count[at] for count in own) - share) / total
    return result


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=6, unique=True))
def test_no_allocation_is_cheaper(counts: list[tuple[int, int]]) -> None:
    total = sum(map(sum, counts))
    goals = wanted(total // 8, total // 3, total - total // 8 - total // 3)
    found = allocate([(unit(*count), 1) for count in counts], goals)
    chosen = tuple(next(split for split in goals if found.units[split][unit(*count)]) for count in counts)
    least = min(cost(counts, given_to, goals) for given_to in product(goals, repeat=len(counts)))
    assert cost(counts, chosen, goals) == pytest.approx(found.cost, abs=1e-5)
    assert found.cost <= least + 2e-3
    assert found.bound <= least + 1e-6
