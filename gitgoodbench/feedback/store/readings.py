"""What was read of logs: sessions, messages, edits. Reading a log again replaces what it said before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gitgoodbench.feedback.contract import Log
from gitgoodbench.feedback.records import Edit, Key, Message, Reading, Session
from gitgoodbench.feedback.store.codec import from_blob, from_text, to_blob, to_text
from gitgoodbench.feedback.store.database import Store

_MAX_PROBLEMS: Final = 20


@dataclass(frozen=True)
class ReadLog:
    """How the last reading of a log went."""

    source: str
    name: str
    fingerprint: str
    read_at: float
    understood: int
    not_understood: int
    problems: tuple[str, ...]


def save_readings(store: Store, source: str, log: Log, readings: Iterable[Reading], read_at: float) -> None:
    """Keep all that a log says, in one transaction.

    Edits that an earlier reading found and this one does not are kept: some programs shorten their logs.
    """
    understood = not_understood = 0
    problems: dict[str, None] = {}
    with store.writing() as connection:
        for reading in readings:
            understood += reading.understood
            not_understood += reading.not_understood
            problems.update(dict.fromkeys(reading.problems))
            session = reading.session
            connection.execute(
                "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)", (source, session.id, to_text(session), log.name)
            )
            connection.executemany(
                "INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?)",
                [(source, session.id, message.id, to_text(message)) for message in reading.messages],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO edits VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (source, session.id, edit.key.edit, position, edit.time, to_blob(edit))
                    for position, edit in enumerate(reading.edits)
                ],
            )
        connection.execute(
            "INSERT OR REPLACE INTO logs VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                source,
                log.name,
                log.fingerprint,
                read_at,
                understood,
                not_understood,
                json.dumps(list(problems)[:_MAX_PROBLEMS]),
            ),
        )


def read_log(store: Store, source: str, name: str) -> ReadLog | None:
    """How the last reading of a log went; None where it was never read."""
    return next(_logs(store, "WHERE source = ? AND name = ?", (source, name)), None)


def read_logs(store: Store) -> list[ReadLog]:
    """All logs that were ever read."""
    return list(_logs(store, "ORDER BY source, name", ()))


def session_of(store: Store, source: str, session: str) -> Session | None:
    """A session by its id."""
    row = store.connection.execute(
        "SELECT record FROM sessions WHERE source = ? AND id = ?", (source, session)
    ).fetchone()
    return None if row is None else from_text(Session, row[0])


def sessions(store: Store) -> Iterator[Session]:
    """All sessions, by source and id."""
    for (text,) in store.connection.execute("SELECT record FROM sessions ORDER BY source, id").fetchall():
        yield from_text(Session, text)


def messages_of(store: Store, source: str, session: str) -> list[Message]:
    """The messages of a session, in the order of their times."""
    rows = store.connection.execute("SELECT record FROM messages WHERE source = ? AND session = ?", (source, session))
    return sorted((from_text(Message, text) for (text,) in rows), key=lambda one: (one.time or 0.0, one.id))


def edit_of(store: Store, key: Key) -> Edit | None:
    """An edit by its key."""
    row = store.connection.execute(
        "SELECT record FROM edits WHERE source = ? AND session = ? AND edit = ?", (key.source, key.session, key.edit)
    ).fetchone()
    return None if row is None else from_blob(Edit, row[0])


def edits_of(store: Store, source: str, session: str) -> list[Edit]:
    """The edits of a session, in the order of its log."""
    rows = store.connection.execute(
        "SELECT record FROM edits WHERE source = ? AND session = ? ORDER BY position", (source, session)
    )
    return [from_blob(Edit, blob) for (blob,) in rows]


def edits_since(store: Store, source: str, time: float) -> list[Edit]:
    """The edits of a source that are not older than this."""
    rows = store.connection.execute("SELECT record FROM edits WHERE time >= ? AND source = ?", (time, source))
    return [from_blob(Edit, blob) for (blob,) in rows]


def copied(store: Store, reading: Reading) -> tuple[set[str], set[str]]:
    """The ids of edits and of messages in a reading that another session of its source has already.

    They are the same where they have the same time, or where the session is a fork of that other (tag `forked_from`).
    """
    source, session = reading.session.source, reading.session.id
    forked_from = dict(reading.session.tags).get("forked_from")
    edits = {
        edit.key.edit
        for edit in reading.edits
        if store.connection.execute(
            "SELECT 1 FROM edits WHERE source = ? AND session = ? AND edit = ? UNION ALL "
            "SELECT 1 FROM edits WHERE time = ? AND source = ? AND edit = ? AND session <> ?",
            (source, forked_from, edit.key.edit, edit.time, source, edit.key.edit, session),
        ).fetchone()
    }
    messages = {
        message.id
        for message in reading.messages
        for other, record in store.connection.execute(
            "SELECT session, record FROM messages WHERE id = ? AND source = ? AND session <> ?",
            (message.id, source, session),
        ).fetchall()
        if other == forked_from or (message.time is not None and from_text(Message, record) == message)
    }
    return edits, messages


def unlinked_edits(store: Store, since: float | None = None) -> Iterator[Edit]:
    """Edits that count for no commit yet, session by session in the order of their logs.

    since: leave out those that are older; those without a time are never left out.
    """
    rows = store.connection.execute(
        "SELECT record FROM edits LEFT JOIN links USING (source, session, edit) "
        "WHERE links.commit_id IS NULL AND (time IS NULL OR time >= ?) ORDER BY source, session, position",
        (float("-inf") if since is None else since,),
    ).fetchall()
    for (blob,) in rows:
        yield from_blob(Edit, blob)


def outstanding_edits(store: Store, read_since: float) -> Iterator[Edit]:
    """Edits that count for no commit, and of which nothing was said yet or whose log was read since then."""
    rows = store.connection.execute(
        "SELECT edits.record FROM edits LEFT JOIN links USING (source, session, edit) "
        "LEFT JOIN results USING (source, session, edit) "
        "WHERE links.commit_id IS NULL AND (results.record IS NULL OR results.commit_id IS NOT NULL OR EXISTS ("
        "SELECT 1 FROM sessions JOIN logs ON logs.source = sessions.source AND logs.name = sessions.log "
        "WHERE sessions.source = edits.source AND sessions.id = edits.session AND logs.read_at >= ?))",
        (read_since,),
    ).fetchall()
    for (blob,) in rows:
        yield from_blob(Edit, blob)


def linked_edits(store: Store, commits: Iterable[str]) -> Iterator[Edit]:
    """Edits that count for one of the commits, session by session in the order of their logs."""
    wanted = json.dumps(list(commits))
    rows = store.connection.execute(
        "SELECT record FROM edits JOIN links USING (source, session, edit) "
        "WHERE links.commit_id IN (SELECT value FROM json_each(?)) ORDER BY source, session, position",
        (wanted,),
    ).fetchall()
    for (blob,) in rows:
        yield from_blob(Edit, blob)


def unlinked_times(store: Store) -> dict[Key, float | None]:
    """The times of all edits that count for no commit yet."""
    rows = store.connection.execute(
        "SELECT source, session, edit, time FROM edits LEFT JOIN links USING (source, session, edit) "
        "WHERE links.commit_id IS NULL"
    )
    return {Key(*key): time for *key, time in rows}


def edit_times(store: Store) -> dict[Key, float | None]:
    """The times of all edits."""
    rows = store.connection.execute("SELECT source, session, edit, time FROM edits")
    return {Key(*key): time for *key, time in rows}


def _logs(store: Store, rest: str, values: tuple[str, ...]) -> Iterator[ReadLog]:
    for row in store.connection.execute(f"SELECT * FROM logs {rest}", values).fetchall():
        source, name, fingerprint, read_at, understood, not_understood, problems = row
        yield ReadLog(
            source, name, fingerprint, read_at, understood, not_understood, problems=tuple(json.loads(problems))
        )
