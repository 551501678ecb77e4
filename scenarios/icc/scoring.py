"""Scoring a division into commits. Whether it is solved, a judge says."""

from __future__ import annotations

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.scenario import Json, Outcome, Prediction, Verdict
from gitgoodbench.scoring.chains import ChainTask, chain_histories, score_chain
from gitgoodbench.workspace.outcome import outcome_of
from gitgoodbench.workspace.predicted import Begun, chain_outcome
from gitgoodbench.workspace.store import RepositoryStore

from .episode import chain_file, open_based_chain


def score_commits(sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
    """The gates of every chain, and history scores."""
    return score_chain(_task(sample, store), outcome)


def histories(sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
    """The agent's commits and the real ones; only the chain's file where only its hunks were offered."""
    path = None if outcome.state.get("hunks") == "all" else chain_file(sample)
    return chain_histories(_task(sample, store), outcome, path)


def truth(sample: Sample, store: RepositoryStore) -> Outcome:
    """The real commits as an outcome."""
    mirror, chain, base = open_based_chain(sample, store)
    return outcome_of(mirror, chain.newest, [base], {"finished": True})


def predicted(sample: Sample, store: RepositoryStore, prediction: Prediction) -> Outcome:
    """Predicted commits over the base as an outcome. They hold every file's changes, so a judge is shown every file."""
    mirror, _, base = open_based_chain(sample, store)
    at_work: dict[str, Json] = {"uncommitted": None, "unmerged": [], "merge_in_progress": False, "finished": False}
    begun = Begun([base], base, {**at_work, "hunks": "all"}, {"finished": True, "hunks": "all"})
    return chain_outcome(mirror, begun, base, prediction)


def _task(sample: Sample, store: RepositoryStore) -> ChainTask:
    mirror, chain, base = open_based_chain(sample, store)
    return ChainTask(mirror, chain, begun_with=base)
