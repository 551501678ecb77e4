"""Results of commits, made up for tests of notes and of what is shared."""

from __future__ import annotations

from pathlib import Path

from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.records import Commit, CommitResult, EditResult, Evidence, Key, MatchedPiece
from tests.support.repositories import RepositoryBuilder


def repository(path: Path) -> RepositoryBuilder:
    """A bare repository at `path`, and so the common Git directory of a `place`."""
    return RepositoryBuilder(path)


def place(path: Path) -> Place:
    return Place(roots=(), common=path, home=path)


def commit_record(commit: str, time: int = 1_700_000_000, **fields: object) -> Commit:
    return Commit(commit, (), time, "Ada", "ada@example.org", **fields)  # type: ignore[arg-type]


def piece(matched: bytes, path: str, line: int, distance: int = 0) -> MatchedPiece:
    return MatchedPiece(matched, matched, path, line, size=10, distance=distance, measure="tree")


def edit_result(
    commit: str, name: str, *pieces: MatchedPiece, path: str | None = "a.py", session: str = "s1", **fields: object
) -> EditResult:
    known = {"state": "scored", "model": "claude-opus-4-5", "reward": 1.0, "kept": 1.0, "language": "python"} | fields
    return EditResult(
        Key("claude-code", session, name),
        commit=commit,
        path=path,
        pieces=pieces,
        evidence=(Evidence("content", "line 3"), Evidence("time", "2 s before")),
        **known,  # type: ignore[arg-type]
    )


def commit_result(commit: str, *edits: EditResult, **fields: object) -> CommitResult:
    return CommitResult(commit_record(commit, **fields), edits, (), rule="1")  # type: ignore[arg-type]
