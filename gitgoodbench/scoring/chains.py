"""The verdict on a chain of commits (IR and ICC): gates, history scores, and the histories that a judge compares.

Whether it is solved, a judge says. Everything is read from Git objects in a scratch repository, never from a file that
is checked out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gitgoodbench.details import Details
from gitgoodbench.git.histories import HistoryError, HistoryPair, read_history
from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.scoring import chain_edits
from gitgoodbench.scoring.chain_gates import AgentChain, ChainWalks, chain_gates, import_chain, walk_chains
from gitgoodbench.scoring.differences import diff_between, tree_ids
from gitgoodbench.scoring.history_scores import HistoryScores, history_scores
from gitgoodbench.workspace.chain import CommitChain
from gitgoodbench.workspace.scratch import ScratchRepository

MoreGates = Callable[[Git, AgentChain, ChainWalks], Mapping[str, bool]]


@dataclass(frozen=True)
class ChainTask:
    """What an outcome is compared with. begun_with: the commit that the workspace began with."""

    mirror: Git
    chain: CommitChain
    begun_with: str


def score_chain(task: ChainTask, outcome: Outcome, more_gates: MoreGates = lambda *_: {}) -> Verdict:
    """Gates, and what can be said of the history without a model. `solved` is None: a judge has not spoken.

    More than one commit where there were more than two is no requirement: it is the score `several_commits`.
    """
    chain = task.chain
    with ScratchRepository(task.mirror) as scratch:
        git = scratch.git
        left = import_chain(scratch, chain.base, outcome, begun_with=task.begun_with, truth=[chain.newest])
        walks = walk_chains(git, left, chain)
        gates = {**chain_gates(git, left, chain.newest, outcome, walks), **more_gates(git, left, walks)}
        scores = {"several_commits": several_commits(walks), **HistoryScores.unknown()}
        details = Details(ids={"base": chain.base, "newest": chain.newest})
        if left.problem is not None:
            return Verdict(False, False, gates, scores, problem=left.problem, details=details)
        facts = {"commits_made": len(left.commits or ()), **_edits(git, chain, walks)}
        if left.shown:
            found = history_scores(git, chain.base, left.shown, chain.commits, commits_made=len(left.commits or ()))
            scores.update(found.scores)
            facts.update(found.facts)
            details = details.model_copy(update={"histories": found.details})
        if left.head is not None:
            details = details.model_copy(update=_trees(git, left.head, chain.newest, gates["final_tree_exact"]))
        return Verdict(None, None, gates, scores, facts, details=details)


def _trees(git: Git, head: str, newest: str, are_equal: bool) -> dict[str, object]:
    return {"trees": tree_ids(git, head, newest), "diff": "" if are_equal else diff_between(git, head, newest)}


def several_commits(walks: ChainWalks) -> float | None:
    """1 for more than one commit, else 0; None where the real chain has no more than two, or it cannot be known.

    On both sides only commits that lead on count: neither empty ones nor any that a later one undoes.
    """
    if walks.agent is None or len(walks.truth.steps) <= 2:
        return None
    return float(len(walks.agent.steps) > 1)


def _edits(git: Git, chain: CommitChain, walks: ChainWalks) -> dict[str, Json]:
    """How the agent's commits stand to the real ones; of a history with merges, nothing is said."""
    if walks.agent is None or not walks.linear:
        return dict.fromkeys(chain_edits.FACTS)
    return dict(chain_edits.chain_edits(git, chain.base, walks.agent, walks.truth))


def chain_histories(task: ChainTask, outcome: Outcome, path: bytes | None = None) -> HistoryPair | None:
    """The agent's commits and the real ones, of one file or of all; None where the agent left none on the base.

    A commit that changes nothing of what is shown is in neither: the published committing tools end with one that holds
    the other files, and a message without a change would tell the agent's side.
    """
    chain = task.chain
    with ScratchRepository(task.mirror) as scratch:
        left = import_chain(scratch, chain.base, outcome, begun_with=task.begun_with, truth=[chain.newest])
        if left.head is None or not left.commits:
            return None
        try:
            agent = read_history(scratch.git, chain.base, left.head, path=path, changes_only=True)
        except HistoryError:
            return None
        return HistoryPair(agent, read_history(scratch.git, chain.base, chain.newest, path=path, changes_only=True))
