"""Means, intervals and comparisons against values computed by hand, by other programs, or by trying all ways."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from scipy import stats

from gitgoodbench.feedback.report import words
from gitgoodbench.feedback.report.compare import Difference, adjusted, cliffs_delta, compare_groups
from gitgoodbench.feedback.report.groups import correlations, group_rows, is_randomised
from gitgoodbench.feedback.report.statistics import clusters_of, correlation, mean_of
from gitgoodbench.feedback.report.usage import Amount, Usage
from tests.feedback.support_report import row, rows_of

SKEWED = {f"c{number:02}": [round((number * 7 % 13) / 13, 3)] * (1 + number % 4) for number in range(30)}


def flat(values: dict[str, list[float]]) -> list[tuple[str, float]]:
    return [(commit, value) for commit, some in values.items() for value in some]


def test_a_mean_is_over_edits_and_needs_five_commits_for_an_interval() -> None:
    figure = mean_of([("c1", 1.0), ("c1", 0.0), ("c2", 0.5), ("c3", 1.0)])
    assert (figure.value, figure.low, figure.high, figure.edits, figure.commits) == (0.625, None, None, 4, 3)
    assert mean_of([]).value is None


def test_equal_values_have_an_interval_without_width() -> None:
    figure = mean_of([(f"c{number}", 0.25) for number in range(5)])
    assert (figure.value, figure.low, figure.high) == (0.25, 0.25, 0.25)


def test_the_interval_is_that_of_scipy_over_commits() -> None:
    figure = mean_of(flat(SKEWED))
    clusters = clusters_of(flat(SKEWED))
    other = stats.bootstrap(
        (clusters.sums, clusters.counts), lambda sums, counts, axis: sums.sum(axis) / counts.sum(axis),
        paired=True, vectorized=True, method="percentile", n_resamples=9_999, rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    assert figure.value == pytest.approx(clusters.sums.sum() / clusters.counts.sum())
    assert figure.low == pytest.approx(other.low, abs=0.01)
    assert figure.high == pytest.approx(other.high, abs=0.01)
    assert mean_of(flat(SKEWED)) == figure


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    chance = random.Random(3)
    hits = 0
    for _ in range(100):
        drawn = [
            (f"c{number}", centre + chance.gauss(0, 0.05))
            for number in range(40)
            for centre in [chance.random()]
            for _ in range(3)
        ]
        figure = mean_of(drawn)
        assert figure.low is not None
        assert figure.high is not None
        hits += figure.low <= 0.5 <= figure.high
    assert 87 <= hits <= 100


def test_correlation_is_spearmans() -> None:
    pairs = [(float(a), float(b)) for a, b in ((1, 5), (2, 5), (3, 1), (9, 2), (9, 0), (4, 3))]
    assert correlation("x", "y", pairs).rho == pytest.approx(
        stats.spearmanr([a for a, _ in pairs], [b for _, b in pairs]).statistic
    )
    assert correlation("x", "y", [(1.0, float(number)) for number in range(9)]).rho is None
    assert correlation("x", "y", pairs[:4]).rho is None


def test_correlations_leave_out_what_assistants_committed_and_what_was_compared_by_lines() -> None:
    some = [row(f"e{number}", f"c{number}", number / 10, size=number) for number in range(6)]
    more = [row("x", "c7", 0.0, size=99, committed_by="a"), row("y", "c8", 0.0, size=99, measure="lines")]
    first, *_, last = correlations([*some, *more])
    assert (first.first, first.edits) == ("reward", 6)
    assert first.rho == pytest.approx(1.0)
    assert (last.first, last.second, last.edits) == ("reward", "survival", 0)


def test_a_group_of_what_an_assistant_committed_stands_apart() -> None:
    table = group_rows([row("e1", "c1", 0.5), row("e2", "c2", 1.0, committed_by="claude-code")], "model")
    assert [(one.name, one.committed_by, one.reward.value) for one in table.groups] == [
        ("m", None, 0.5), ("m", "claude-code", 1.0),
    ]  # fmt: skip


def test_superseded_edits_are_counted_and_in_no_mean() -> None:
    (group,) = group_rows([row("e1", reward=0.5), row("e2", state="superseded", reward=None)], "model").groups
    assert (group.edits, group.scored, group.superseded, group.reward.value, group.reward.edits) == (2, 1, 1, 0.5, 1)


def test_cost_for_each_kept_node() -> None:
    def usage(tokens: float, cost: Amount) -> Usage:
        return Usage(Amount(tokens, True), Amount(10.0, True), cost, Amount(1.0, True))

    known, unknown = Amount(0.5, True), Amount()
    some = [
        row("e1", "c1", 0.5, size=40, usage=usage(100, known)),
        row("e2", None, None, "not_applied", measure=None, usage=usage(200, unknown)),
        row("e3", None, None, "pending", measure=None, usage=usage(1_000, known)),
        row("e4", "c1", 1.0, size=40, measure="lines", usage=usage(1_000, known)),
    ]
    (group,) = group_rows(some, "model").groups
    assert group.kept_nodes == 20
    assert group.per_node is not None
    assert group.per_node.tokens == Amount(16.0, True)
    assert group.per_node.cost == Amount(0.025, False)
    assert words.amount(group.per_node.cost) == "≥ 0.025"
    assert group.per_node.latency == Amount(0.1, True)
    assert group_rows([row("e", reward=0.0)], "model").groups[0].per_node is None


def test_randomised_is_what_was_chosen_by_lot_throughout() -> None:
    drawn = row("e1", variant="terse", randomised=True)
    assert is_randomised([drawn, row("e2", None, None, "pending")])
    assert not is_randomised([drawn, row("e2")])
    assert not is_randomised([])


def test_the_exact_test_is_the_share_of_all_ways() -> None:
    first, second = [0.9, 0.8, 1.0, 0.7, 0.95, 0.85, 0.6, 0.75], [0.5, 0.4, 0.65, 0.3, 0.8, 0.2, 0.55, 0.45]
    (found,) = compare_groups(
        rows_of("x", {f"a{n}": [value] for n, value in enumerate(first)})
        + rows_of("y", {f"b{n}": [value] for n, value in enumerate(second)}),
        "model",
        "reward",
    )
    together = first + second
    ways = [sum(one) / 8 - (sum(together) - sum(one)) / 8 for one in itertools.combinations(together, 8)]
    seen = sum(first) / 8 - sum(second) / 8
    exact = sum(1 for way in ways if abs(way) >= abs(seen) - 1e-12) / len(ways)
    assert found.value == pytest.approx(seen)
    assert not found.exact  # 12,870 ways are more than 10,000
    assert found.p == pytest.approx(exact, abs=0.003)
    assert found.is_one
    assert words.verdict(found) == "x and y: a difference: x is 0.34 above y"


def test_commits_that_hold_both_groups_exchange_theirs() -> None:
    """Eight commits, in each of which x is 0.1 above y: of 256 ways, two are as far apart."""
    some = rows_of("x", {f"c{n}": [0.1 * n + 0.1] for n in range(8)}) + rows_of(
        "y", {f"c{n}": [0.1 * n] for n in range(8)}
    )
    (found,) = compare_groups(some, "model", "reward")
    assert found.exact
    assert found.p == pytest.approx(2 / 256)
    assert found.low == pytest.approx(0.1)
    assert found.high == pytest.approx(0.1)
    assert found.more_commits == 0


def test_too_few_commits_are_not_compared() -> None:
    some = rows_of("x", {f"c{n}": [1.0] * 3 for n in range(9)}) + rows_of("y", {f"d{n}": [0.0] * 3 for n in range(7)})
    (found,) = compare_groups(some, "model", "reward")
    assert found.p is None
    assert words.verdict(found) == "x and y: not compared: too few commits: y has 7 commits, at least 8 are needed"


def test_how_many_commits_are_needed() -> None:
    """The standard error of a difference of two means of n commits each is 0.5 (2 / n) ** 0.5 for 0s and 1s."""
    some = [rows_of(name, {f"{name}{n}": [float(n % 2)] for n in range(50)}) for name in ("x", "y")]
    (found,) = compare_groups(itertools.chain(*some), "model", "reward")
    assert found.value == 0
    assert found.p == 1
    needed = 2 * 2 * (0.5 * 2.80159 / 0.05) ** 2
    assert found.more_commits == pytest.approx(needed - 100, rel=0.06)
    assert words.verdict(found).startswith("x and y: no difference seen; 3,")


def test_superseded_and_self_committed_edits_are_not_compared() -> None:
    some = rows_of("x", {f"c{n}": [1.0] for n in range(9)}) + rows_of("y", {f"d{n}": [1.0] for n in range(9)})
    more = [row("s", "e", None, "superseded", model="x"), row("t", "f", 0.0, model="y", committed_by="y")]
    assert compare_groups([*some, *more], "model", "reward") == compare_groups(some, "model", "reward")


def test_named_groups_alone_are_compared_in_their_order() -> None:
    some = [one for name in "xyz" for one in rows_of(name, {f"{name}{n}": [0.5] for n in range(8)})]
    assert [(one.first, one.second) for one in compare_groups(some, "model", "reward")] == [
        ("x", "y"), ("x", "z"), ("y", "z"),
    ]  # fmt: skip
    assert [(one.first, one.second) for one in compare_groups(some, "model", "reward", ["z", "x"])] == [("z", "x")]


def test_holm() -> None:
    none = mean_of([])
    pairs = [Difference("a", name, none, none, p=p) for name, p in (("b", 0.04), ("c", 0.01), ("d", None), ("e", 0.03))]
    assert [one.adjusted for one in adjusted(pairs)] == [
        pytest.approx(0.06),
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
    ]


def test_cliffs_delta_counts_pairs_of_commits() -> None:
    first, second = clusters_of([("a", 1.0), ("b", 0.5), ("b", 0.7)]), clusters_of([("c", 0.6), ("d", 0.2), ("e", 1.0)])
    assert cliffs_delta(first, second) == pytest.approx((3 - 1) / 6)
