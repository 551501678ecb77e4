"""Dates that cannot be are marked, move nothing and remove nobody else's rows."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.card import split_notes
from gitgoodbench.mining.filters import newest_day
from gitgoodbench.mining.history import Commit
from gitgoodbench.mining.options import MiningOptions
from gitgoodbench.mining.repository import mine_repository, open_walk, show_history
from gitgoodbench.mining.splits import SplitPlan, split_rows
from tests.support.mined import merge_candidate, mined_row, project
from tests.support.odd_repositories import BASE, build, left_out, mined_rows
from tests.support.oddities import ODDITIES

DAY = 86_400
START = 1_600_000_000

KINDS = {
    "date-milliseconds": (1, [(START + 3 * DAY, False), (START + 5 * DAY, True)]),
    "date-of-many-digits": (1, [(START + 3 * DAY, False), (START + 5 * DAY, True)]),
    "date-64-bits": (1, [(START + 2 * DAY, True), (START + 6 * DAY, False)]),
    "date-negative": (1, [(START + 2 * DAY, True), (START + 6 * DAY, False)]),
    "dates-2050": (7, [(0, True), (0, True)]),
    "dates-words": (7, [(0, True), (0, True)]),
    "people-absent": (7, [(0, True), (0, True)]),
    "branch-2050": (1, [(START + 3 * DAY, False), (START + 6 * DAY, True)]),
    "zone-long": (0, [(START + 3 * DAY, False), (START + 6 * DAY, False)]),
}
"""Commits whose dates are not believed; of the merge and the chain: when committed, whether marked."""


@pytest.mark.parametrize("name", KINDS)
def test_an_implausible_date_counts_as_that_of_the_newest_parent_and_is_marked(tmp_path: Path, name: str) -> None:
    build(tmp_path / "odd", ODDITIES[name])
    count, rows = KINDS[name]
    found = [(row["committed"], row.get("implausible_date", False)) for row in mined_rows(tmp_path / "odd")]
    assert found == rows
    assert left_out(tmp_path / "odd").get("implausible dates", 0) == count


class Watch:
    """Notes the times of commits."""

    def __init__(self) -> None:
        self.times: dict[str, tuple[int, bool]] = {}

    def visit(self, commit: Commit) -> None:
        self.times[commit.oid] = (commit.committed, commit.dated)


def test_every_commit_of_a_walk_says_whether_its_date_is_believed(tmp_path: Path) -> None:
    commits = build(tmp_path / "odd", ODDITIES["date-64-bits"])
    watch = Watch()
    with open_walk(Mirror(tmp_path / "odd").borrow(refs=True), MiningOptions()) as walk:
        show_history(walk, [watch])
    assert watch.times[commits[BASE]] == (START, True)
    assert [watch.times[commit] for commit in commits[2:5]] == [
        (START + 2 * DAY, True),
        (START + 2 * DAY, False),
        (START + 4 * DAY, True),
    ]


def test_since_does_not_believe_a_date_in_the_future(tmp_path: Path) -> None:
    build(tmp_path / "odd", ODDITIES["dates-2050"])
    mined = mine_repository(Mirror(tmp_path / "odd").borrow(refs=True), MiningOptions(since=START))
    assert [len(spool) for spool in mined.found.values()] == [0, 0, 0]


def test_a_list_that_names_a_day_to_come_does_not_move_the_day_that_is_looked_back_from() -> None:
    projects = [project("a/a", last_commit="2025-06-30T12:00:00"), project("b/b", last_commit="2050-01-01T00:00:00")]
    assert newest_day(projects) == datetime(2025, 6, 30, 12)
    assert newest_day(projects[1:]) is None


def test_rows_of_an_unknown_time_are_on_neither_side_of_a_day_and_push_nobody_out() -> None:
    old, new, odd = (
        mined_row(merge_candidate(number, committed=committed, implausible_date=implausible), row_id=f"row_{number}")
        for number, (committed, implausible) in enumerate([(10, False), (30, False), (40, True)])
    )
    splits = split_rows([old, new, odd], SplitPlan(lite=1, full=1, after=20))
    assert [row.id for row in splits.rows["fresh"]] == ["row_1"]
    assert [row.id for part in ("lite", "full", "train") for row in splits.rows[part]] == ["row_0"]
    assert (splits.undated, splits.straddling, splits.stale, splits.lost) == (1, 0, 0, 1)
    notes = " ".join(split_notes(splits, SplitPlan(after=20)))
    assert "1 rows are in no split; 1 have an implausible date" in notes


def test_without_a_day_rows_of_an_unknown_time_are_in_splits_and_counted_on_the_card() -> None:
    rows = [mined_row(merge_candidate(n, implausible_date=n == 0), row_id=f"row_{n}") for n in range(3)]
    splits = split_rows(rows, SplitPlan(lite=1, full=1))
    assert sum(map(len, splits.rows.values())) == 3
    assert "1 rows have an implausible date" in " ".join(split_notes(splits, SplitPlan()))
