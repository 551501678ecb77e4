"""The published filters: what each removes, what it counts, and how it is switched off."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.mining.filters import apply_filters, installed_filters, newest_day, spdx_id
from gitgoodbench.mining.records import Candidate, MinedRow
from gitgoodbench.mining.rules import FilterSettings
from gitgoodbench.plugin_options import read_options
from gitgoodbench.plugins import SAMPLES
from gitgoodbench.sample_types.chains import ChainOptions
from gitgoodbench.sample_types.merge import MergeOptions
from gitgoodbench.sample_types.specs import CherryPickSpec
from tests.support.mined import chain_candidate, merge_candidate, mined_row, project

SETTINGS = FilterSettings(as_of=datetime(2025, 7, 1))
PICK = Candidate(
    spec=CherryPickSpec(
        operation="pick", picked_commit="1" * 40, onto="2" * 40, result_commit="3" * 40, files_in_conflict=("a.py",),
        number_of_files=1, total_number_of_conflicts=1,
    ),
    language=None, difficulty="easy", committed=1,
)  # fmt: skip


def removed_by(row: MinedRow, settings: FilterSettings = SETTINGS) -> list[str]:
    _, removed = apply_filters([row], settings)
    return [entry.name for entry in removed if entry.rows]


@pytest.mark.parametrize("candidate", [merge_candidate(conflicts=8), chain_candidate(length=6, purity=0.5)])
def test_a_row_at_every_threshold_stays(candidate: Candidate) -> None:
    assert removed_by(mined_row(candidate, project(last_commit="2025-05-31T00:00:00"))) == []


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("license", {"license": "GNU General Public License v3.0"}),
        ("stars", {"stargazers": 999}),
        ("branches", {"branches": 4}),
        ("contributors", {"contributors": 9}),
        ("fork", {"is_fork": True}),
        ("archived", {"is_archived": True}),
        ("recent", {"last_commit": "2025-05-30T23:59:59"}),
    ],
)
def test_a_project_that_misses_one_requirement_is_removed_by_its_filter_alone(name: str, facts: dict[str, Any]) -> None:
    row = mined_row(merge_candidate(), project(**facts))
    assert removed_by(row) == [name]
    assert removed_by(row, FilterSettings(as_of=SETTINGS.as_of, off=frozenset({name}))) == []


@pytest.mark.parametrize(
    ("name", "candidate"),
    [
        ("conflicts", merge_candidate(conflicts=9)),
        ("merge-files", merge_candidate(paths=("a.py", "a.pyi"))),
        ("merge-files", merge_candidate(paths=("x.ktor/README.md",))),
        ("chain-length", chain_candidate(length=2)),
        ("chain-length", chain_candidate(length=7)),
        ("chain-files", chain_candidate(sources_only=False)),
    ],
)
def test_a_sample_that_misses_one_requirement_is_removed_by_its_filter_alone(name: str, candidate: Candidate) -> None:
    row = mined_row(candidate)
    assert removed_by(row) == [name]
    assert removed_by(row, FilterSettings(as_of=SETTINGS.as_of, off=frozenset({name}))) == []


def test_a_chain_without_a_difficulty_is_in_no_dataset() -> None:
    impure = mined_row(chain_candidate(purity=0.49))
    assert removed_by(impure) == ["purity"]
    assert removed_by(impure, FilterSettings(as_of=SETTINGS.as_of, off=frozenset({"purity"}))) == ["sample"]


def test_a_pick_of_too_many_conflicts_or_in_other_files_is_in_no_dataset() -> None:
    assert removed_by(mined_row(PICK)) == []
    spec = PICK.spec_as(CherryPickSpec)
    for changes, name in (
        ({"total_number_of_conflicts": 9}, "pick-conflicts"),
        ({"files_in_conflict": ("a.py", "b.txt")}, "pick-files"),
    ):
        assert removed_by(mined_row(PICK.model_copy(update={"spec": spec.model_copy(update=changes)}))) == [name]


def test_an_unknown_fact_removes_a_row_and_is_counted_as_such() -> None:
    rows = [mined_row(merge_candidate(number), project(stargazers=None)) for number in (1, 5)]
    kept, removed = apply_filters([*rows, mined_row(merge_candidate(9), project(stargazers=3))], SETTINGS)
    stars = next(entry for entry in removed if entry.name == "stars")
    assert (kept, stars.rows, stars.unknown, stars.meaning) == ([], 3, 2, ">= 1000 stars")


def test_each_filter_counts_what_the_ones_before_have_left() -> None:
    rows = [
        mined_row(merge_candidate(1), project(stargazers=1, is_fork=True)),
        mined_row(merge_candidate(2), project(is_fork=True)),
        mined_row(merge_candidate(3)),
    ]
    kept, removed = apply_filters(rows, SETTINGS)
    assert {entry.name: entry.rows for entry in removed if entry.rows} == {"stars": 1, "fork": 1}
    assert kept == [rows[2]]


def test_the_same_commits_in_another_repository_are_kept_once() -> None:
    rows = [
        mined_row(candidate, project(name))
        for name in ("acme/tool", "copy/tool")
        for candidate in (merge_candidate(7), chain_candidate(8))
    ]
    kept, _ = apply_filters(rows, SETTINGS)
    assert [row.project.name for row in kept] == ["acme/tool", "acme/tool"]
    assert len(apply_filters(rows, FilterSettings(as_of=SETTINGS.as_of, off=frozenset({"duplicate"})))[0]) == 4


def test_the_same_changes_are_kept_once_within_a_repository_too() -> None:
    rows = [
        mined_row(chain_candidate(1, content="aa")),
        mined_row(chain_candidate(2, content="aa")),
        mined_row(chain_candidate(3, content="bb")),
        mined_row(chain_candidate(4)),
        mined_row(chain_candidate(5)),
        mined_row(merge_candidate(6, content="aa")),
        mined_row(merge_candidate(7, content="aa")),
    ]
    kept, removed = apply_filters(rows, SETTINGS)
    assert kept == [rows[0], *rows[2:6]]
    assert next(entry.rows for entry in removed if entry.name == "duplicate") == 2


def test_only_attainable_merges_are_kept_when_asked_for() -> None:
    rows = [
        mined_row(merge_candidate(1, attainable=False)),
        mined_row(merge_candidate(2)),
        mined_row(chain_candidate()),
    ]
    asked = replace(SETTINGS, asked=frozenset({"attainable"}))
    by_option = replace(SETTINGS, own=read_options(["merge.attainable_only=true"], (SAMPLES,)))
    assert apply_filters(rows, asked) == apply_filters(rows, by_option)
    assert apply_filters(rows, asked)[0] == rows[1:]
    assert apply_filters(rows, SETTINGS)[0] == rows


def test_a_filter_that_does_not_exist_is_a_mistake_that_lists_those_that_do() -> None:
    known = installed_filters()
    with pytest.raises(UserError, match=f"there is no filter 'beauty' to leave out: {', '.join(known.switchable)}"):
        apply_filters([], FilterSettings(off=frozenset({"beauty"})))
    with pytest.raises(UserError, match="there is no filter 'beauty' to apply: attainable"):
        apply_filters([], FilterSettings(asked=frozenset({"beauty"})))


def test_thresholds_of_a_sample_type_are_options_of_it() -> None:
    settings = replace(SETTINGS, own=(ChainOptions(min_purity=0.9), MergeOptions(max_conflicts=2)))
    rows = [mined_row(merge_candidate(1, conflicts=3)), mined_row(chain_candidate(2, purity=0.8))]
    kept, removed = apply_filters(rows, settings)
    assert (kept, [entry.meaning for entry in removed if entry.rows]) == (
        [],
        ["merges of 1 to 2 conflicts", "chains with a purity >= 0.9"],
    )


def test_idle_days_count_back_from_the_newest_commit_of_all() -> None:
    projects = [project(last_commit="2025-01-01T00:00:00"), project(last_commit=None), project()]
    assert newest_day(projects) == datetime(2025, 6, 30, 12)
    assert newest_day([project(last_commit=None)]) is None


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("MIT", "mit"),
        ("MIT License", "mit"),
        ("Apache License 2.0", "apache-2.0"),
        ("Apache-2.0", "apache-2.0"),
        ('BSD 3-Clause "New" or "Revised" License', "bsd-3-clause"),
        ('BSD 2-Clause "Simplified" License', "bsd-2-clause"),
        ("ISC License", "isc"),
        ("The Unlicense", "unlicense"),
        ("GNU Affero General Public License v3.0", "gnu affero general public license v3.0"),
        ("Other", "other"),
    ],
)
def test_licences_are_known_by_their_spdx_ids_and_by_githubs_names(licence: str, expected: str) -> None:
    assert spdx_id(licence) == expected
