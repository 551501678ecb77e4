"""Rates, intervals and means, against published and hand-computed values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.scoring.statistics import Mean, Proportion, mean_of, median_of


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
