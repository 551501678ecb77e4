"""A chain of commits as its repository has it: k commits on one first-parent line, and the base below them."""

from __future__ import annotations

from dataclasses import dataclass

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.workspace.store import RepositoryStore


@dataclass(frozen=True)
class CommitChain:
    """Commit ids. `commits` runs from the oldest to the newest; `base` is None where the chain holds the root commit.

    merges: those of the commits that have more than one parent.
    """

    base: str | None
    commits: tuple[str, ...]
    merges: tuple[str, ...] = ()

    @property
    def newest(self) -> str:
        return self.commits[-1]


def open_chain(store: RepositoryStore, name: str, newest: str, count: int) -> tuple[Git, CommitChain]:
    """The repository of that name, and the chain in it that ends at a commit.

    Raises:
        SetupFailed: the history ends too early, or the repository cannot be had.
    """
    mirror = store.mirror(name, [newest]).borrow()
    return mirror, read_chain(mirror, newest, count)


def read_chain(mirror: Git, newest: str, count: int) -> CommitChain:
    """A commit and its first parents, `count` commits in all.

    Raises:
        SetupFailed: the history ends before.
    """
    try:
        listing = mirror.run(
            "rev-list", "--first-parent", "--parents", f"--max-count={count}", "--end-of-options", newest
        )
    except GitError as problem:
        raise SetupFailed(f"the chain below {newest} cannot be read: {problem}") from problem
    lines = [line.split() for line in listing.decode("ascii").splitlines()]
    if len(lines) < count:
        raise SetupFailed(f"{newest} has {len(lines)} commits on its first-parent line, not {count}")
    oldest = lines[-1]
    commits = tuple(commit for commit, *_ in reversed(lines))
    merges = tuple(commit for commit, *parents in reversed(lines) if len(parents) > 1)
    return CommitChain(oldest[1] if len(oldest) > 1 else None, commits, merges)
