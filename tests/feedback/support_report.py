"""Edits with known results, in a database or as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gitgoodbench.feedback.contract import Log
from gitgoodbench.feedback.records import (
    Commit,
    CommitResult,
    Edit,
    EditResult,
    Evidence,
    Key,
    Message,
    Reading,
    Session,
    State,
)
from gitgoodbench.feedback.report.rows import EditRow
from gitgoodbench.feedback.scoring import RULE
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import save_commit
from gitgoodbench.feedback.store.readings import save_readings
from gitgoodbench.feedback.store.results import save_edit_results, save_result

MONDAY = 1_795_996_800
"""2026-11-30, 00:00 UTC."""


def row(
    edit: str, commit: str | None = "c1", reward: float | None = 1.0, state: State = "scored", **more: Any
) -> EditRow:
    """An edit of the assistant `a`, model `m`."""
    base = EditRow(
        Key(more.pop("source", "a"), more.pop("session", "s"), edit), commit, "src/x.py", "python", "m", state, reward,
        reward, (), None, size=10, measure="tree", person="Ada",
    )  # fmt: skip
    return replace(base, **more)


def rows_of(group: str, by_commit: dict[str, Sequence[float]]) -> list[EditRow]:
    """Edits of one model with the rewards of each commit."""
    return [
        row(f"{group}-{commit}-{number}", commit, reward, model=group)
        for commit, rewards in by_commit.items()
        for number, reward in enumerate(rewards)
    ]


def commit(name: str, time: int = MONDAY, **more: Any) -> Commit:
    """A commit of Ada's, whose id is a letter forty times."""
    return Commit(name * 40, (), time, "Ada", "ada@example.invalid", **more)


def result(key: Key, of: Commit | None, reward: float | None, state: State = "scored", **more: Any) -> EditResult:
    """What became of an edit of src/x.py."""
    evidence = () if of is None else (Evidence("content", "all lines"),)
    base = EditResult(
        key, state, None if of is None else of.id, "src/x.py", "python", "m-1", reward, reward, reward,
        None if reward is None else 10, None if reward is None else "tree", evidence=evidence,
    )  # fmt: skip
    return replace(base, **more)


def save_session(store: Store, session: Session, edits: Sequence[Edit], messages: Sequence[Message] = ()) -> None:
    """Keep what a log says."""
    reading = Reading(session, tuple(edits), tuple(messages))
    save_readings(store, session.source, Log(f"{session.id}.jsonl", "1"), [reading], 0.0)


def save_results(store: Store, of: Commit, *edits: EditResult) -> None:
    """Keep a commit and what became of its edits."""
    save_commit(store, of)
    save_result(store, CommitResult(of, edits, (), RULE))


def save_outstanding(store: Store, *edits: EditResult) -> None:
    """Keep edits that are in no commit."""
    save_edit_results(store, edits)
