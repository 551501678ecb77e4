"""The order in which edited lines are told."""

from __future__ import annotations

import pytest

from gitgoodbench.git.line_pairs import pair_lines


def told(removed: list[bytes], added: list[bytes]) -> str:
    order = pair_lines(removed, added)
    assert sorted(order) == sorted([(True, i) for i in range(len(removed))] + [(False, i) for i in range(len(added))])
    return " ".join(("-" if is_removed else "+") + str(index) for is_removed, index in order)


@pytest.mark.parametrize(
    ("removed", "added", "order"),
    [
        ([], [], ""),
        ([b"a\n"], [], "-0"),
        ([b"first = 1\n", b"second = 2\n"], [b"first = 10\n", b"second = 20\n"], "-0 +0 -1 +1"),
        ([b"first = 1\n", b"second = 2\n"], [b"import x\n", b"second = 20\n"], "-0 +0 -1 +1"),
        ([b"first = 1\n", b"second = 2\n"], [b"second = 20\n"], "-0 -1 +0"),
        (
            [b"first = 1\n", b"second = 2\n", b"third(3)\n"],
            [b"first = 10\n", b"second = 20\n", b"third(30)\n"],
            "-0 +0 -1 +1 -2 +2",
        ),
        ([b"first = 1\n"], [b"quite another\n", b"first = 10\n"], "+0 -0 +1"),
        ([b"alpha\n", b"beta\n"], [b"1234\n", b"5678\n"], "-0 -1 +0 +1"),
        ([b"b == 1\n", b"call()\n"], [b"call(x)\n", b"b == 1\n"], "+0 -0 +1 -1"),
        ([b"\n"], [b"\n", b"x\n"], "-0 +0 +1"),
        ([b"}\n"], [b"    }\n", b"}"], "+0 -0 +1"),
    ],
)
def test_an_added_line_follows_the_removed_one_it_resembles(
    removed: list[bytes], added: list[bytes], order: str
) -> None:
    assert told(removed, added) == order


def test_long_runs_and_long_lines_are_left_as_they_are() -> None:
    assert told([b"line %d\n" % n for n in range(60)], [b"line %d!\n" % n for n in range(60)]).startswith("-0 -1 -2")
    assert told([b"x" * 500 + b"\n", b"a"], [b"x" * 501 + b"\n"]) == "-0 -1 +0"
