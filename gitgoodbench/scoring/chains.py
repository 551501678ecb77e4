"""The verdict on a chain of commits (IR and ICC): gates, history scores, and the histories that a judge compares.

Whether it is solved, a judge says. Everything is read from Git objects in a scratch repository, never from a file that
is checked out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gitgoodbench.git.histories import HistoryError, HistoryPair, read_history
from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.scoring.chain_gates import LeftChain, chain_gates, take_in
from gitgoodbench.scoring.history_scores import HistoryScores, history_scores
from gitgoodbench.workspace.chain import CommitChain
from gitgoodbench.workspace.scratch import ScratchRepository

MoreGates = Callable[[Git, LeftChain], Mapping[str, bool]]


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
        left = take_in(scratch, chain.base, outcome, begun_with=task.begun_with)
        gates = {**chain_gates(scratch.git, left, chain.newest, outcome), **more_gates(scratch.git, left)}
        several = float(len(left.commits) > 1) if left.commits and len(chain.commits) > 2 else None
        scores = {"several_commits": several, **HistoryScores.unknown()}
        if left.problem is not None:
            return Verdict(False, False, gates, scores, problem=left.problem)
        facts: dict[str, Json] = {"commits_made": len(left.commits or ())}
        if left.shown:
            found = history_scores(scratch.git, chain.base, left.shown, chain.commits)
            scores.update(found.scores)
            facts.update(found.facts)
        return Verdict(None, None, gates, scores, facts)


def chain_histories(task: ChainTask, outcome: Outcome, path: bytes | None = None) -> HistoryPair | None:
    """The agent's commits and the real ones, of one file or of all; None where the agent left none on the base.

    A commit that changes nothing of what is shown is in neither: the published committing tools end with one that holds
    the other files, and a message without a change would tell the agent's side.
    """
    chain = task.chain
    with ScratchRepository(task.mirror) as scratch:
        left = take_in(scratch, chain.base, outcome, begun_with=task.begun_with)
        if left.head is None or not left.commits:
            return None
        try:
            agent = read_history(scratch.git, chain.base, left.head, path=path, changes_only=True)
        except HistoryError:
            return None
        return HistoryPair(agent, read_history(scratch.git, chain.base, chain.newest, path=path, changes_only=True))
