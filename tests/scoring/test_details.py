"""Details of a result: readable, bounded, and made of anything."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.details import (
    IN_RESULT,
    MAX_ITEMS,
    CommitDetail,
    ConflictDetail,
    ConflictSides,
    Details,
    FileDetail,
    HistoriesDetail,
    Limits,
    PairDetail,
    cap,
    readable,
)


def conflict(number: int, text: str) -> ConflictDetail:
    return ConflictDetail(number=number, kind="text", exact=False, agent_text=text, truth_text="b\n")


def merge(*texts: str) -> Details:
    conflicts = tuple(conflict(number, text) for number, text in enumerate(texts, start=1))
    return Details(files=(FileDetail(path="a.py", exact=False, conflicts=conflicts),), diff="-a\n+b\n")


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"a\tb\r\n", "a\tb\r\n"),
        (b"\x1b[31mred\x00\x7f\xc2\x9b", "\\x1b[31mred\\x00\\x7f\\x9b"),
        (b"caf\xe9", "caf\\xe9"),
        ("ä \u2028".encode(), "ä \u2028"),
    ],
)
def test_content_is_readable_whatever_it_holds(content: bytes, shown: str) -> None:
    assert readable(content) == shown


def test_what_fits_is_kept_as_it_is() -> None:
    details = merge("a\n")
    assert cap(details, IN_RESULT) == details


def test_a_long_text_is_cut_and_the_cut_is_told_where_it_is() -> None:
    kept = cap(merge("ä" * 10, "short"), Limits(text=5, total=1000))
    first, second = kept.files[0].conflicts
    assert (first.agent_text, first.cut) == ("ää", True)
    assert (second.agent_text, second.truth_text, second.cut) == ("short", "b\n", False)
    assert (kept.diff, kept.cut) == ("-a\n+b", True)


def test_all_texts_together_are_bounded_and_the_diff_comes_last() -> None:
    kept = cap(merge("aaaa", "bbbb"), Limits(text=100, total=14))
    assert [(one.agent_text, one.truth_text) for one in kept.files[0].conflicts] == [("aaaa", "b\n"), ("bbbb", "")]
    assert kept.diff == ""
    assert kept.cut


def test_what_met_in_a_conflict_gives_way_to_what_was_made_of_it_and_comes_before_the_diff() -> None:
    sides = ConflictSides(base=None, ours="oooo", theirs="tttt")
    details = merge("aaaa", "bbbb")
    conflicts = tuple(one.model_copy(update={"sides": sides}) for one in details.files[0].conflicts)
    details = details.model_copy(update={"files": (details.files[0].model_copy(update={"conflicts": conflicts}),)})
    assert cap(details, Limits(text=100, total=1000)) == details
    kept = cap(details, Limits(text=100, total=len("a.py") + 12 + 6))
    first, second = kept.files[0].conflicts
    assert (first.agent_text, first.sides, first.cut) == ("aaaa", ConflictSides(ours="oooo", theirs="tt"), True)
    assert (second.agent_text, second.sides, second.cut) == ("bbbb", None, True)
    assert (kept.diff, kept.cut) == ("", True)


def test_details_of_before_say_that_sides_and_reach_are_unknown() -> None:
    old = {"files": [{"path": "a", "exact": True, "conflicts": [{"number": 1, "kind": "text", "exact": True}]}]}
    (file,) = Details.model_validate(old).files
    assert (file.out_of_reach, file.conflicts[0].sides) == (None, None)


def test_lists_are_bounded() -> None:
    many = cap(merge(*["x"] * (MAX_ITEMS + 1)), IN_RESULT)
    assert (len(many.files[0].conflicts), many.cut) == (MAX_ITEMS, True)
    commit = CommitDetail(id="c" * 40, message="m", files=("f",) * 60)
    pair = PairDetail(agent=1, truth=1, similarity=1.0, at_least=1.0)
    histories = HistoriesDetail(agent=(commit,) * (MAX_ITEMS + 1), pairs=(pair,) * (MAX_ITEMS + 1))
    kept = cap(Details(histories=histories), IN_RESULT)
    assert kept.histories is not None
    assert kept.histories.pairs is not None
    assert (len(kept.histories.agent), len(kept.histories.pairs), kept.cut) == (MAX_ITEMS, MAX_ITEMS, True)
    assert (len(kept.histories.agent[0].files), kept.histories.agent[0].cut) == (50, True)


def test_what_only_a_scenario_knows_is_kept_whole_or_not_at_all() -> None:
    assert cap(Details(more={"a": [1, 2]}), IN_RESULT).more == {"a": [1, 2]}
    kept = cap(Details(more={"a": "x" * 100_000}), IN_RESULT)
    assert (kept.more, kept.cut) == ({}, True)


@given(st.lists(st.binary(max_size=300), max_size=20), st.binary(max_size=2000))
def test_no_content_breaks_the_file_or_its_bounds(contents: list[bytes], diff: bytes) -> None:
    texts = [readable(content) for content in contents]
    details = cap(merge(*texts).model_copy(update={"diff": readable(diff)}), Limits(text=64, total=512))
    written = json.dumps(details.model_dump(mode="json")).encode("ascii")
    assert Details.model_validate_json(written) == details
    shown = [one for conflict in details.files[0].conflicts for one in (conflict.agent_text, conflict.truth_text)]
    assert all(len((text or "").encode()) <= 64 for text in [*shown, details.diff])
    assert sum(len((text or "").encode()) for text in [*shown, details.diff]) <= 512
