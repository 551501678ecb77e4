"""The clustered bootstrap, against scipy's, and how often it holds the true difference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap, norm, t

from gitgoodbench.comparing.bootstrap import FEWEST, Floats, ratio_interval, tail_of
from gitgoodbench.comparing.differences import Differences


def sample(size: int, seed: int) -> tuple[Floats, Floats]:
    """Sums and counts of clusters of one to four episodes, each with a difference of 1, 0 or -1."""
    generator = np.random.default_rng(seed)
    counts = generator.integers(1, 5, size)
    return (generator.binomial(counts, 0.4) - generator.binomial(counts, 0.2)).astype(float), counts.astype(float)


@pytest.mark.parametrize("size", [12, 60, 200])
def test_the_interval_is_scipys_at_its_level(size: int) -> None:
    sums, counts = sample(size, size)
    of_scipy = bootstrap(
        (sums, counts),
        lambda s, n, axis=-1: s.sum(axis) / n.sum(axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        batch=500,
        confidence_level=1 - 2 * tail_of(size),
        method="percentile",
        rng=np.random.default_rng(3),
    )
    found = ratio_interval(sums, counts)
    width = of_scipy.confidence_interval.high - of_scipy.confidence_interval.low
    assert found == pytest.approx(tuple(of_scipy.confidence_interval), abs=0.04 * width)


def test_few_clusters_take_the_percentiles_further_out() -> None:
    assert tail_of(10) == pytest.approx(norm.cdf(-((10 / 9) ** 0.5) * t.ppf(0.975, 9)))
    assert tail_of(5) < tail_of(10) < tail_of(100) < 0.025
    assert tail_of(100_000) == pytest.approx(0.025, rel=1e-3)


def test_the_same_runs_give_the_same_interval() -> None:
    sums, counts = sample(40, 1)
    assert ratio_interval(sums, counts) == ratio_interval(sums.copy(), counts.copy())


def test_fewer_than_five_clusters_have_none() -> None:
    assert ratio_interval(np.ones(FEWEST - 1), np.ones(FEWEST - 1)) is None


def test_where_nearly_all_samples_are_alike_the_score_interval_stands_in() -> None:
    def made_by(*differences: float) -> str | None:
        return Differences.of(enumerate(differences)).interval()[1]

    assert made_by(*[0] * 50, *[1] * 9) == "score"
    assert made_by(*[0] * 50, *[1] * 10) == "bootstrap"
    assert made_by(*[1] * 50) == "score"
    assert made_by(0.1, 0.2, 0.3, 0.4, 0.5) == "bootstrap"
    assert made_by(0.1, 0.2, 0.3, 0.4) == "score"
    assert made_by() is None


def correlated(generator: np.random.Generator, samples: int, epochs: int) -> tuple[Floats, Floats]:
    """Outcomes of two agents, A the better one: epochs of a sample are alike, more so than the agents are."""
    shared, own = generator.normal(0, 2, samples), generator.normal(0, 1, (2, samples))
    chances = 1 / (1 + np.exp(-(np.array([[0.4], [-0.4]]) + shared + own)))
    a, b = generator.random((2, samples, epochs)) < chances[:, :, np.newaxis]
    return a.astype(float), b.astype(float)


def test_drawing_samples_holds_the_truth_of_correlated_epochs_and_drawing_episodes_does_not() -> None:
    generator = np.random.default_rng(16)
    a, b = correlated(generator, 400_000, 1)
    truth = float(a.mean() - b.mean())
    clustered = single = 0
    runs = 400
    for _ in range(runs):
        differences = np.subtract(*correlated(generator, 40, 8))
        by_sample = ratio_interval(differences.sum(1), np.full(40, 8.0))
        by_episode = ratio_interval(differences.ravel(), np.ones(320))
        assert by_sample is not None
        assert by_episode is not None
        clustered += by_sample[0] <= truth <= by_sample[1]
        single += by_episode[0] <= truth <= by_episode[1]
    assert 0.93 <= clustered / runs <= 0.975
    assert single / runs < 0.85
