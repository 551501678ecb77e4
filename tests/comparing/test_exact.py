"""Exact tests and score intervals of paired outcomes, against values computed by hand and by others' formulas."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from gitgoodbench.comparing.exact import exchange_p, score_interval
from gitgoodbench.scoring.statistics import Z_95, holm


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (5, 0, 2 / 2**5),
        (6, 1, 2 * (1 + 7) / 2**7),
        (12, 3, 2 * (1 + 15 + 105 + 455) / 2**15),
        (1, 0, 1.0),
        (4, 4, 1.0),
        (0, 0, 1.0),
        (0, 9, 2 / 2**9),
    ],
)
def test_one_episode_to_a_sample_is_mcnemars_exact_test(only_a: int, only_b: int, p: float) -> None:
    assert exchange_p([1] * only_a + [-1] * only_b + [0] * 7) == pytest.approx(p, abs=1e-15)


@given(st.integers(0, 60), st.integers(0, 60))
def test_it_is_the_binomial_of_the_flips(only_a: int, only_b: int) -> None:
    flips = only_a + only_b
    expected = binomtest(only_a, flips).pvalue if flips else 1.0
    assert exchange_p([1] * only_a + [-1] * only_b) == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_several_episodes_to_a_sample_change_their_signs_together(sums: list[int]) -> None:
    totals = [
        abs(sum(sign * total for sign, total in zip(signs, sums, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    share = sum(total >= abs(sum(sums)) for total in totals) / len(totals)
    assert exchange_p(sums) == pytest.approx(share)


def test_epochs_of_one_sample_say_less_than_as_many_samples() -> None:
    assert exchange_p([5]) == 1.0
    assert exchange_p([1] * 5) == pytest.approx(0.0625)


def tango_in_closed_form(only_a: int, only_b: int, n: int) -> tuple[float, float]:
    """Roots of the quartic of Z. Yang, X. Sun and J. W. Hardin (Statistics in Medicine 32, 2013)."""
    g, d, s = Z_95**2, only_a - only_b, only_a + only_b
    quartic = [
        n**2 * (n / g + 1) ** 2,
        -n * d * (n / g + 1) * (4 * n / g + 1),
        2 * n * d**2 * (3 * n / g + 2) / g - n**2 * (s / g + 1),
        n * d * (2 * s / g + 1) - d**3 * (4 * n / g + 1) / g,
        d**2 * (d**2 / g - s) / g,
    ]
    roots = sorted(root.real for root in np.roots(quartic) if abs(root.imag) < 1e-9)
    return roots[0], roots[-1]


@pytest.mark.parametrize(("only_a", "only_b", "n"), [(1, 7, 21), (12, 2, 44), (9, 5, 75), (3, 0, 60), (40, 31, 300)])
def test_score_intervals_are_the_roots_of_tangos_equation(only_a: int, only_b: int, n: int) -> None:
    assert score_interval(only_a, only_b, n) == pytest.approx(tango_in_closed_form(only_a, only_b, n), abs=1e-7)


def test_a_published_score_interval() -> None:
    """Airway reactivity of 21 children, 1 and 7 of them discordant (M. W. Fagerland et al., Statistics in Medicine 33,
    2014): -0.517 to -0.026."""
    assert score_interval(1, 7, 21) == pytest.approx((-0.517, -0.026), abs=5e-4)


@pytest.mark.parametrize("n", [1, 10, 60, 900])
def test_where_runs_never_or_always_differ_the_interval_has_a_width(n: int) -> None:
    z2 = Z_95**2
    assert score_interval(0, 0, n) == pytest.approx((-z2 / (n + z2), z2 / (n + z2)), abs=1e-7)
    assert score_interval(n, 0, n) == pytest.approx(((n - z2) / (n + z2), 1.0), abs=1e-7)
    assert score_interval(0, n, n) == pytest.approx((-1.0, (z2 - n) / (n + z2)), abs=1e-7)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_exchanging_the_runs_turns_the_interval_round(only_a: int, only_b: int, others: int) -> None:
    n = only_a + only_b + others
    if n:
        low, high = score_interval(only_a, only_b, n)
        assert score_interval(only_b, only_a, n) == pytest.approx((-high, -low), abs=1e-7)
        assert low <= (only_a - only_b) / n <= high


def test_holms_method_by_hand() -> None:
    """0.01 x 4; 0.02 x 3; 0.03 x 2 = 0.06, as the one before; 0.2 x 1."""
    assert holm([0.2, 0.01, 0.03, 0.02]) == pytest.approx([0.2, 0.04, 0.06, 0.06])
    assert holm([0.04]) == [0.04]
    assert holm([0.5, 0.6, 0.9]) == [1.0, 1.0, 1.0]
    assert holm([0.03, 0.001, 0.02]) == pytest.approx([0.04, 0.003, 0.04])
    assert holm([]) == []


def test_the_hand_computed_binomials_are_what_they_say() -> None:
    assert [comb(15, k) for k in range(4)] == [1, 15, 105, 455]
    assert [comb(7, k) for k in range(2)] == [1, 7]
