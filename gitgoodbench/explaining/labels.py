"""The label of difficulty, refitted on outcomes, beside the published one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.explaining.analysis import Case
from gitgoodbench.scoring.jackknife import concordance


@dataclass(frozen=True)
class Label:
    """How the samples with a label ended. published, refitted: the mean outcome; None of no samples."""

    label: str
    published_samples: int
    published: float | None
    refitted_samples: int
    refitted: float | None


@dataclass(frozen=True)
class Relabelled:
    """labels: from the easiest. of_samples: the refitted label of each. published_concordance, refitted_concordance:
    how often, of two samples with different outcomes, the label says so (0.5: as often as chance)."""

    labels: Sequence[Label]
    of_samples: Mapping[str, str]
    published_concordance: float | None
    refitted_concordance: float | None


def relabel(cases: Sequence[Case], published: Mapping[str, str], predictions: Mapping[str, float]) -> Relabelled | None:
    """Give each label to as many samples as have it, those with the best chance first.

    The chances come from samples of other repositories, so a refitted label does not know how its own sample ended.
    None where nothing is predicted.
    """
    known = [case for case in cases if case.id in predictions and published.get(case.id) in DIFFICULTIES]
    if not known:
        return None
    before = [published[case.id] for case in known]
    ranked = sorted(known, key=lambda case: (-predictions[case.id], case.id))
    spread = [label for label in DIFFICULTIES for _ in range(before.count(label))]
    refitted = {case.id: label for case, label in zip(ranked, spread, strict=True)}
    after = [refitted[case.id] for case in known]
    return Relabelled(
        [_label(name, known, before, after) for name in DIFFICULTIES],
        refitted,
        _concordance(known, before),
        _concordance(known, after),
    )


def _label(name: str, cases: Sequence[Case], before: Sequence[str], after: Sequence[str]) -> Label:
    first, second = (
        [c.outcome for c, label in zip(cases, side, strict=True) if label == name] for side in (before, after)
    )
    return Label(name, len(first), _mean(first), len(second), _mean(second))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _concordance(cases: Sequence[Case], labels: Sequence[str]) -> float | None:
    ranks = {str(name): float(rank) for rank, name in enumerate(DIFFICULTIES)}
    easiness = np.array([-ranks[label] for label in labels])
    return concordance(easiness, np.array([case.outcome for case in cases]))
