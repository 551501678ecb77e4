"""Surviving lines: the same as a full comparison finds where it is short, and found in time where it is long."""

from __future__ import annotations

import random

import pytest

from gitgoodbench.git import line_matches
from gitgoodbench.git.line_matches import matching_lines


def lines(text: str) -> list[bytes]:
    return [word.encode() + b"\n" for word in text.split()]


def test_equal_ends_and_unique_lines_survive_and_moved_ones_do_not() -> None:
    assert matching_lines(lines("a b c d"), lines("a x c d")) == {0: 0, 2: 2, 3: 3}
    assert matching_lines(lines("one two three"), lines("three one two")) == {0: 1, 1: 2}
    assert matching_lines([], lines("a")) == matching_lines(lines("a"), []) == {}


def test_matches_ascend_and_join_equal_lines_whatever_the_texts() -> None:
    chance = random.Random(7)
    for _ in range(300):
        old, new = ([b"%d\n" % chance.randrange(6) for _ in range(chance.randrange(30))] for _ in range(2))
        matches = matching_lines(old, new)
        assert list(matches) == sorted(matches)
        assert list(matches.values()) == sorted(set(matches.values()))
        assert all(old[i] == new[j] for i, j in matches.items())


@pytest.mark.parametrize(
    ("limit", "matches"),
    [
        (32, {1: 0, 2: 1, 3: 2, 4: 4, 6: 5, 7: 6, 8: 7}),
        (31, {4: 4, 6: 5, 7: 6, 8: 7}),
        (15, {4: 4}),
    ],
)
def test_stretches_beyond_the_limit_count_as_rewritten(
    monkeypatch: pytest.MonkeyPatch, limit: int, matches: dict[int, int]
) -> None:
    monkeypatch.setattr(line_matches, "WORK_LIMIT", limit)
    assert matching_lines(lines("x y y x once x y y x"), lines("y y x y once y y x y")) == matches


def test_long_texts_of_repeated_lines_are_matched() -> None:
    chance = random.Random(1)
    old = [chance.choice([b"{\n", b"}\n", b"x\n", b"%d\n" % chance.randrange(1000)]) for _ in range(20_000)]
    new = list(old)
    for _ in range(1000):
        new[chance.randrange(len(new))] = b"changed\n"
    matches = matching_lines(old, new)
    matching_lines([b"\n"] * 500 + [b"q\n"], [b"\n"] * 200_000 + [b"z\n"])
    assert len(matches) > 18_000
