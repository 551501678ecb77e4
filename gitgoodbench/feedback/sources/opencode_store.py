"""Where opencode keeps its sessions: a database in WAL mode, and before version 1.2 a folder of JSON files.

The database is opened read-only, never as immutable: what is still in its write-ahead log belongs to it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from gitgoodbench.feedback.sources.jsonl import LONGEST, parse
from gitgoodbench.feedback.sources.values import name, table, text

_WAIT: Final = 5.0
"""Seconds that a reader waits for a writer."""


@dataclass(frozen=True)
class Row:
    """A session as a list shows it. changed: whatever differs when there is more to read. updated: in milliseconds."""

    session: str
    folder: str
    updated: int
    changed: str


@dataclass
class Stored:
    """All of one session, in the order in which it happened.

    messages: their data with their ids. parts: of each message, with their ids. removed: ids of messages and parts that
    were taken away later. damaged: records that are no JSON.
    """

    session: dict[str, Any]
    messages: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    parts: dict[str, list[tuple[str, dict[str, Any]]]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    damaged: list[str] = field(default_factory=list)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, in one state for as long as the block lasts.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    with closing(
        sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=_WAIT, isolation_level=None)
    ) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("BEGIN")
        yield connection


def rows_in_database(path: Path) -> list[Row]:
    """The sessions of a database.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    counted = "(SELECT count(*) || '-' || max(time_updated) FROM {} WHERE session_id = session.id)"
    with opened(path) as connection:
        revert = "revert" if "revert" in _columns(connection, "session") else "NULL"
        found = connection.execute(
            f"SELECT id, directory, time_updated, {revert} IS NOT NULL, {counted.format('part')}, "
            f"{counted.format('message')} FROM session"
        ).fetchall()
    return [
        Row(session, folder, updated, f"{updated}/{parts}/{messages}/{reverted}")
        for session, folder, updated, reverted, parts, messages in found
        if isinstance(session, str) and isinstance(folder, str) and isinstance(updated, int)
    ]


def from_database(path: Path, session: str) -> Stored | None:
    """One session of a database; None where it is gone.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    with opened(path) as connection:
        columns = _columns(connection, "session")
        row = connection.execute("SELECT * FROM session WHERE id = ?", (session,)).fetchone()
        if row is None:
            return None
        stored = Stored(dict(zip(columns, row, strict=True)))
        events = _columns(connection, "event")
        if events:
            _add_removed(connection, session, stored)
        for table_name, add in (("message", _add_message), ("part", _add_part)):
            for record in connection.execute(
                f"SELECT id, data{', message_id' if table_name == 'part' else ''} FROM {table_name} "
                "WHERE session_id = ? AND length(data) <= ? ORDER BY id",
                (session, LONGEST),
            ):
                found = _data(record[1], stored)
                if found is not None:
                    add(stored, record, found)
    stored.messages.sort(key=lambda one: one[0])  # ids begin with their time
    for parts in stored.parts.values():
        parts.sort(key=lambda one: one[0])
    return stored


def rows_in_folder(storage: Path) -> Iterator[tuple[Path, Row]]:
    """The sessions of a folder of JSON files, each with its own file."""
    for path in sorted(storage.glob("session/*/ses_*.json")):
        record = _json(path)
        session, folder = name(record, "id"), name(record, "directory")
        if session is None or folder is None:
            continue
        files = _message_files(storage, session) + _part_files(storage, session)
        try:
            stamps = [file.stat().st_mtime_ns for file in [path, *files]]
        except OSError:
            continue  # being changed: it is looked at again at the next run
        yield path, Row(session, folder, max(stamps) // 1_000_000, f"{len(files)}-{max(stamps)}")


def from_folder(path: Path) -> Stored | None:
    """One session of a folder of JSON files, by the session's own file."""
    storage = path.parent.parent.parent
    record = _json(path)
    session = name(record, "id")
    if session is None:
        return None
    stored = Stored({**record, "parent_id": record.get("parentID")})
    for file in _message_files(storage, session):
        _add_file(stored, file)
    for file in _part_files(storage, session):
        _add_file(stored, file, file.parent.name)
    return stored


def _add_file(stored: Stored, file: Path, message: str | None = None) -> None:
    record = _json(file)
    known_by = name(record, "id")
    if known_by is None:
        stored.damaged.append("a file that is not JSON")
    elif message is None:
        stored.messages.append((known_by, record))
    else:
        stored.parts.setdefault(message, []).append((known_by, record))


def _add_message(stored: Stored, row: tuple[Any, ...], data: dict[str, Any]) -> None:
    stored.messages.append((row[0], data))


def _add_part(stored: Stored, row: tuple[Any, ...], data: dict[str, Any]) -> None:
    stored.parts.setdefault(row[2], []).append((row[0], data))


def _add_removed(connection: sqlite3.Connection, session: str, stored: Stored) -> None:
    """Messages and parts that the tables have no longer, since the person took back what they did; from the events."""
    kept = {row[0] for kind in ("message", "part") for row in connection.execute(
        f"SELECT id FROM {kind} WHERE session_id = ?", (session,))}  # fmt: skip
    messages: dict[str, dict[str, Any]] = {}
    parts: dict[str, tuple[str, dict[str, Any]]] = {}
    for kind, raw in connection.execute(
        "SELECT type, data FROM event WHERE aggregate_id = ? AND type LIKE 'message.%' AND length(data) <= ? "
        "ORDER BY seq",
        (session, LONGEST),
    ):
        data = _data(raw, stored) or {}
        info, part = table(data, "info"), table(data, "part")
        if kind.startswith("message.updated") and (known_by := name(info, "id")):
            messages[known_by] = info
        elif kind.startswith("message.part.updated") and (known_by := name(part, "id")):
            parts[known_by] = (text(part, "messageID") or "", part)
        elif kind.startswith("message.removed"):
            stored.removed.add(text(data, "messageID") or "")
        elif kind.startswith("message.part.removed"):
            stored.removed.add(text(data, "partID") or "")
    stored.removed -= kept
    stored.messages += [(one, info) for one, info in messages.items() if one in stored.removed]
    for known_by, (message, part) in parts.items():
        if known_by not in kept and (known_by in stored.removed or message in stored.removed):
            stored.parts.setdefault(message, []).append((known_by, part))


def _columns(connection: sqlite3.Connection, table_name: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table_name})")]


def _data(raw: Any, stored: Stored) -> dict[str, Any] | None:
    line = parse(raw.encode("utf-8", "replace")) if isinstance(raw, str) else None
    if line is None or line.value is None:
        stored.damaged.append("a record that is not JSON")
        return None
    return line.value


def _json(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes() if path.stat().st_size <= LONGEST else b""
    except OSError:
        return {}
    return parse(content).value or {}


def _message_files(storage: Path, session: str) -> list[Path]:
    return sorted((storage / "message" / session).glob("msg_*.json"))


def _part_files(storage: Path, session: str) -> list[Path]:
    return [
        part
        for message in _message_files(storage, session)
        for part in sorted((storage / "part" / message.stem).glob("prt_*.json"))
    ]
