"""Pairs of trees, and bounds that spare comparing most of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from gitgoodbench.scoring.pairing import common_labels, pair_up
from gitgoodbench.scoring.similarity_trees import items
from gitgoodbench.scoring.two_way import Comparison, items_within
from gitgoodbench.ted import closest_subtree, parse
from gitgoodbench.ted.matching import unified

matrices = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
    ).map(lambda pairs: np.array(pairs, np.float64).reshape(*shape, 2))
)


@given(matrices)
def test_pairs_are_worth_as_much_as_when_all_are_compared(drawn: np.ndarray) -> None:
    values, bounds = drawn.min(axis=2), drawn.max(axis=2)
    pairs = pair_up(bounds, lambda row, column: float(values[row, column]))
    rows, columns = linear_sum_assignment(values, maximize=True)
    assert pairs == {pair: values[pair] for pair in pairs if values[pair]}
    assert sum(pairs.values()) == values[rows, columns].sum()
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)


def test_only_pairs_in_doubt_are_compared() -> None:
    asked = []

    def value(row: int, column: int) -> float:
        asked.append((row, column))
        return 9.0

    assert pair_up(np.array([[9.0, 2.0, 0.0], [2.0, 9.0, 0.0], [0.0, 0.0, 0.0]]), value) == {(0, 0): 9.0, (1, 1): 9.0}
    assert asked == [(0, 0), (1, 1)]


SOURCES = [
    b"x = 1\n", b"x = x\n", b"def f(a):\n    return a\n", b"def g(a, b):\n    x = 1\n    return a + b\n", b"f(1)\n",
    b"import os\n", b"class A:\n    x = 1\n    def f(self):\n        return x\n", b"# x\n", b"x\n", b"[1, 1, 1, x]\n",
]  # fmt: skip


def test_common_labels_bound_what_one_tree_has_of_another() -> None:
    trees = unified([parse(source, "python") for source in SOURCES])
    parts = [items(tree)[0] for tree in trees]
    common = common_labels(parts, parts[:7])
    assert common.shape == (len(parts), 7)
    assert common.dtype == np.dtype(np.int64)
    assert [int(common[at, at]) for at in range(7)] == [len(part) for part in parts[:7]]
    assert common[0, 1] == 4
    for row, one in enumerate(parts):
        for column, other in enumerate(parts[:7]):
            found = len(one) - closest_subtree(one, other).distance
            real = len(other) - closest_subtree(other, one).distance
            assert 0 <= max(found, real) <= common[row, column]


pieces = st.lists(st.sampled_from(SOURCES), max_size=6)


@given(pieces, pieces)
def test_one_way_is_the_other_way_round(first: list[bytes], second: list[bytes]) -> None:
    trees = unified([parse(b"".join(sources), "python") for sources in (first, second)])
    written, wanted = (items_within(tree, [(0, len(tree.source))]) for tree in trees)
    there, back = Comparison().add(written, wanted), Comparison().add(wanted, written)
    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert there.similarity == back.similarity
    assert 0 <= there.similarity <= 1
    assert (there.similarity == 1.0) == (sorted(first) == sorted(second))
