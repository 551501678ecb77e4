"""The formula for samples needed, against the power that the exact test then has."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from gitgoodbench.comparing.exact import exchange_p
from gitgoodbench.comparing.power import Z_POWER, detectable, needed_samples
from gitgoodbench.scoring.statistics import Z_95

CASES = [(0.05, 0.05), (0.1, 0.05), (0.1, 0.1), (0.2, 0.1), (0.3, 0.1), (0.3, 0.2), (0.4, 0.1), (0.5, 0.3), (0.6, 0.5)]


def power(n: int, flips: float, delta: float) -> float:
    """Of McNemar's exact test at 5 %, over the binomial of the flips among n samples."""
    counts = np.arange(n + 1)
    limits = np.array([_most(int(count)) for count in counts])
    chance = (flips + delta) / (2 * flips)
    rejected = binom.cdf(limits, counts, chance) + binom.sf(counts - limits - 1, counts, chance)
    return float((binom.pmf(counts, n, flips) * np.where(limits < 0, 0, rejected)).sum())


def _most(flips: int) -> int:
    """The most flips of the rarer way with which the test still rejects."""
    found = -1
    while found < flips // 2 and 2 * binom.cdf(found + 1, flips, 0.5) <= 0.05:
        found += 1
    return found


@pytest.mark.parametrize(("flips", "delta"), CASES)
def test_the_exact_test_sees_the_difference_in_80_percent_of_runs(flips: float, delta: float) -> None:
    needed = needed_samples(flips, delta, whole=True)
    assert needed is not None
    assert 0.8 <= power(needed, flips, delta) <= 0.93


def test_without_the_correction_the_formula_is_connors_by_hand() -> None:
    by_hand = ((Z_95 * math.sqrt(0.3) + Z_POWER * math.sqrt(0.3 - 0.01)) / 0.1) ** 2
    assert needed_samples(0.3, 0.1, whole=False) == math.ceil(by_hand) == 234


def test_simulated_runs_of_as_many_samples_tell_the_agents_apart() -> None:
    needed = needed_samples(0.3, 0.2, whole=True)
    assert needed == 67
    generator = np.random.default_rng(4)
    draws = generator.choice([1, -1, 0], p=[0.25, 0.05, 0.7], size=(1000, needed))
    seen = np.mean([exchange_p(draw.tolist()) < 0.05 for draw in draws])
    assert seen == pytest.approx(power(67, 0.3, 0.2), abs=0.03)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(("flips", "delta"), CASES)
def test_what_is_detectable_is_what_as_many_samples_are_needed_for(flips: float, delta: float, whole: bool) -> None:
    needed = needed_samples(flips, delta, whole=whole)
    assert needed is not None
    found = detectable(flips, needed, whole=whole)
    assert found is not None
    assert found <= delta <= (detectable(flips, needed - 1, whole=whole) or 1)


def test_no_difference_needs_no_number_and_none_can_be_seen() -> None:
    assert needed_samples(0.3, 0.0, whole=True) is None
    assert needed_samples(0.0, 0.0, whole=True) is None
    assert detectable(0.0, 50, whole=True) is None
    assert detectable(0.02, 5, whole=True) is None
    assert needed_samples(0.3, -0.2, whole=True) == needed_samples(0.3, 0.2, whole=True)
