"""Which features of samples go with success: correlations and a regression, with repositories as groups.

A case is a sample; its outcome is the share of its answers that succeeded. Correlations look at one feature at a time,
the regression at all of them together. p-values are adjusted for all tests of a kind by Holm's method.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.scoring.jackknife import Estimate, concordance, jackknifed, rank_correlation
from gitgoodbench.scoring.regression import predicted, ridge_logistic
from gitgoodbench.scoring.statistics import holm

Floats = NDArray[np.float64]

LEAST_CASES: Final = 20
"""Fewer samples say nothing about features."""

FEW_GROUPS: Final = 10
"""With fewer repositories, intervals and p-values are shown with a warning."""

CASES_PER_FEATURE: Final = 10
"""Of the rarer outcome; a regression on more features fits chance (P. Peduzzi and others, Journal of Clinical
Epidemiology 49, 1996)."""

KNOWN: Final = 0.8
"""A feature that is known of a smaller share of the samples is left out of the regression."""

ALIKE: Final = 0.95
"""Of two features whose ranks correlate more than this, one is left out of the regression."""


@dataclass(frozen=True)
class Case:
    """A sample. outcome: in [0, 1]. answers: of how many. group: its repository. features: None where not known."""

    id: str
    group: str
    outcome: float
    answers: int
    features: Mapping[str, float | None]


@dataclass(frozen=True)
class Explained:
    """A feature. known: of how many samples. correlation: None where it is the same in all of them. effect: in logits
    for one standard deviation, None where it is not in the regression, for the reason `left_out`. Adjusted are
    p-values."""

    name: str
    known: int
    correlation: Estimate | None
    correlation_adjusted: float | None = None
    effect: Estimate | None = None
    effect_adjusted: float | None = None
    left_out: str | None = None


@dataclass(frozen=True)
class Explanation:
    """What is found. predictions: of each case, by a regression that never saw its repository; absent for cases of
    which a feature is not known. concordance: of these predictions with the outcomes (0.5: no better than chance)."""

    cases: int
    groups: int
    features: Sequence[Explained]
    predictions: Mapping[str, float]
    concordance: float | None


def explain(cases: Sequence[Case]) -> Explanation:
    """Look for the features that go with success."""
    names = list(dict.fromkeys(name for case in cases for name in case.features))
    found = [_correlated(name, cases) for name in names]
    usable, found = _usable(cases, found)
    complete = [case for case in cases if all(case.features.get(name) is not None for name in usable)]
    groups = {case.group for case in cases}
    if not usable or len({case.group for case in complete}) < 2:
        return Explanation(len(cases), len(groups), _adjusted(found), {}, None)
    effects, predictions = _regress(usable, complete)
    found = [replace(one, effect=effects.get(one.name)) for one in found]
    outcomes = np.array([case.outcome for case in complete])
    return Explanation(
        len(cases),
        len(groups),
        _adjusted(found),
        {case.id: float(chance) for case, chance in zip(complete, predictions, strict=True)},
        concordance(predictions, outcomes),
    )


def _correlated(name: str, cases: Sequence[Case]) -> Explained:
    known = [(case, value) for case in cases if (value := case.features.get(name)) is not None]
    values, outcomes = np.array([value for _, value in known]), np.array([case.outcome for case, _ in known])
    if len(known) < LEAST_CASES or len(np.unique(values)) < 2:
        why = "known of too few" if len(known) < LEAST_CASES else "the same in all"
        return Explained(name, len(known), None, left_out=why)
    if len(np.unique(outcomes)) < 2:
        return Explained(name, len(known), None, left_out="all outcomes are the same")
    members = _members([case.group for case, _ in known])
    without = [rank_correlation(np.delete(values, at), np.delete(outcomes, at)) for at in members]
    whole = np.array([rank_correlation(values, outcomes)])
    (correlation,) = jackknifed(whole, np.array(without)[:, None])
    clipped = replace(
        correlation,
        low=None if correlation.low is None else max(-1.0, correlation.low),
        high=None if correlation.high is None else min(1.0, correlation.high),
    )
    return Explained(name, len(known), clipped)


def _members(groups: Sequence[str]) -> list[list[int]]:
    """The places of each group's cases."""
    places: dict[str, list[int]] = {}
    for at, group in enumerate(groups):
        places.setdefault(group, []).append(at)
    return list(places.values())


def _usable(cases: Sequence[Case], found: Sequence[Explained]) -> tuple[list[str], list[Explained]]:
    """The features of the regression, and all of them with the reason why some are left out."""
    successes = sum(case.outcome for case in cases)
    room = int(min(successes, len(cases) - successes) / CASES_PER_FEATURE)
    chosen: list[str] = []
    told = []
    for one in found:
        reason = one.left_out or _reason(one, cases, chosen, room)
        if reason is None:
            chosen.append(one.name)
        told.append(replace(one, left_out=reason))
    return chosen, told


def _reason(one: Explained, cases: Sequence[Case], chosen: Sequence[str], room: int) -> str | None:
    if one.known < KNOWN * len(cases):
        return f"known of {one.known} of {len(cases)}"
    for other in chosen:
        both = [
            (a, b)
            for case in cases
            if (a := case.features.get(one.name)) is not None and (b := case.features.get(other)) is not None
        ]
        if both and abs(rank_correlation(*(np.array(side) for side in zip(*both, strict=True)))) > ALIKE:
            return f"as {other}"
    return None if len(chosen) < room else "too few samples for more features"


def _regress(names: Sequence[str], cases: Sequence[Case]) -> tuple[dict[str, Estimate], Floats]:
    """Effects with their intervals, and the prediction of each case by the other repositories' cases."""
    features = _standardised(np.array([[_scaled(case.features[name]) for name in names] for case in cases]))
    outcomes = np.array([case.outcome for case in cases])
    weights = np.array([float(case.answers) for case in cases])
    weights = weights / weights.mean()  # answers to one sample are alike: more of them are no more samples
    without, predictions = [], np.empty(len(cases))
    for at in _members([case.group for case in cases]):
        fitted = ridge_logistic(np.delete(features, at, axis=0), np.delete(outcomes, at), np.delete(weights, at))
        predictions[at] = predicted(features[at], fitted)
        without.append(fitted[1:])
    whole = ridge_logistic(features, outcomes, weights)[1:]
    return dict(zip(names, jackknifed(whole, np.array(without)), strict=True)), predictions


def _scaled(value: float | None) -> float:
    """Counts span orders of magnitude: their logarithm is what goes with a chance."""
    number = float(value or 0)
    return math.log1p(number) if number > 0 else number


def _standardised(features: Floats) -> Floats:
    spread = features.std(axis=0)
    standardised: Floats = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return standardised


def _adjusted(found: Sequence[Explained]) -> list[Explained]:
    """With p-values that hold for all tests of a kind together."""
    correlations = _holm([None if one.correlation is None else one.correlation.p for one in found])
    effects = _holm([None if one.effect is None else one.effect.p for one in found])
    return [
        replace(one, correlation_adjusted=first, effect_adjusted=second)
        for one, first, second in zip(found, correlations, effects, strict=True)
    ]


def _holm(p_values: Sequence[float | None]) -> list[float | None]:
    known = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(known) for p in p_values]
