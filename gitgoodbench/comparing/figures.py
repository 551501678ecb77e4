"""The figures of two runs by one score."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gitgoodbench.comparing.differences import Differences
from gitgoodbench.comparing.exact import exchange_p
from gitgoodbench.comparing.matching import Episode, Matched
from gitgoodbench.comparing.power import detectable, needed_samples
from gitgoodbench.comparing.records import ALL_GATES, SOLVED, VERDICTS, Pair, Stratum
from gitgoodbench.comparing.strata import strata_of
from gitgoodbench.runs.result import Result


@dataclass(frozen=True)
class Valued:
    """A matched episode where both runs have a value."""

    episode: Episode
    a: float
    b: float

    @property
    def difference(self) -> float:
        return self.a - self.b


def scores_of(results: Iterable[Result]) -> list[str]:
    """What results of one scenario can be compared by: verdicts, then graded scores.

    Scores that only repeat `solved` are left out.
    """
    answers = [result for result in results if result.status.is_answer]
    gates = [ALL_GATES] if any(result.gates for result in answers) else []
    names = dict.fromkeys(name for result in answers for name in result.scores)
    return [SOLVED, *gates, *(name for name in names if not _repeats_solved(answers, name))]


def _repeats_solved(results: Sequence[Result], name: str) -> bool:
    known = [result for result in results if result.scores.get(name) is not None and result.solved is not None]
    return bool(known) and all(result.scores[name] == float(result.solved is True) for result in known)


def figures(
    matched: Matched, scenario: str | None, episodes: Sequence[Episode], score: str, facts: Mapping[str, str]
) -> Pair:
    """Compare two runs over these episodes by one score. facts: those that divide verdicts into strata, and the
    words for them.
    """
    valued, left_out = _valued(episodes, score)
    is_verdict = score in VERDICTS
    by_sample = Differences.of((one.episode.sample, one.difference) for one in valued)
    by_repository = Differences.of((one.episode.repository, one.difference) for one in valued)
    interval, interval_by = by_sample.interval()
    needed, more, seen = _power(by_sample, whole=is_verdict)
    only_a, only_b, both, neither = _table(valued) if is_verdict else (None,) * 4
    return Pair(
        a=matched.a.name, b=matched.b.name, scenario=scenario, score=score, n=len(valued),
        samples=by_sample.clusters, repositories=by_repository.clusters,
        mean_a=_mean([one.a for one in valued]), mean_b=_mean([one.b for one in valued]),
        only_a=only_a, only_b=only_b, both=both, neither=neither,
        difference=by_sample.mean, interval=interval, interval_by=interval_by,
        interval_by_repository=by_repository.interval()[0] if by_repository.clusters > 1 else None,
        p_mcnemar=exchange_p(by_sample.sums) if is_verdict and valued else None,
        p_wilcoxon=None if is_verdict or not valued else _wilcoxon_p(by_sample),
        p_holm=None, needed_samples=needed, more_samples=more, detectable=seen, left_out=left_out,
        strata=tuple(_strata(valued, facts)) if is_verdict else (),
    )  # fmt: skip


def _valued(episodes: Sequence[Episode], score: str) -> tuple[list[Valued], dict[str, int]]:
    """Episodes where both have a value; and why the others have none, by the first side that lacks it."""
    valued, left_out = [], Counter[str]()
    for episode in episodes:
        a, b = _value(episode.a, score), _value(episode.b, score)
        if a is not None and b is not None:
            valued.append(Valued(episode, a, b))
        else:
            side, result = ("a", episode.a) if a is None else ("b", episode.b)
            left_out[f"{side}: {_why_none(result, score)}"] += 1
    return valued, dict(sorted(left_out.items()))


def _value(result: Result, score: str) -> float | None:
    """Of an answer; None where it has none, and where the result is no answer."""
    if not result.status.is_answer:
        return None
    if score == SOLVED:
        return None if result.solved is None else float(result.solved)
    if score == ALL_GATES:
        return float(all(result.gates.values())) if result.gates else None
    return result.scores.get(score)


def _why_none(result: Result, score: str) -> str:
    if not result.status.is_answer:
        return result.status.value
    return {SOLVED: "not judged", ALL_GATES: "no gates"}.get(score, "no value")


def _table(valued: Sequence[Valued]) -> tuple[int, int, int, int]:
    """Episodes that only A, only B, both, and neither met."""
    met = Counter((bool(one.a), bool(one.b)) for one in valued)
    return met[True, False], met[False, True], met[True, True], met[False, False]


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _wilcoxon_p(differences: Differences) -> float:
    """Wilcoxon's signed-rank test of the samples' mean differences; those of 0 are dropped."""
    from scipy.stats import wilcoxon

    means = differences.means[differences.means != 0]
    return float(wilcoxon(means).pvalue) if len(means) else 1.0


def _power(differences: Differences, *, whole: bool) -> tuple[int | None, int | None, float | None]:
    """Samples needed, how many more these are, and the difference that those in hand show."""
    samples = differences.clusters
    if not samples:
        return None, None, None
    means = differences.means
    square = float(np.mean(means**2))
    needed = needed_samples(square, float(np.mean(means)), whole=whole)
    return needed, None if needed is None else max(0, needed - samples), detectable(square, samples, whole=whole)


def _strata(valued: Sequence[Valued], facts: Mapping[str, str]) -> Iterator[Stratum]:
    for dimension, parts in strata_of([one.episode for one in valued], facts).items():
        for value, places in parts.items():
            yield _stratum(dimension, value, [valued[place] for place in places])


def _stratum(dimension: str, value: str, valued: Sequence[Valued]) -> Stratum:
    by_sample = Differences.of((one.episode.sample, one.difference) for one in valued)
    only_a, only_b, _, _ = _table(valued)
    return Stratum(
        dimension, value, len(valued), by_sample.clusters,
        mean_a=statistics.fmean(one.a for one in valued), mean_b=statistics.fmean(one.b for one in valued),
        only_a=only_a, only_b=only_b,
        difference=by_sample.mean or 0.0, interval=by_sample.interval()[0],
    )  # fmt: skip
