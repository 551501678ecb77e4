"""Scoring a rebase: gates and history scores. Whether it is solved, a judge says.

Everything is read from Git objects in a scratch repository, never from a checked-out file.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.commits import Commit, read_commits
from gitgoodbench.git.histories import HistoryError, HistoryPair, read_history
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase_plan import clean_message
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.scoring.chain_gates import LeftChain, chain_gates, take_in
from gitgoodbench.scoring.history_scores import HistoryScores, history_scores
from gitgoodbench.workspace.chain import CommitChain, chain_spec
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import RepositoryStore

from .episode import read_rebase_chain


def score_rebase(sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
    """Gates, and what can be said of the history without a model. `solved` is None: a judge has not spoken.

    Beside the gates of every chain, `history_changed`: fewer commits than before, or another history, told by trees
    and messages. Commits written anew with the same trees and messages are the old history. More than one commit where
    there were more than two is no requirement: it is the score `several_commits`.
    """
    mirror, chain = _chain(sample, store)
    with ScratchRepository(mirror) as scratch:
        left = take_in(scratch, chain.base, outcome, begun_with=chain.newest)
        changed = _is_changed(scratch.git, chain, left)
        gates = {**chain_gates(scratch.git, left, chain.newest, outcome), "history_changed": changed}
        if left.problem is not None:
            return Verdict(False, False, gates, _scores(chain, left, None), problem=left.problem)
        found = history_scores(scratch.git, chain.base, left.shown, chain.commits) if left.commits else None
        facts = {"commits_made": len(left.commits or ()), **(found.facts if found is not None else {})}
        return Verdict(None, None, gates, _scores(chain, left, found), facts)


def histories(sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
    """The agent's commits and the real ones, with every file."""
    mirror, chain = _chain(sample, store)
    with ScratchRepository(mirror) as scratch:
        left = take_in(scratch, chain.base, outcome, begun_with=chain.newest)
        if left.head is None or not left.commits:
            return None
        try:
            agent = read_history(scratch.git, chain.base, left.head)
        except HistoryError:
            return None
        return HistoryPair(agent, read_history(scratch.git, chain.base, chain.newest))


def _chain(sample: Sample, store: RepositoryStore) -> tuple[Git, CommitChain]:
    spec = chain_spec(sample)
    mirror = Git(store.git_dir(sample.name, [spec.newest_commit]))
    return mirror, read_rebase_chain(mirror, spec)


def _is_changed(git: Git, chain: CommitChain, left: LeftChain) -> bool:
    """Whether the history is another one than at the start, ids, people and dates aside."""
    if not left.commits or left.commits == chain.commits:
        return False
    if len(left.commits) != len(chain.commits):
        return True
    try:
        ours, theirs = (_told(read_commits(git, commits)) for commits in (left.commits, chain.commits))
    except GitGoodBenchError:
        return False
    return ours != theirs


def _told(commits: Sequence[Commit]) -> list[tuple[str, bytes]]:
    return [(commit.tree, clean_message(commit.message)) for commit in commits]


def _scores(chain: CommitChain, left: LeftChain, found: HistoryScores | None) -> dict[str, float | None]:
    several = float(len(left.commits) > 1) if left.commits and len(chain.commits) > 2 else None
    return {"several_commits": several, **(found.scores if found is not None else HistoryScores.unknown())}
