"""The order of members, entries and sections does not count, in any language."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.ted.languages import LANGUAGES, language_of_file
from tests.support.reorderings import REORDERINGS, Reordering, table

DOCUMENT = Path(__file__).parents[2] / "docs" / "similarity.md"


@pytest.mark.parametrize("one", REORDERINGS, ids=lambda one: f"{one.path}-{one.what}")
def test_parts_that_change_places_do_not_count(one: Reordering) -> None:
    language = language_of_file(one.path)
    assert language is not None
    if not language.core:
        pytest.importorskip(language.module)
    moved, without_last, unrelated = one.scores()
    assert moved == 1.0
    assert 0.75 < without_last < 1.0
    assert unrelated < (0.75 if language.name == "html" else 0.45)


def test_all_languages_are_tried() -> None:
    assert {language_of_file(one.path) for one in REORDERINGS} == set(LANGUAGES)


def test_the_table_in_the_documentation_is_what_comes_out() -> None:
    if not all(language.is_installed for language in LANGUAGES):
        pytest.skip("some grammars are not installed")
    assert "\n".join(table()) in DOCUMENT.read_text(encoding="utf-8")
