"""What goes with success: effects that were put into outcomes are found, and no others; repositories are groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr, ttest_1samp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from gitgoodbench.explaining.analysis import Case, Explanation, explain
from gitgoodbench.explaining.labels import relabel
from gitgoodbench.scoring.jackknife import concordance, jackknifed, rank_correlation
from gitgoodbench.scoring.regression import PRIOR, predicted, ridge_logistic
from gitgoodbench.scoring.statistics import holm

EFFECTS = {"conflicts", "purity"}
LEVEL = 0.05


def synthetic(seed: int, *, groups: int = 60, count: int = 400, strength: float = 1.0) -> list[Case]:
    """Samples of repositories that differ. More conflicts make success rarer, purity makes it more frequent; files,
    hunks, lines, attainability, and the repositories' age and stars have no effect."""
    chance = np.random.default_rng(seed)
    group = chance.integers(0, groups, count)
    repository = chance.normal(0, 0.7, groups)
    features = {
        "conflicts": chance.poisson(3, count) + 1,
        "files": chance.integers(1, 6, count),
        "hunks": chance.poisson(8, count),
        "lines": np.exp(chance.normal(4, 1, count)).astype(int),
        "purity": chance.uniform(0, 1, count),
        "attainable": chance.integers(0, 2, count),
        "age": chance.uniform(2000, 2024, groups)[group],
        "stars": np.exp(chance.normal(5, 2, groups))[group],
    }
    logits = repository[group] - strength * 2.4 * (np.log1p(features["conflicts"]) - 1.3)
    logits += strength * 3.4 * (features["purity"] - 0.5)
    solved = chance.random(count) < 1 / (1 + np.exp(-logits))
    return [
        Case(
            str(at), f"r{group[at]}", float(solved[at]), 1, {name: float(value[at]) for name, value in features.items()}
        )
        for at in range(count)
    ]


def found_by(explanation: Explanation) -> tuple[set[str], set[str]]:
    """The features with a correlation, and those with an effect in the regression."""
    correlations = {one.name for one in explanation.features if (one.correlation_adjusted or 0.0) < LEVEL}
    effects = {
        one.name for one in explanation.features if one.effect_adjusted is not None and one.effect_adjusted < LEVEL
    }
    return correlations, effects


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_known_effects_are_found_and_no_others(seed: int) -> None:
    explanation = explain(synthetic(seed))
    assert found_by(explanation) == (EFFECTS, EFFECTS)
    by_name = {one.name: one for one in explanation.features}
    for name, sign in (("conflicts", -1), ("purity", 1)):
        correlation, effect = by_name[name].correlation, by_name[name].effect
        assert correlation is not None
        assert effect is not None
        assert correlation.value * sign > 0.15
        assert effect.low is not None
        assert effect.high is not None
        assert effect.low < sign * 0.9 < effect.high, "logits for a standard deviation, as put in"
    assert 0.65 < (explanation.concordance or 0) < 0.9


def test_where_nothing_has_an_effect_something_is_found_in_a_twentieth_of_all_cases() -> None:
    found = [found_by(explain(synthetic(seed, strength=0.0, groups=25, count=150))) for seed in range(60)]
    assert sum(bool(correlations) for correlations, _ in found) <= 7
    assert sum(bool(effects) for _, effects in found) <= 7


def test_samples_of_one_repository_are_no_independent_ones() -> None:
    """The same samples ten times, in repositories of their own or not: only the first are more evidence."""
    cases = synthetic(5, groups=12, count=60)
    copies = [replace(case, id=f"{case.id}-{copy}") for case in cases for copy in range(10)]
    plain, repeated = explain(cases), explain(copies)
    first = next(one for one in plain.features if one.name == "conflicts")
    second = next(one for one in repeated.features if one.name == "conflicts")
    assert first.correlation is not None
    assert second.correlation is not None
    assert second.correlation.value == pytest.approx(first.correlation.value)
    assert second.correlation.p == pytest.approx(first.correlation.p)


def test_predictions_never_saw_the_repository() -> None:
    cases = synthetic(7)
    changed = [replace(case, outcome=1 - case.outcome) if case.group == "r3" else case for case in cases]
    before, after = explain(cases).predictions, explain(changed).predictions
    own = [case.id for case in cases if case.group == "r3"]
    assert [before[name] for name in own] == pytest.approx([after[name] for name in own])
    assert len(own) > 2


