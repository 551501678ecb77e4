"""How what the agent left differs from the truth, as a result shows it: the ids of both trees, and a diff."""

from __future__ import annotations

from gitgoodbench.details import BESIDE, Trees, readable
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.histories import HistoryError, read_patch
from gitgoodbench.git.process import Git


def tree_ids(git: Git, head: str | None, truth: str) -> Trees:
    """The trees of two commits; None where a commit cannot be read."""
    wanted = [commit for commit in (head, truth) if commit is not None]
    try:
        found = {commit.oid: commit.tree for commit in read_commits(git, wanted)}
    except GitGoodBenchError:
        return Trees()
    return Trees(agent=None if head is None else found[head], truth=found[truth])


def diff_between(git: Git, head: str, truth: str) -> str | None:
    """From the agent's tree to the true one, as far as it is kept; None where it cannot be made."""
    try:
        return readable(read_patch(git, head, truth, [b"."], limit=BESIDE.text))
    except HistoryError:
        return None
