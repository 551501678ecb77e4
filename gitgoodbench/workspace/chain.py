"""A file-commit chain as its repository has it: k commits on one first-parent line, and the base below them."""

from __future__ import annotations

from dataclasses import dataclass

from gitgoodbench.dataset.sample import FileCommitChainSpec, Sample
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.workspace.store import RepositoryStore


@dataclass(frozen=True)
class CommitChain:
    """Commit ids. `commits` runs from the oldest to the newest; `base` is None where the chain holds the root commit.

    merges: those of the commits that have more than one parent (the published rows are not always right).
    """

    base: str | None
    commits: tuple[str, ...]
    merges: tuple[str, ...] = ()

    @property
    def newest(self) -> str:
        return self.commits[-1]


def chain_spec(sample: Sample) -> FileCommitChainSpec:
    if sample.chain is None:
        raise SetupFailed(f"sample {sample.id} is no file-commit chain")
    return sample.chain


def open_chain(sample: Sample, store: RepositoryStore) -> tuple[Git, CommitChain]:
    """The sample's repository, and its chain in it.

    Raises:
        SetupFailed: it is no chain, or the history ends too early.
    """
    spec = chain_spec(sample)
    mirror = store.mirror(sample.name, [spec.newest_commit]).borrow()
    return mirror, read_chain(mirror, spec)


def read_chain(mirror: Git, spec: FileCommitChainSpec) -> CommitChain:
    """The newest commit of a row and its first parents, k commits in all.

    What the row says of its oldest commit is not believed: in some published rows it is not on that line.

    Raises:
        SetupFailed: the history ends before k commits.
    """
    wanted = spec.times_seen_consecutively
    try:
        listing = mirror.run(
            "rev-list", "--first-parent", "--parents", f"--max-count={wanted}", "--end-of-options", spec.newest_commit
        )
    except GitError as problem:
        raise SetupFailed(f"the chain below {spec.newest_commit} cannot be read: {problem}") from problem
    lines = [line.split() for line in listing.decode("ascii").splitlines()]
    if len(lines) < wanted:
        raise SetupFailed(f"{spec.newest_commit} has {len(lines)} commits on its first-parent line, not {wanted}")
    oldest = lines[-1]
    commits = tuple(commit for commit, *_ in reversed(lines))
    merges = tuple(commit for commit, *parents in reversed(lines) if len(parents) > 1)
    return CommitChain(oldest[1] if len(oldest) > 1 else None, commits, merges)
