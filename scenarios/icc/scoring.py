"""Scoring a division into commits: gates and history scores. Whether it is solved, a judge says.

Everything is read from Git objects in a scratch repository, never from a checked-out file.
"""

from __future__ import annotations

import os

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.histories import HistoryError, HistoryPair, read_history
from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.scoring.chain_gates import chain_gates, take_in
from gitgoodbench.scoring.history_scores import HistoryScores, history_scores
from gitgoodbench.workspace.chain import CommitChain, chain_spec, read_chain
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import RepositoryStore


def score_commits(sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
    """Gates, and what can be said of the history without a model. `solved` is None: a judge has not spoken."""
    mirror, chain, base = _chain(sample, store)
    with ScratchRepository(mirror) as scratch:
        left = take_in(scratch, base, outcome, begun_with=base)
        gates = chain_gates(scratch.git, left, chain.newest, outcome)
        several = float(len(left.commits) > 1) if left.commits and len(chain.commits) > 2 else None
        scores = {"several_commits": several, **HistoryScores.unknown()}
        if left.problem is not None:
            return Verdict(False, False, gates, scores, problem=left.problem)
        facts: dict[str, Json] = {"commits_made": len(left.commits or ())}
        if left.shown:
            found = history_scores(scratch.git, base, left.shown, chain.commits)
            scores.update(found.scores)
            facts.update(found.facts)
        return Verdict(None, None, gates, scores, facts)


def histories(sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
    """The agent's commits and the real ones; only the chain's file where only its hunks were offered."""
    mirror, chain, base = _chain(sample, store)
    path = None if outcome.state.get("hunks") == "all" else os.fsencode(chain_spec(sample).file)
    with ScratchRepository(mirror) as scratch:
        left = take_in(scratch, base, outcome, begun_with=base)
        if left.head is None or not left.commits:
            return None
        try:
            agent = read_history(scratch.git, base, left.head, path=path)
        except HistoryError:
            return None
        return HistoryPair(agent, read_history(scratch.git, base, chain.newest, path=path))


def _chain(sample: Sample, store: RepositoryStore) -> tuple[Git, CommitChain, str]:
    spec = chain_spec(sample)
    mirror = Git(store.git_dir(sample.name, [spec.newest_commit]))
    chain = read_chain(mirror, spec)
    if chain.base is None:
        raise SetupFailed(f"the chain of {spec.newest_commit} has no base")
    return mirror, chain, chain.base
