"""What is being finished: a merge, or another operation of Git that stopped at conflicts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """An operation that stopped at conflicts, and the commit that ends it.

    noun: what it is called to an agent (`merge`). begun_with: the commits that the workspace begins with; the first is
    checked out. parents: those of the commit that ends it. sides: trees or commits of the local and the incoming side.
    message: what it is committed with where the agent does not say. pending: the files in the repository that say that
    it waits to be continued.
    """

    noun: str
    begun_with: tuple[str, ...]
    parents: tuple[str, ...]
    sides: tuple[str, str]
    message: bytes
    pending: tuple[str, ...]


def merge_task(parents: tuple[str, str]) -> Task:
    """A merge of two commits."""
    return Task("merge", parents, parents, parents, b"Merge branch 'incoming'\n", ("MERGE_HEAD",))
