"""Splits: disjoint, stratified, drawn by a seed alone, and without common repositories where that is asked for."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from gitgoodbench.mining.records import Candidate, MinedRow, sample_id
from gitgoodbench.mining.sketches import sketches_of
from gitgoodbench.mining.splits import FRESH, FULL, LITE, TRAIN, SplitPlan, draw, split_rows
from gitgoodbench.mining.ties import components, find_ties
from gitgoodbench.sample_types.chains import ChainColumns
from tests.support.mined import chain_candidate, merge_candidate, mined_row, project

SIZES = (500, 5_000, 50_000)


def corpus(repositories: int = 12, merges: int = 20) -> list[MinedRow]:
    """Rows of many repositories; of ten merges six are easy, one is medium, three are hard."""
    rows = []
    for number in range(repositories):
        of = project(f"acme/r{number}", code_lines=SIZES[number % 3])
        for position in range(merges):
            difficulty = "easy" if position % 10 < 6 else "medium" if position % 10 < 7 else "hard"
            candidate = merge_candidate(
                1000 * number + position, difficulty=difficulty, committed=position,
                language=("python", "java")[number % 2],
            )  # fmt: skip
            rows.append(mined_row(candidate, of, sample_id(of.name, "merge", position)))
    return rows


def ids(rows: list[MinedRow]) -> list[str]:
    return [row.id for row in rows]


def test_every_row_is_in_exactly_one_split_of_the_size_asked_for() -> None:
    rows = corpus()
    splits = split_rows(rows, SplitPlan(lite=20, full=50)).rows
    assert {name: len(part) for name, part in splits.items()} == {LITE: 40, FULL: 100, TRAIN: 100}
    assert sorted(id for part in splits.values() for id in ids(part)) == sorted(ids(rows))
    assert Counter(row.language for row in splits[LITE]) == {"python": 20, "java": 20}


def test_difficulties_and_sizes_have_their_share_to_within_a_row() -> None:
    splits = split_rows(corpus(), SplitPlan(lite=20, full=50)).rows
    for language in ("python", "java"):
        lite = [row for row in splits[LITE] if row.language == language]
        assert Counter(row.candidate.difficulty for row in lite) == {"easy": 12, "medium": 2, "hard": 6}
        sizes = Counter(row.project.size for row in lite)
        assert sorted(map(str, sizes)) == ["medium", "small", "tiny"]
        assert max(sizes.values()) - min(sizes.values()) <= 2
        assert len({row.project.name for row in lite}) == 6


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_rows() -> None:
    rows = corpus()
    shuffled = random.Random(1).sample(rows, len(rows))
    plan = SplitPlan(lite=10, full=20)
    first, second = split_rows(rows, plan).rows, split_rows(shuffled, plan).rows
    assert {name: sorted(ids(part)) for name, part in first.items()} == {
        name: sorted(ids(part)) for name, part in second.items()
    }
    assert ids(split_rows(rows, SplitPlan(lite=10, full=20, seed=43)).rows[LITE]) != ids(first[LITE])


def test_a_small_group_is_shared_out_in_the_same_proportion() -> None:
    rows = corpus(repositories=2, merges=17)
    splits = split_rows(rows, SplitPlan(lite=20, full=150)).rows
    assert {name: len(part) for name, part in splits.items()} == {LITE: 4, FULL: 30, TRAIN: 0}


def test_no_repository_is_in_two_splits_when_they_are_split_by_repository() -> None:
    rows = corpus()
    result = split_rows(rows, SplitPlan(lite=15, full=30, by_repository=True))
    repositories = {name: {row.project.name for row in part} for name, part in result.rows.items()}
    assert repositories[LITE] | repositories[FULL] | repositories[TRAIN] == {row.project.name for row in rows}
    assert sum(map(len, repositories.values())) == 12
    assert Counter(row.language for row in result.rows[LITE]) == {"python": 15, "java": 15}
    assert Counter(row.language for row in result.rows[FULL]) == {"python": 30, "java": 30}
    assert result.left_over == len(rows) - sum(map(len, result.rows.values())) == 2 * (5 + 10)


def test_what_is_younger_than_the_day_given_is_in_the_fresh_split_alone() -> None:
    result = split_rows(corpus(), SplitPlan(lite=5, full=10, after=14))
    assert {row.candidate.committed for row in result.rows[FRESH]} == {15, 16, 17, 18, 19}
    assert max(row.candidate.committed for name in (LITE, FULL, TRAIN) for row in result.rows[name]) == 14
    assert FRESH not in split_rows(corpus(), SplitPlan()).rows


def test_merges_and_chains_are_groups_of_their_own() -> None:
    rows = corpus()
    rows += [
        mined_row(chain_candidate(number), row_id=sample_id("acme/tool", "file_commit_chain", number))
        for number in range(9)
    ]
    splits = split_rows(rows, SplitPlan(lite=3, full=3)).rows
    count = Counter((row.language, row.sample_type) for row in splits[LITE])
    assert count == {("python", "merge"): 3, ("java", "merge"): 3, ("python", "file_commit_chain"): 3}


@settings(max_examples=30, deadline=None)
@given(count=st.integers(0, 40), seed=st.integers(0, 100))
def test_a_draw_gives_as_many_distinct_rows_as_there_are(count: int, seed: int) -> None:
    rows = [row for row in corpus(repositories=2, merges=15) if row.language == "python"]
    drawn = ids(draw(rows, count, seed)) if count else []
    assert len(set(drawn)) == len(drawn) == min(count, len(rows))


def chains(*candidates: Candidate, repositories: int = 1) -> list[MinedRow]:
    """Rows of chains, as many in each of some repositories."""
    return [
        mined_row(
            candidate, project(f"acme/c{number % repositories}"), sample_id("acme/c", "file_commit_chain", number)
        )
        for number, candidate in enumerate(candidates)
    ]


def split_of(rows: list[MinedRow], plan: SplitPlan) -> dict[str, str]:
    return {row.id: name for name, part in split_rows(rows, plan).rows.items() for row in part}


def test_chains_that_share_a_commit_are_on_one_side_whatever_the_seed() -> None:
    twins = [chain_candidate(1), chain_candidate(1, length=4)]
    rows = chains(*twins, *(chain_candidate(number) for number in range(2, 12)))
    for seed in range(10):
        sides = split_of(rows, SplitPlan(lite=4, full=4, seed=seed))
        assert len(sides) == 12
        assert sides[rows[0].id] == sides[rows[1].id]
    tied = split_rows(rows, SplitPlan()).tied
    assert (tied.rows, tied.units, tied.largest, tied.by_commit, tied.by_content) == (2, 1, 2, 2, 0)


def test_a_side_of_a_merge_ties_it_to_other_merges_and_to_chains() -> None:
    chain = chain_candidate(5)
    first, second = merge_candidate(1), merge_candidate(2)
    side = first.spec.model_copy(update={"parents": (chain.columns_as(ChainColumns).commits[-1], "d" * 40)})
    other = second.spec.model_copy(update={"parents": ("d" * 40, "e" * 40)})
    rows = [
        mined_row(candidate, row_id=f"row {number}")
        for number, candidate in enumerate(
            (
                chain,
                first.model_copy(update={"spec": side}),
                second.model_copy(update={"spec": other}),
                chain_candidate(6),
            )
        )
    ]
    assert components(4, find_ties(rows)) == [[0, 1, 2], [3]]


def test_near_identical_hunks_tie_rows_of_different_repositories() -> None:
    text = b" ".join(b"word%d" % number for number in range(40))
    near, far = text.replace(b"word7 ", b"other "), text[::-1]
    rows = chains(
        *(chain_candidate(number, sketches=sketches_of([hunk])) for number, hunk in enumerate((text, near, far), 1)),
        repositories=3,
    )
    assert components(3, find_ties(rows)) == [[0, 1], [2]]
    assert [tie.cause for tie in find_ties(rows)] == ["content"]


def test_split_by_repository_keeps_as_many_rows_as_it_can() -> None:
    sizes = {"a": 30, "b": 150, "c": 300, "d": 20, "e": 140, "f": 260, "g": 150, "h": 160}
    rows = [
        mined_row(
            merge_candidate(1000 * at + position, language="python" if name in "abc" else "java"),
            project(f"acme/{name}"), sample_id(f"acme/{name}", "merge", position),
        )
        for at, (name, size) in enumerate(sizes.items())
        for position in range(size)
    ]  # fmt: skip
    result = split_rows(rows, SplitPlan(by_repository=True))
    names = {split: "".join(sorted({row.project.name[-1] for row in part})) for split, part in result.rows.items()}
    assert names[LITE] == "ad"
    assert {split: len(part) for split, part in result.rows.items()} == {LITE: 40, FULL: 300, TRAIN: 860}
    assert result.left_over == 10
    assert result.cost - result.bound <= 0.002


def test_repositories_that_share_commits_are_split_as_one() -> None:
    rows = [
        mined_row(chain_candidate(number), project(f"acme/r{name}"), f"{name} {number}")
        for name in range(6)
        for number in range(10 * name, 10 * name + 11)  # the last chain is the first one of the next repository
    ]
    result = split_rows(rows, SplitPlan(lite=2, full=4, by_repository=True))
    assert [len(part) for part in result.rows.values()].count(0) == 2
    assert result.tied.units == 5


def test_fresh_holds_nothing_that_began_before_the_day_or_is_tied_to_it() -> None:
    rows = chains(
        chain_candidate(1, begun=10, committed=50),
        chain_candidate(2, begun=90, committed=150),
        chain_candidate(3, begun=101, committed=150),
        chain_candidate(4, begun=101, committed=150),
        chain_candidate(1, begun=101, committed=160),
        chain_candidate(2, begun=120, committed=160),
    )
    result = split_rows(rows, SplitPlan(lite=1, full=1, after=100))
    assert ids(result.rows[FRESH]) == ids([rows[2], rows[3], rows[5]])
    assert [row.id for split in (LITE, FULL, TRAIN) for row in result.rows[split]] == [rows[0].id]
    assert (result.straddling, result.stale, result.left_over, result.lost) == (1, 1, 0, 2)