@pytest.mark.parametrize("seed", [1, 2])
def test_the_regression_is_that_of_scikit_learn(seed: int) -> None:
    chance = np.random.default_rng(seed)
    features, outcomes = chance.normal(size=(120, 5)), chance.integers(0, 2, 120).astype(float)
    weights = chance.integers(1, 4, 120).astype(float)
    own = ridge_logistic(features, outcomes, weights)
    other = LogisticRegression(C=PRIOR**2, tol=1e-10, max_iter=10_000).fit(features, outcomes, weights)
    assert own == pytest.approx([*other.intercept_, *other.coef_[0]], abs=1e-5)
    assert predicted(features, own) == pytest.approx(other.predict_proba(features)[:, 1], abs=1e-5)
    shares = chance.uniform(0, 1, 120)
    twice, weighted = np.vstack([features, features]), np.concatenate([shares, 1 - shares])
    halves = LogisticRegression(C=PRIOR**2, tol=1e-10, max_iter=10_000)
    halves.fit(twice, np.repeat([1.0, 0.0], 120), weighted)
    assert ridge_logistic(features, shares, np.ones(120))[1:] == pytest.approx(halves.coef_[0], abs=1e-5)


def test_a_regression_ends_where_a_feature_separates_the_outcomes() -> None:
    values = np.arange(20.0)
    found = ridge_logistic((values[:, None] - 9.5) / 6, (values > 9).astype(float), np.ones(20))
    assert 3 < found[1] < 10
    assert np.isfinite(ridge_logistic(values[:, None], np.ones(20), np.ones(20))).all()


def test_ranks_correlate_and_order_as_scipy_and_scikit_learn_say() -> None:
    chance = np.random.default_rng(3)
    values, outcomes = chance.integers(0, 5, 80).astype(float), chance.integers(0, 2, 80).astype(float)
    assert rank_correlation(values, outcomes) == pytest.approx(spearmanr(values, outcomes).statistic)
    assert concordance(values, outcomes) == pytest.approx(roc_auc_score(outcomes, values))
    assert rank_correlation(np.ones(80), outcomes) == 0
    assert concordance(values, np.ones(80)) is None


def test_the_jackknife_of_a_mean_is_its_interval_by_students_t() -> None:
    values = np.array([1.0, 2.0, 4.0, 7.0])
    without = np.array([[np.delete(values, at).mean()] for at in range(4)])
    (found,) = jackknifed(np.array([values.mean()]), without)
    error = values.std(ddof=1) / 2
    assert (found.low, found.high) == pytest.approx((3.5 - 3.182446 * error, 3.5 + 3.182446 * error), rel=1e-5)
    assert found.p == pytest.approx(ttest_1samp(values, 0.0).pvalue)
    assert jackknifed(np.array([1.0]), np.array([[2.0]]))[0].p is None


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([]) == []


def test_what_cannot_be_told_apart_or_is_not_known_is_left_out_of_the_regression() -> None:
    cases = []
    for case in synthetic(4):
        same = case.features["conflicts"] or 0.0
        more = {"as well": same * 2, "constant": 1.0, "rare": 1.0 * (int(case.id) % 2) if int(case.id) < 60 else None}
        cases.append(replace(case, features={**case.features, **more}))
    reasons = {one.name: one.left_out for one in explain(cases).features}
    assert reasons["as well"] == "as conflicts"
    assert reasons["constant"] == "the same in all"
    assert reasons["rare"] == "known of 60 of 400"
    assert reasons["purity"] is None
    few = explain([replace(case, outcome=float(int(case.id) < 25)) for case in synthetic(4)])
    assert [one.left_out for one in few.features][:4] == [None, None, *["too few samples for more features"] * 2]
    same_outcome = explain([replace(case, outcome=1.0) for case in synthetic(4)])
    assert {one.left_out for one in same_outcome.features} == {"all outcomes are the same"}
    assert same_outcome.concordance is None


def test_difficulty_is_refitted_with_as_many_samples_of_each_label() -> None:
    cases = synthetic(9)
    published = {case.id: ("easy", "medium", "hard", "medium")[int(case.id) % 4] for case in cases}
    found = relabel(cases, published, explain(cases).predictions)
    assert found is not None
    assert [label.published_samples for label in found.labels] == [100, 200, 100]
    assert [label.refitted_samples for label in found.labels] == [100, 200, 100]
    easy, _, hard = (label.refitted or 0.0 for label in found.labels)
    assert easy > hard + 0.3
    assert abs((found.published_concordance or 0) - 0.5) < 0.06, "made without regard to outcomes"
    assert (found.refitted_concordance or 0) > 0.65
    assert relabel(cases, published, {}) is None
