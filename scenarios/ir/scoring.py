"""Scoring a rebase. Whether it is solved, a judge says."""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.commits import Commit, read_commits
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase_plan import clean_message
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.scoring.chain_gates import LeftChain
from gitgoodbench.scoring.chains import ChainTask, chain_histories, score_chain
from gitgoodbench.workspace.chain import CommitChain
from gitgoodbench.workspace.store import RepositoryStore

from .episode import open_rebase_chain


def score_rebase(sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
    """The gates of every chain, one more, and history scores.

    `history_changed`: fewer commits than before, or another history, told by trees and messages. Commits written anew
    with the same trees and messages are the old history.
    """
    task = _task(sample, store)
    return score_chain(
        task, outcome, lambda git, left: {"history_changed": _is_changed(git, task.chain, left)}
    )  # fmt: skip


def histories(sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
    """The agent's commits and the real ones, with every file."""
    return chain_histories(_task(sample, store), outcome)


def _task(sample: Sample, store: RepositoryStore) -> ChainTask:
    mirror, chain = open_rebase_chain(sample, store)
    return ChainTask(mirror, chain, begun_with=chain.newest)


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
