"""Counts of a dataset's rows."""

from __future__ import annotations

from gitgoodbench.mining.statistics import by_difficulty, difficulties, repositories, rows_frame
from tests.support.mined import chain_candidate, merge_candidate, mined_row, project

ROWS = [
    mined_row(merge_candidate(1, attainable=True, difficulty="hard")),
    mined_row(merge_candidate(2, attainable=None, difficulty="hard")),
    mined_row(merge_candidate(3, attainable=False, difficulty="easy")),
    mined_row(chain_candidate(4, difficulty="medium"), project("acme/lib", license=None)),
]


def test_rows_are_counted_by_what_they_are_and_how_hard() -> None:
    assert dict(by_difficulty(rows_frame(ROWS), "sample_type")) == {
        ("file_commit_chain",): {"easy": 0, "medium": 1, "hard": 0},
        ("merge",): {"easy": 1, "medium": 0, "hard": 2},
    }
    assert list(difficulties(rows_frame(ROWS)).items()) == [("easy", 1), ("medium", 1), ("hard", 2)]


def test_repositories_with_most_rows_come_first() -> None:
    assert repositories(rows_frame(ROWS)) == [
        ("acme/tool", "MIT License", "tiny", 3),
        ("acme/lib", "unknown", "tiny", 1),
    ]


def test_no_rows_are_no_lines() -> None:
    nothing = rows_frame([])
    assert (list(by_difficulty(nothing, "language", "sample_type")), difficulties(nothing)) == (
        [],
        {"easy": 0, "medium": 0, "hard": 0},
    )
    assert repositories(nothing) == []
