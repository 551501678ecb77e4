"""The explanation of runs as tables, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from pydantic import TypeAdapter

from gitgoodbench.explaining.analysis import FEW_GROUPS, LEAST_CASES, Explained
from gitgoodbench.explaining.explain import ExplainedScenario, ExplanationFile
from gitgoodbench.explaining.labels import Relabelled
from gitgoodbench.reporting.layout import UNKNOWN, Block, Sheet, percent
from gitgoodbench.scoring.jackknife import Estimate
from gitgoodbench.text import csv_cell

_LEVEL: Final = 0.05


def explanation_json(found: ExplanationFile) -> dict[str, Any]:
    """As JSON values."""
    values: dict[str, Any] = TypeAdapter(ExplanationFile).dump_python(found, mode="json")
    return values


def explanation_csv(found: ExplanationFile) -> str:
    """A line for each feature of each scenario; an unknown is an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["scenario", "outcome", *_COLUMNS])
    for one in found.scenarios:
        for feature in one.explanation.features:
            writer.writerow(map(csv_cell, [one.scenario, one.outcome, *_values(feature)]))
    return text.getvalue()


_COLUMNS: Final = (
    "feature", "known", "correlation", "correlation_low", "correlation_high", "correlation_p", "correlation_p_holm",
    "effect", "effect_low", "effect_high", "effect_p", "effect_p_holm", "left_out",
)  # fmt: skip


def _values(feature: Explained) -> list[Any]:
    def told(found: Estimate | None) -> list[float | None]:
        return [None] * 4 if found is None else [found.value, found.low, found.high, found.p]

    first, second = told(feature.correlation), told(feature.effect)
    return [
        feature.name, feature.known, *first, feature.correlation_adjusted, *second, feature.effect_adjusted,
        feature.left_out,
    ]  # fmt: skip


def explanation_blocks(found: ExplanationFile) -> Iterator[Block]:
    """Two tables of each scenario, and what must be known to read them."""
    for one in found.scenarios:
        yield _features(one)
        yield _remarks(one)
        if one.difficulty is not None:
            yield _difficulty(one, one.difficulty)
    for name, count in found.too_few.items():
        yield f"{name}: {count} samples are too few to explain anything (at least {LEAST_CASES})"


def _features(one: ExplainedScenario) -> Sheet:
    found = one.explanation
    title = (
        f"{one.scenario}: what goes with {one.outcome} ({percent(one.mean)} of {found.cases} samples of {found.groups} "
        "repositories)"
    )
    headers = ["feature", "known", "rank correlation [95 %]", "p, Holm", "odds ratio per s.d. [95 %]", "p, Holm", ""]
    return Sheet(title, headers, [_row(feature) for feature in found.features])


def _row(feature: Explained) -> list[str]:
    marked = any(p is not None and p < _LEVEL for p in (feature.correlation_adjusted, feature.effect_adjusted))
    return [
        feature.name,
        str(feature.known),
        _with_ends(feature.correlation, lambda value: f"{value:+.2f}"),
        _p(feature.correlation_adjusted),
        _with_ends(feature.effect, _odds),
        _p(feature.effect_adjusted),
        feature.left_out or ("*" if marked else ""),
    ]


def _with_ends(found: Estimate | None, shown: Callable[[float], str]) -> str:
    if found is None:
        return UNKNOWN
    if found.low is None or found.high is None:
        return shown(found.value)
    return f"{shown(found.value)} [{shown(found.low)}, {shown(found.high)}]"


def _odds(logits: float) -> str:
    """Far ends of intervals are written as powers."""
    if abs(logits) > 6:
        return f"1e{logits / math.log(10):+.0f}"
    return f"{math.exp(logits):.2f}"


def _p(p: float | None) -> str:
    return UNKNOWN if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _remarks(one: ExplainedScenario) -> str:
    found = one.explanation
    lines = [
        "intervals and p by leaving out each repository in turn; p adjusted by Holm's method for all features of the "
        f"scenario; * below {_LEVEL}"
    ]
    if found.groups < FEW_GROUPS:
        lines.append(f"only {found.groups} repositories: intervals are wide, and p-values say little")
    if found.concordance is not None:
        lines.append(
            f"the regression orders samples of repositories that it has not seen: {found.concordance:.2f} of pairs "
            "(0.50 is chance)"
        )
    if one.others:
        lines.append(f"{one.others} samples are left out, to which not every run of {one.scenario} has an answer")
    return "\n".join(lines)


def _difficulty(one: ExplainedScenario, found: Relabelled) -> Sheet:
    def order(value: float | None) -> str:
        return UNKNOWN if value is None else f"{value:.2f}"

    title = (
        f"{one.scenario}: {one.outcome} by difficulty, as published (orders {order(found.published_concordance)} of "
        f"pairs) and refitted ({order(found.refitted_concordance)})"
    )
    rows = [
        [
            label.label,
            str(label.published_samples),
            percent(label.published),
            str(label.refitted_samples),
            percent(label.refitted),
        ]
        for label in found.labels
    ]
    return Sheet(title, ["label", "published: samples", one.outcome, "refitted: samples", one.outcome], rows)
