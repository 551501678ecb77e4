"""Scoring a rebase. Whether it is solved, a judge says."""

from __future__ import annotations

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.git.process import Git
from gitgoodbench.scenario import Json, Outcome, Prediction, Verdict
from gitgoodbench.scoring.chain_edits import same_states_and_messages
from gitgoodbench.scoring.chain_gates import AgentChain, ChainWalks
from gitgoodbench.scoring.chains import ChainTask, chain_histories, score_chain
from gitgoodbench.workspace.outcome import outcome_of
from gitgoodbench.workspace.predicted import Begun, chain_outcome
from gitgoodbench.workspace.store import RepositoryStore

from .episode import open_rebase_chain


def score_rebase(sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
    """The gates of every chain, one more, and history scores.

    `history_changed`: fewer commits than before, or another history, by contents and messages of its commits.
    Commits written anew with the same contents and messages are the old history, also where some that lead nowhere
    were added.
    """
    return score_chain(
        _task(sample, store), outcome, lambda *what: {"history_changed": _is_changed(*what)}
    )  # fmt: skip


def histories(sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
    """The agent's commits and the real ones, with every file."""
    return chain_histories(_task(sample, store), outcome)


def truth(sample: Sample, store: RepositoryStore) -> Outcome:
    """The real commits as an outcome."""
    mirror, chain = open_rebase_chain(sample, store)
    return outcome_of(mirror, chain.newest, [chain.newest], {"finished": True})


def predicted(sample: Sample, store: RepositoryStore, prediction: Prediction) -> Outcome:
    """Predicted commits over the chain's base as an outcome."""
    mirror, chain = open_rebase_chain(sample, store)
    at_work: dict[str, Json] = {"uncommitted": [], "unmerged": [], "merge_in_progress": False, "finished": False}
    begun = Begun([chain.newest], chain.newest, at_work, {"finished": True})
    return chain_outcome(mirror, begun, chain.base, prediction)


def _task(sample: Sample, store: RepositoryStore) -> ChainTask:
    mirror, chain = open_rebase_chain(sample, store)
    return ChainTask(mirror, chain, begun_with=chain.newest)


def _is_changed(git: Git, left: AgentChain, walks: ChainWalks) -> bool:
    """Whether the history is another one than at the start, ids, people and dates aside."""
    agent, truth = walks.agent, walks.truth
    if agent is None or left.commits == tuple(step.commit for step in truth.every):
        return False
    if len(agent.every) < len(truth.every):
        return True
    try:
        if len(agent.every) > len(truth.every):
            return not same_states_and_messages(git, agent.steps, truth.steps)
        return not same_states_and_messages(git, agent.every, truth.every)
    except GitGoodBenchError:
        return False
