"""Edits and commits in a few words."""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.feedback.added_lines import changed_lines, is_binary, spans_of
from gitgoodbench.feedback.changes import CommitChange, FileChange
from gitgoodbench.feedback.records import (
    Commit,
    CommitResult,
    Edit,
    EditResult,
    Evidence,
    Key,
    Kind,
    Link,
    Outcome,
    Part,
    Session,
)
from gitgoodbench.feedback.scoring import score_commit

COMMIT = Commit("c" * 40, ("b" * 40,), 1000, "Ada", "ada@example.invalid", root="/repo")
SESSION = Session("agent", "s", folder="/repo")


def key(name: str, session: str = "s") -> Key:
    return Key("agent", session, name)


def edit(
    name: str,
    *parts: Part,
    path: str | None = "/repo/a.py",
    whole: bool = False,
    kind: Kind = "edit",
    outcome: Outcome = "applied",
    time: float | None = 900.0,
    session: str = "s",
    language: str | None = None,
    commits: tuple[str, ...] = (),
) -> Edit:
    """An edit of a.py."""
    return Edit(
        key(name, session), kind, "Edit", time, path=path, language=language, parts=parts, whole=whole, outcome=outcome,
        model="m", commits=commits,
    )  # fmt: skip


def write(name: str, before: bytes | None, after: bytes, *, path: str = "/repo/a.py", time: float = 900.0) -> Edit:
    """An edit whose log has the whole file."""
    return edit(name, Part(before, after), path=path, whole=True, time=time)


def changed(before: bytes | None, after: bytes, path: bytes = b"a.py") -> FileChange:
    """A file of a commit, as `read_change` has it."""
    if is_binary(before or b"") or is_binary(after):
        return FileChange(path, None if before is None else path, None, None, skipped="binary")
    added = spans_of(after, changed_lines([(before, after)])[0].added)
    return FileChange(path, None if before is None else path, before, after, added)


def change(*files: FileChange) -> CommitChange:
    return CommitChange(COMMIT.id, files)


def score(files: CommitChange, *edits: Edit, sessions: Sequence[Session] = (SESSION,)) -> CommitResult:
    """The results where every edit is linked to the commit."""
    links = [Link(one.key, COMMIT.id, (Evidence("content", "all lines"),)) for one in edits]
    return score_commit(COMMIT, files, edits, sessions, links)


def only(result: CommitResult) -> EditResult:
    (found,) = result.edits
    return found
