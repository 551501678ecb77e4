"""How far raters agree beyond chance. Pure arithmetic on nominal ratings.

Cohen's kappa for two raters (J. Cohen, Educational and Psychological Measurement 20, 1960), Fleiss' for more
(J. L. Fleiss, Psychological Bulletin 76, 1971): (observed - expected) / (1 - expected) agreement. Intervals are
kappa +- 1.96 standard errors, kept inside [-1, 1]; they are for large samples, and too narrow below some 30 subjects.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gitgoodbench.scoring.statistics import Z_95


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


def agreement(ratings: Sequence[Sequence[str]]) -> Agreement:
    """Agreement over subjects, each rated once by every rater, in the same order of raters.

    Raises:
        ValueError: fewer than two raters, or not the same number for every subject.
    """
    counts = {len(subject) for subject in ratings}
    if len(counts) > 1 or (counts and min(counts) < 2):
        raise ValueError(f"every subject needs the same two or more raters, not {sorted(counts)}")
    if counts == {2}:
        return cohen_kappa([(first, second) for first, second in ratings])
    return fleiss_kappa(ratings)


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> Agreement:
    """For two raters. Standard error: J. L. Fleiss, J. Cohen and B. S. Everitt, Psychological Bulletin 72, 1969."""
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
    a = sum(p * (1 - (first[i] + second[i]) * (1 - kappa)) ** 2 for (i, j), p in share.items() if i == j)
    b = sum(p * (second.get(i, 0.0) + first.get(j, 0.0)) ** 2 for (i, j), p in share.items() if i != j)
    c = kappa - expected * (1 - kappa)
    variance = (a + (1 - kappa) ** 2 * b - c * c) / (n * (1 - expected) ** 2)
    return Agreement("Cohen's kappa", 2, n, observed, expected, kappa, _interval(kappa, variance, n))


def fleiss_kappa(ratings: Sequence[Sequence[str]]) -> Agreement:
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
    variance = sum((value - kappa) ** 2 for value in linearized) / (n * (n - 1)) if n > 1 else math.nan
    return Agreement("Fleiss' kappa", raters, n, observed, expected, kappa, _interval(kappa, variance, n))


def _shares(values: Sequence[str]) -> dict[str, float]:
    return {value: count / len(values) for value, count in Counter(values).items()}


def _pairs_agreeing(subject: Sequence[str]) -> float:
    """Share of the pairs of raters who say the same."""
    raters = len(subject)
    return sum(count * (count - 1) for count in Counter(subject).values()) / (raters * (raters - 1))


def _interval(kappa: float, variance: float, subjects: int) -> tuple[float, float] | None:
    if subjects < 2:
        return None
    half = Z_95 * math.sqrt(max(0.0, variance))
    return max(-1.0, kappa - half), min(1.0, kappa + half)
