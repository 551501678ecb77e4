"""Which episodes of two runs are the same: sample, scenario and epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gitgoodbench.runs.account import NOTHING_SPENT, Account
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.result import Result

Key = tuple[str, str, int]
"""Scenario, sample, epoch."""


@dataclass(frozen=True)
class PlayedRun:
    """A run as its folder has it. name: what it is called in a comparison."""

    name: str
    folder: Path
    manifest: Manifest
    results: Sequence[Result]
    account: Account = field(default=NOTHING_SPENT)

    @cached_property
    def by_key(self) -> dict[Key, Result]:
        """The results by what they answer."""
        return {result.key: result for result in self.results}


@dataclass(frozen=True)
class Episode:
    """The same episode in two runs."""

    a: Result
    b: Result

    @property
    def sample(self) -> str:
        return self.a.sample_id

    @property
    def repository(self) -> str:
        return self.a.name


@dataclass(frozen=True)
class Matched:
    """Two runs and the episodes that both have; only_in_a, only_in_b: those that one has."""

    a: PlayedRun
    b: PlayedRun
    episodes: tuple[Episode, ...]
    only_in_a: tuple[Key, ...]
    only_in_b: tuple[Key, ...]

    @property
    def scenarios(self) -> list[str]:
        """Of the common episodes."""
        return sorted({episode.a.scenario for episode in self.episodes})

    def of(self, scenario: str) -> list[Episode]:
        """The common episodes of one scenario."""
        return [episode for episode in self.episodes if episode.a.scenario == scenario]


def match(a: PlayedRun, b: PlayedRun) -> Matched:
    """Pair the episodes of two runs, in the order of their keys."""
    ours, theirs = a.by_key, b.by_key
    return Matched(
        a,
        b,
        episodes=tuple(Episode(ours[key], theirs[key]) for key in sorted(ours.keys() & theirs.keys())),
        only_in_a=tuple(sorted(ours.keys() - theirs.keys())),
        only_in_b=tuple(sorted(theirs.keys() - ours.keys())),
    )
