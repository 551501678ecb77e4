"""What is to be delivered, and how far that is: queued, sent, confirmed; or refused, withheld."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gitgoodbench.feedback.store.database import Store

Delivery = Literal["queued", "sent", "confirmed", "refused", "withheld"]

_COLUMNS = "sink, key, commit_id, payload, state, reference, attempts, changed_at, problem"


@dataclass(frozen=True)
class Entry:
    """An item of a sink.

    state: `sent` is written before an item leaves this machine, so an item that was on its way when the process was
    killed is known. reference: what it is known by at the other end; None until the other end has answered. attempts:
    how often it was sent since its payload is what it is. changed_at: when its state last changed. problem: why it is
    refused or withheld, or what went wrong last.
    """

    sink: str
    key: str
    commit: str
    payload: Mapping[str, Any] | None
    state: Delivery
    reference: str | None
    attempts: int
    changed_at: float
    problem: str | None


def entries_of(store: Store, sink: str, state: Delivery | None = None) -> list[Entry]:
    """The items of a sink, in the order in which they were queued; only those in a state, where one is given."""
    return _entries(store, "WHERE sink = ? AND (?2 IS NULL OR state = ?2) ORDER BY rowid", (sink, state))


def entries_of_commit(store: Store, sink: str, commit: str) -> list[Entry]:
    """The items of a sink that a commit brought."""
    return _entries(store, "WHERE sink = ? AND commit_id = ? ORDER BY rowid", (sink, commit))


def entry_of(store: Store, sink: str, key: str) -> Entry | None:
    """One item of a sink."""
    found = _entries(store, "WHERE sink = ? AND key = ?", (sink, key))
    return found[0] if found else None


def count_entries(store: Store) -> dict[tuple[str, Delivery], int]:
    """How many items of each sink are in each state."""
    rows = store.connection.execute("SELECT sink, state, count(*) FROM outbox GROUP BY sink, state ORDER BY 1, 2")
    return {(sink, state): number for sink, state, number in rows}


def save_entry(store: Store, entry: Entry) -> None:
    """Write an item, or what has become of it."""
    payload = None if entry.payload is None else json.dumps(entry.payload, sort_keys=True)
    with store.writing() as connection:
        connection.execute(
            f"INSERT INTO outbox ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sink, key) DO UPDATE SET "
            "commit_id = excluded.commit_id, payload = excluded.payload, state = excluded.state, "
            "reference = excluded.reference, attempts = excluded.attempts, changed_at = excluded.changed_at, "
            "problem = excluded.problem",
            (
                entry.sink,
                entry.key,
                entry.commit,
                payload,
                entry.state,
                entry.reference,
                entry.attempts,
                entry.changed_at,
                entry.problem,
            ),
        )


def remove_entry(store: Store, sink: str, key: str) -> None:
    """Forget an item."""
    with store.writing() as connection:
        connection.execute("DELETE FROM outbox WHERE sink = ? AND key = ?", (sink, key))


def _entries(store: Store, rest: str, values: tuple[str | None, ...]) -> list[Entry]:
    rows = store.connection.execute(f"SELECT {_COLUMNS} FROM outbox {rest}", values).fetchall()
    return [
        Entry(sink, key, commit, None if payload is None else json.loads(payload), *others)
        for sink, key, commit, payload, *others in rows
    ]
