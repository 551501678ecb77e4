"""When a commit has settled: it is not likely to be rewritten any more, and what cannot be taken back may be sent."""

from __future__ import annotations

from collections.abc import Callable

from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import commit_of
from gitgoodbench.git.process import Git, GitError

Settled = Callable[[str, float], bool]
"""Whether a commit has settled: its id, and the minutes after which it has even if it is not pushed."""


def settled_in(store: Store, git: Git, now: float) -> Settled:
    """The rule for a repository.

    A commit has settled when a remote branch has it, or when that many minutes have passed since it was made and a
    branch, a tag or the HEAD of a worktree still has it. One whose place another took never has.
    """

    def settled(commit: str, minutes: float) -> bool:
        known = commit_of(store, commit)
        if known is None or known.moved_to is not None:
            return False
        if not _lacks(git, commit, "--remotes"):
            return True
        return now - known.time >= minutes * 60 and not _lacks(git, commit, "--all")

    return settled


def _lacks(git: Git, commit: str, where: str) -> bool:
    """Whether none of these refs has a commit. A commit that is gone from the repository is in none."""
    try:
        return bool(git.run("rev-list", "--max-count=1", commit, "--not", where).strip())
    except GitError:
        return True
