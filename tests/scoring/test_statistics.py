"""Rates, intervals and means, against published and hand-computed values."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.scoring.statistics import Mean, Proportion, clustered_mean, mean_of, median_of, proportion_of


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_is_that_of_newcombe_1998_table_1(hits: int, total: int, low: float, high: float) -> None:
    interval = Proportion(hits, total).interval
    assert interval is not None
    assert (round(interval[0], 4), round(interval[1], 4)) == (low, high)


def test_wilson_interval_of_8_of_60_as_computed_by_hand() -> None:
    # z^2 = 3.8415; centre (8/60 + z^2/120) / (1 + z^2/60) = 0.15540; half width 0.08626
    interval = Proportion(8, 60).interval
    assert interval is not None
    assert interval == pytest.approx((0.0691, 0.2417), abs=5e-5)


def test_the_interval_touches_0_and_1_exactly_where_nothing_or_everything_hit() -> None:
    nothing, everything = Proportion(0, 7).interval, Proportion(7, 7).interval
    assert nothing is not None
    assert everything is not None
    assert nothing[0] == 0.0
    assert everything[1] == 1.0
    assert nothing[1] == pytest.approx(1 - everything[0])


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_rate_and_stays_inside_0_and_1(pair: tuple[int, int]) -> None:
    proportion = Proportion(*pair)
    assert proportion.interval is not None
    assert proportion.rate is not None
    low, high = proportion.interval
    assert 0.0 <= low <= proportion.rate <= high <= 1.0


def test_nothing_has_no_rate_rather_than_a_rate_of_zero() -> None:
    assert Proportion(0, 0).rate is None
    assert Proportion(0, 0).interval is None


def test_more_hits_than_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        Proportion(3, 2)


def test_mean_and_standard_error_over_three_epochs() -> None:
    # rates 0.38, 0.40, 0.44: deviations -0.0267, -0.0067, 0.0333; s = 0.030551; s / sqrt(3) = 0.017638
    mean = mean_of([0.38, 0.40, 0.44])
    assert mean.mean == pytest.approx(0.406667, abs=1e-6)
    assert mean.standard_error == pytest.approx(0.017638, abs=1e-6)
    assert mean.count == 3


def test_one_value_has_no_standard_error_and_none_has_no_mean() -> None:
    assert mean_of([0.5]) == Mean(0.5, None, 1)
    assert mean_of([]) == Mean(None, None, 0)


def test_the_median_of_an_even_number_of_values_lies_between_them() -> None:
    assert median_of([4.0, 1.0, 2.0, 3.0]) == 2.5
    assert median_of([]) is None
    assert not math.isnan(median_of([1.0]) or 0)


def of_samples(*samples: tuple[int, int]) -> Proportion:
    """Every sample is solved in so many of so many epochs."""
    return proportion_of(
        (number, epoch < solved) for number, (solved, epochs) in enumerate(samples) for epoch in range(epochs)
    )


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_one_epoch_of_each_sample_gives_the_plain_interval(hits: list[bool]) -> None:
    clustered = proportion_of(enumerate(hits))
    assert clustered == Proportion(sum(hits), len(hits))
    assert clustered.interval == Proportion(sum(hits), len(hits)).interval


def test_the_effective_size_of_ten_samples_in_two_epochs_as_computed_by_hand() -> None:
    # N = 20, p = 1/2; deviations of the samples 1 (three times), 0 (four), -1 (three): their squares sum to 6.
    # Over the design effect: N^2 p (1 - p) / 6 = 100 / 6 = 16.667; times (2.093024 / 2.262157)^2 = 0.856058: 14.2676.
    found = of_samples(*[(2, 2)] * 3, *[(1, 2)] * 4, *[(0, 2)] * 3)
    assert (found.hits, found.total) == (10, 20)
    assert found.effective == pytest.approx(14.2676, abs=1e-4)
    # z^2/n = 0.269248; half width 1.959964 * sqrt(0.0175222 + 0.0047178) / 1.269248 = 0.230287
    assert found.interval == pytest.approx((0.269713, 0.730287), abs=1e-6)


def test_samples_whose_epochs_are_all_alike_count_once_each() -> None:
    found = of_samples((5, 5), (5, 5), (0, 5), (0, 5), (0, 5), (0, 5))
    assert found.effective == 6
    assert found.interval == pytest.approx(Proportion(2, 6).interval)


def test_samples_that_do_not_differ_count_as_many_independent_epochs_less_what_few_samples_cannot_show() -> None:
    # t of 7 and of 3 degrees of freedom: 8 * (2.364624 / 3.182446)^2
    assert of_samples(*[(1, 2)] * 4).effective == pytest.approx(4.41669, abs=1e-4)


@pytest.mark.parametrize(
    ("samples", "effective"),
    [
        ([(0, 4)] * 3, 3),
        ([(4, 4)] * 3, 3),
        ([(3, 5)], 1),
        ([(3, 3), (1, 1)], 16 / 10),
    ],
)
def test_where_nothing_shows_how_alike_epochs_are_they_count_as_all_alike(
    samples: list[tuple[int, int]], effective: float
) -> None:
    assert of_samples(*samples).effective == pytest.approx(effective)


def test_nothing_solved_in_any_epoch_has_the_interval_of_one_epoch() -> None:
    assert of_samples(*[(0, 5)] * 20).interval == Proportion(0, 20).interval
    assert of_samples(*[(5, 5)] * 20).interval == Proportion(20, 20).interval


@given(st.lists(st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=30))
def test_the_clustered_interval_is_never_narrower_than_that_of_independent_epochs(
    samples: list[tuple[int, int]],
) -> None:
    found = of_samples(*samples)
    plain = Proportion(found.hits, found.total)
    assert found.interval is not None
    assert plain.interval is not None
    assert found.rate == plain.rate
    assert 0.0 <= found.interval[0] <= plain.interval[0] + 1e-12
    assert plain.interval[1] - 1e-12 <= found.interval[1] <= 1.0


@pytest.mark.parametrize("correlation", [0.2, 0.5, 0.9])
def test_the_interval_covers_the_true_rate_as_often_as_it_says(correlation: float) -> None:
    chance = random.Random(1)
    rate, samples, epochs, runs = 0.3, 30, 5, 400
    spread = (1 - correlation) / correlation
    covered = plain = 0
    for _ in range(runs):
        rates = [chance.betavariate(rate * spread, (1 - rate) * spread) for _ in range(samples)]
        found = of_samples(*((sum(chance.random() < p for _ in range(epochs)), epochs) for p in rates))
        covered += holds(found, rate)
        plain += holds(Proportion(found.hits, found.total), rate)
    assert 0.93 <= covered / runs <= 0.98
    assert plain / runs < 0.90


def holds(proportion: Proportion, rate: float) -> bool:
    assert proportion.interval is not None
    low, high = proportion.interval
    return low <= rate <= high


def test_the_standard_error_of_a_clustered_mean_as_computed_by_hand() -> None:
    # deviations 0.5, 0.5 of a and -0.5, -0.5 of b: sqrt(2 / 1 * (1^2 + 1^2)) / 4 = 0.5
    mean = clustered_mean([("a", 1.0), ("b", 0.0), ("a", 1.0), ("b", 0.0)])
    assert mean == Mean(0.5, 0.5, 4)
    assert clustered_mean([("a", 1.0), ("a", 0.0)]) == Mean(0.5, None, 2)
    assert clustered_mean([]) == Mean(None, None, 0)


def test_two_samples_that_differ_count_for_less_than_their_epochs() -> None:
    # Clusters (4, 4) and (0, 4): between 2 (4 * 8 - 4 * 4)^2 = 512, plain 4 * 4 * 64 = 1024; 1024 / 512 = 2 cases, and
    # times (t(7) / t(1))^2 = (2.364624 / 12.706205)^2 = 0.0346 less than Kish's 64 / 32 = 2, the least.
    assert of_samples((4, 4), (0, 4)).effective == 2.0
    # (100, 200) and (101, 200): between 2 (100 * 400 - 201 * 200)^2 = 80000, plain 201 * 199 * 160000: 400 cases,
    # times (t(399) / t(1))^2 = (1.965927 / 12.706205)^2 = 0.0239388.
    assert of_samples((100, 200), (101, 200)).effective == pytest.approx(400 * 0.0239388, rel=1e-5)
