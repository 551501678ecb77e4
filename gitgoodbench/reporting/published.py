"""Published reference figures (data/published.json), shown beside the figures of runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class PublishedFigure:
    """One row of a table. Rates are in [0, 1] and of all rows; None is not published.

    scenario: name, or None for all scenarios together. breakdown: dimension -> value -> (solved, rows).
    """

    label: str
    source: str
    corpus: str
    scenario: str | None
    rows: int
    solved: int | None
    solve_rate: float
    standard_error: float | None
    success_rate: float | None
    breakdown: Mapping[str, Mapping[str, tuple[int, int]]]


def published_figures(scenarios: Set[str]) -> list[PublishedFigure]:
    """The figures for the given scenarios, and the overall ones where all of theirs are among them."""
    text = resources.files("gitgoodbench.data").joinpath("published.json").read_text(encoding="utf-8")
    figures: list[PublishedFigure] = []
    for entry in json.loads(text)["figures"]:
        for name, values in entry["scenarios"].items():
            if name in scenarios:
                figures.append(_figure(entry, name, values))
        if "overall" in entry and scenarios >= set(entry["scenarios"]):
            figures.append(_figure(entry, None, entry["overall"]))
    return figures


def _figure(entry: Mapping[str, Any], scenario: str | None, values: Mapping[str, Any]) -> PublishedFigure:
    solved = values.get("solved")
    rate = solved / values["rows"] if solved is not None else values["solve_rate"] / 100
    return PublishedFigure(
        label=entry["label"],
        source=entry["source"],
        corpus=entry["corpus"],
        scenario=scenario,
        rows=values["rows"],
        solved=solved,
        solve_rate=rate,
        standard_error=_share(values.get("standard_error")),
        success_rate=_share(values.get("success_rate")),
        breakdown={
            dimension: {value: (cell["solved"], cell["rows"]) for value, cell in values[dimension].items()}
            for dimension in ("difficulty", "language")
            if dimension in values
        },
    )


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100
