"""A repository in which commits are a day apart, with edits that wrote lines of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gitgoodbench.feedback.records import Commit, CommitResult, Key, MatchedPiece, Survival
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import save_commit
from gitgoodbench.feedback.store.results import save_result, save_survival
from gitgoodbench.feedback.survival import DAY, follow
from tests.feedback.support_notes import edit_result, piece
from tests.support.repositories import Content, RepositoryBuilder

FIRST = 1_600_000_000 + DAY
"""When a builder makes its first commit; the others follow a day apart."""


class Story:
    """Commits, and the edits that count for them."""

    def __init__(self, path: Path) -> None:
        self.repo = RepositoryBuilder(path)
        self.git = self.repo.git
        self.store = Store(path)
        self.count = 0

    def commit(self, files: Mapping[bytes, Content], *parents: str, message: bytes = b"A commit\n") -> str:
        self.count += 1
        made = self.repo.commit(files, parents, message)
        self.repo.branch("main", made)
        return made

    def time_of(self, commit: str) -> int:
        return int(self.git.line("show", "-s", "--format=%ct", commit))

    def edits(self, commit: str, pieces: dict[str, list[MatchedPiece]], branch: str | None = "main") -> None:
        """Let edits, by name, have written pieces of a commit."""
        record = Commit(commit, (), self.time_of(commit), "Ada", "a@b.c", branch=branch)
        edits = tuple(edit_result(commit, name, *some) for name, some in pieces.items())
        save_commit(self.store, record)
        save_result(self.store, CommitResult(record, edits, (), rule="1"))

    def follow(self, day: float, days: int = 14) -> dict[str, Survival]:
        """What is seen so many days after the first commit; it is saved."""
        found = follow(self.store, self.git, days=days, now=FIRST + day * DAY)
        save_survival(self.store, found)
        return {one.key.edit: one for one in found}


def wrote(text: bytes, path: str = "a.py", line: int = 1, distance: int = 0) -> list[MatchedPiece]:
    return [piece(text, path, line, distance)]


def key(name: str) -> Key:
    return Key("claude-code", "s1", name)
