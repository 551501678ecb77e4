"""Broken surroundings and bad inputs through the real command line: those that take about a second each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.surroundings import CASES, Case, Surroundings, prepare, row

DOCS = Path(__file__).parents[2] / "docs" / "surroundings.md"
CHEAP = [case for case in CASES if case.cheap]


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    return prepare(tmp_path_factory.mktemp("surroundings"))


@pytest.mark.parametrize("case", CHEAP, ids=lambda case: case.command.removeprefix("gitgoodbench ")[:60])
def test_it_ends_in_one_line_with_nothing_lost_as_the_page_says(case: Case, surroundings: Surroundings) -> None:
    ended = surroundings.carry_out(case)
    assert ended.wrong == ""
    assert row(case, ended) in DOCS.read_text("utf-8")
