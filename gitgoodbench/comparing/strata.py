"""Parts of the matched episodes that differ in what is hard about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gitgoodbench.comparing.matching import Episode
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.result import Result

ATTAINABLE: Final = "attainable"
"""The fact that manifests of before do not name."""

_ORDER: Final = {"easy": 0, "medium": 1, "hard": 2}


def facts_of(manifests: Sequence[Manifest], scenarios: Sequence[str]) -> dict[str, str]:
    """The facts that these scenarios count by, and the words for them."""
    declared = [manifest.denominators.get(name, {}) for manifest in manifests for name in scenarios]
    return {fact: word for facts in declared for fact, word in facts.items()} or {ATTAINABLE: ATTAINABLE}


def strata_of(episodes: Sequence[Episode], facts: Mapping[str, str]) -> dict[str, dict[str, list[int]]]:
    """Dimension -> value -> positions of episodes; only dimensions with several values.

    A fact that is not known, or not the same in both runs (their tools may differ), is no value.
    """
    dimensions: dict[str, Callable[[Result], str | None]] = {
        "scenario": lambda result: result.scenario,
        "difficulty": lambda result: result.difficulty,
        "language": lambda result: result.language,
    }
    dimensions |= {word: _by_fact(fact, word) for fact, word in facts.items()}
    found = {name: _divided(episodes, value_of) for name, value_of in dimensions.items()}
    return {name: parts for name, parts in found.items() if len(parts) > 1}


def _by_fact(fact: str, word: str) -> Callable[[Result], str | None]:
    words = {True: word, False: f"not {word}"}
    return lambda result: words[value] if isinstance(value := result.facts.get(fact), bool) else None


def _divided(episodes: Sequence[Episode], value_of: Callable[[Result], str | None]) -> dict[str, list[int]]:
    parts: dict[str, list[int]] = {}
    for place, episode in enumerate(episodes):
        value = value_of(episode.a)
        if value is not None and value == value_of(episode.b):
            parts.setdefault(value, []).append(place)
    return {value: parts[value] for value in sorted(parts, key=lambda value: (_ORDER.get(value, 9), value))}
