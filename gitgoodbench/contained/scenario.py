"""A scenario whose outcomes are read in processes of their own, and what becomes of one that exceeds a limit."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gitgoodbench.contained import truths
from gitgoodbench.contained.client import Running, ask
from gitgoodbench.contained.frames import histories_of, verdict_of
from gitgoodbench.contained.task import Task, Wanted, error_of
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import AgentFailed, GitGoodBenchError, Unscorable
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.limits import LIMITS, LimitExceeded, Limits
from gitgoodbench.scenario import JudgedScenario, Outcome, Prediction, RepositoryStore, Scenario, Verdict
from gitgoodbench.scores import with_scores


class ScoringCrashed(GitGoodBenchError):
    """Scoring has a bug; the message is its traceback."""


def contained(scenario: Scenario, scores: Sequence[str] | None = None, *, limits: Limits = LIMITS) -> Scenario:
    """An installed scenario with further scores (see `with_scores`), whose outcomes are read in other processes.

    An outcome that takes more than `limits` gets the verdict of one that cannot be read, and `Verdict.limit`. Only if
    what the real commits leave does not take more (see `ScenarioWithTruth`) is that said: else nobody knows who is to
    blame, and `Unscorable` is raised.

    Raises:
        UserError: a wanted score is not installed.
    """
    names = None if scores is None else tuple(scores)
    full = with_scores(scenario, names)
    kind = _JudgedContained if isinstance(scenario, JudgedScenario) else Contained
    return kind(full, names, limits)


class Contained:
    """See `contained`; everything but scoring is the scenario's own."""

    def __init__(self, scenario: Scenario, scores: tuple[str, ...] | None, limits: Limits) -> None:
        self.name = scenario.name
        self.running = Running()
        self._scenario: Any = scenario
        self._scores = scores
        self._limits = limits
        self._scored: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scenario, name)

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
        """The scenario's verdict.

        Raises:
            Unscorable: nobody knows whose fault it is that a limit is exceeded.
            EpisodeError: the repository cannot be had or read.
        """
        try:
            return verdict_of(self._ask(Wanted.SCORE, sample, store, outcome)["verdict"])
        except LimitExceeded as problem:
            self._blame_agent(Wanted.SCORE, sample, store, problem)
            unread = Outcome(outcome.head, None, outcome.state, problem=str(problem))
            verdict = verdict_of(self._ask(Wanted.SCORE, sample, store, unread)["verdict"])
            return replace(verdict, problem=str(problem), limit=str(problem))

    def predicted(self, sample: Sample, store: RepositoryStore, prediction: Prediction) -> Outcome:
        """See `PredictedScenario.predicted`. One that takes more than it may is an outcome that cannot be read.

        Raises:
            AgentFailed: the prediction cannot be applied.
            EpisodeError: the repository cannot be had or read.
        """
        try:
            frame = self._ask(Wanted.PREDICTED, sample, store, None, prediction)
        except LimitExceeded as problem:
            raise AgentFailed(f"the prediction cannot be applied: {problem}") from problem
        return Outcome.from_json(frame["outcome"])

    def _blame_agent(self, wanted: Wanted, sample: Sample, store: RepositoryStore, problem: LimitExceeded) -> None:
        """See that the real commits exceed no limit.

        Raises:
            Unscorable: they do, or the scenario cannot tell what they would leave.
        """
        try:
            if "untold" not in self._ask(wanted, sample, store, None):
                return
            reason = f"the scenario {self.name} cannot tell whether the real commits do as well"
        except LimitExceeded as other:
            reason = f"the real commits do as well: {other}"
        raise Unscorable(f"{problem}; {reason}") from problem

    def _ask(
        self,
        wanted: Wanted,
        sample: Sample,
        store: RepositoryStore,
        outcome: Outcome | None,
        prediction: Prediction | None = None,
    ) -> dict[str, Any]:
        known = None if wanted is Wanted.PREDICTED else self._known(sample, store)
        with temporary_folder("scoring") as folder:
            task = Task(wanted, self.name, self._scores, sample, outcome, self._limits, str(folder), prediction, known)
            frame = ask(task, store, self.running)
        if "crash" in frame:
            raise ScoringCrashed(str(frame["crash"]))
        if "error" in frame:
            raise error_of(frame)
        return frame

    def _known(self, sample: Sample, store: RepositoryStore) -> str | None:
        """The file with what scoring reads of the real commits. It is made when a sample is scored a second time."""
        name = truths.name_of(self.name, sample)
        found = truths.find(name)
        if found is not None or sample.id not in self._scored:
            self._scored.add(sample.id)
            return found
        self._scored.discard(sample.id)  # one try, and another one where it is lost again
        with temporary_folder("scoring") as folder, contextlib.suppress(GitGoodBenchError, LimitExceeded):
            task = Task(Wanted.SCORE, self.name, self._scores, sample, None, self._limits, str(folder), record=True)
            ask(task, store, self.running)
            truths.keep(name, folder)
        return truths.find(name)


class _JudgedContained(Contained):
    def histories(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
        """What a judge compares.

        Raises:
            AgentFailed: it takes more than it may, and the real commits do not.
            Unscorable, EpisodeError: as for `score`.
        """
        try:
            return histories_of(self._ask(Wanted.HISTORIES, sample, store, outcome)["histories"])
        except LimitExceeded as problem:
            self._blame_agent(Wanted.HISTORIES, sample, store, problem)
            raise AgentFailed(f"its history cannot be shown to a judge: {problem}") from problem
