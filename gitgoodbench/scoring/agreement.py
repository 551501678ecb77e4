"""How far raters agree beyond chance. Pure arithmetic on nominal ratings.

Cohen's kappa for two raters (J. Cohen, Educational and Psychological Measurement 20, 1960), Fleiss' for more
(J. L. Fleiss, Psychological Bulletin 76, 1971): (observed - expected) / (1 - expected) agreement. Intervals are
kappa +- 1.96 standard errors, kept inside [-1, 1]; they are for large samples, and too narrow below some 30 subjects.

Subjects of one cluster (the epochs of a sample) are not independent. Both coefficients are, to first order, a mean over
subjects of kappa's linearization; where a cluster has several subjects, its standard error is the cluster-robust one of
such a mean (`statistics.clustered_mean`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gitgoodbench.scoring.statistics import Z_95, clustered_mean


@dataclass(frozen=True)
class Agreement:
    """name: of the coefficient. observed, expected: shares of agreeing pairs of ratings.

    kappa is None where there is nothing to agree on: no subject, or one category alone throughout. interval is None
    where kappa is, and for a single subject.
    """

    name: str
    raters: int
    subjects: int
    observed: float | None
    expected: float | None
    kappa: float | None
    interval: tuple[float, float] | None


def agreement(ratings: Sequence[Sequence[str]], clusters: Sequence[Hashable] | None = None) -> Agreement:
    """Agreement over subjects, each rated once by every rater, in the same order of raters.

    clusters: the cluster of each subject; None: each is one by itself.

    Raises:
        ValueError: fewer than two raters, or not the same number for every subject.
    """
    counts = {len(subject) for subject in ratings}
    if len(counts) > 1 or (counts and min(counts) < 2):
        raise ValueError(f"every subject needs the same two or more raters, not {sorted(counts)}")
    if counts == {2}:
        return cohen_kappa([(first, second) for first, second in ratings], clusters)
    return fleiss_kappa(ratings, clusters)


def cohen_kappa(pairs: Sequence[tuple[str, str]], clusters: Sequence[Hashable] | None = None) -> Agreement:
    """For two raters. Standard error: J. L. Fleiss, J. Cohen and B. S. Everitt, Psychological Bulletin 72, 1969.

    (Their formula is the mean square of the linearization over n.)
    """
    n = len(pairs)
    if not n:
        return Agreement("Cohen's kappa", 2, 0, None, None, None, None)
    share = {pair: count / n for pair, count in Counter(pairs).items()}
    first = _shares([pair[0] for pair in pairs])
    second = _shares([pair[1] for pair in pairs])
    observed = sum(share.get((category, category), 0.0) for category in first)
    expected = sum(first[category] * second.get(category, 0.0) for category in first)
    if math.isclose(expected, 1.0):
        return Agreement("Cohen's kappa", 2, n, observed, expected, None, None)
    kappa = (observed - expected) / (1 - expected)
    linearized = [
        ((i == j) - (second.get(i, 0.0) + first.get(j, 0.0)) * (1 - kappa) - observed + 2 * expected * (1 - kappa))
        / (1 - expected)
        for i, j in pairs
    ]
    interval = _interval(kappa, linearized, clusters, degrees=n)
    return Agreement("Cohen's kappa", 2, n, observed, expected, kappa, interval)


def fleiss_kappa(ratings: Sequence[Sequence[str]], clusters: Sequence[Hashable] | None = None) -> Agreement:
    """For any number of raters. Standard error: K. L. Gwet, Educational and Psychological Measurement 81, 2021.

    (The one of Fleiss' own paper holds only where there is no agreement at all.)
    """
    n, raters = len(ratings), len(ratings[0]) if ratings else 0
    if not n:
        return Agreement("Fleiss' kappa", raters, 0, None, None, None, None)
    overall = _shares([rating for subject in ratings for rating in subject])
    agreeing = [_pairs_agreeing(subject) for subject in ratings]
    observed = sum(agreeing) / n
    expected = sum(share**2 for share in overall.values())
    if math.isclose(expected, 1.0):
        return Agreement("Fleiss' kappa", raters, n, observed, expected, None, None)
    kappa = (observed - expected) / (1 - expected)
    by_chance = [sum(overall[rating] for rating in subject) / raters for subject in ratings]
    linearized = [
        (agree - expected) / (1 - expected) - 2 * (1 - kappa) * (chance - expected) / (1 - expected)
        for agree, chance in zip(agreeing, by_chance, strict=True)
    ]
    interval = _interval(kappa, [value - kappa for value in linearized], clusters, degrees=n - 1)
    return Agreement("Fleiss' kappa", raters, n, observed, expected, kappa, interval)


def _shares(values: Sequence[str]) -> dict[str, float]:
    return {value: count / len(values) for value, count in Counter(values).items()}


def _pairs_agreeing(subject: Sequence[str]) -> float:
    """Share of the pairs of raters who say the same."""
    raters = len(subject)
    return sum(count * (count - 1) for count in Counter(subject).values()) / (raters * (raters - 1))


def _interval(
    kappa: float, deviations: Sequence[float], clusters: Sequence[Hashable] | None, *, degrees: int
) -> tuple[float, float] | None:
    """From the deviations of kappa's linearization from its mean. degrees: what their squares' sum is divided by."""
    subjects = len(deviations)
    if subjects < 2:
        return None
    if clusters is None or len(set(clusters)) == subjects:
        error: float | None = math.sqrt(math.fsum(value * value for value in deviations) / (subjects * degrees))
    else:
        error = clustered_mean(zip(clusters, deviations, strict=True)).standard_error
    if error is None:
        return None
    return max(-1.0, kappa - Z_95 * error), min(1.0, kappa + Z_95 * error)
