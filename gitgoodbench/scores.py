"""Further scores: plug-ins that look at the outcomes of a scenario, which is another plug-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import UserError
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.plugins import SCORES, Objects
from gitgoodbench.scenario import JudgedScenario, Outcome, Scenario, Verdict
from gitgoodbench.workspace.store import RepositoryStore


class Score(Protocol):
    """What an entry point of the group `gitgoodbench.scores` names. Its name is that of the entry point."""

    def applies_to(self, scenario: str) -> bool:
        """Whether outcomes of a scenario have this score."""
        ...

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> float | None:
        """A number in [0, 1] for an outcome that the scenario has no problem with; None where there is none to give.

        From Git objects alone, as `Scenario.score`: it is also asked long after the episode.
        """
        ...


def scores_for(scenario: str, wanted: Sequence[str] | None) -> list[str]:
    """The names of the scores that a scenario's outcomes get: of those that are wanted, or of all (None).

    Raises:
        UserError: a wanted score is not installed.
    """
    installed = Objects(SCORES)
    unknown = [name for name in wanted or () if name not in installed]
    if unknown:
        known = ", ".join(installed) or "none"
        raise UserError(f"--score {unknown[0]}: there is no such score; installed are: {known}")
    return [name for name in installed if (wanted is None or name in wanted) and installed[name].applies_to(scenario)]


def with_scores(scenario: Scenario, wanted: Sequence[str] | None) -> Scenario:
    """The scenario, whose verdicts have further scores, too.

    Raises:
        UserError: a wanted score is not installed.
    """
    names = scores_for(scenario.name, wanted)
    if not names:
        return scenario
    scores = {name: Objects(SCORES)[name] for name in names}
    return _JudgedScored(scenario, scores) if isinstance(scenario, JudgedScenario) else _Scored(scenario, scores)


class _Scored:
    """A scenario with further scores; everything else is the scenario's own."""

    def __init__(self, scenario: Scenario, scores: Mapping[str, Score]) -> None:
        self.name = scenario.name
        self._scenario: Any = scenario
        self._scores = scores

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scenario, name)

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
        verdict: Verdict = self._scenario.score(sample, store, outcome)
        if verdict.problem is not None:
            return verdict
        further = {name: score.score(sample, store, outcome) for name, score in self._scores.items()}
        return replace(verdict, scores={**verdict.scores, **further})


class _JudgedScored(_Scored):
    def histories(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
        found: HistoryPair | None = self._scenario.histories(sample, store, outcome)
        return found
