"""What the walk over history leaves about picks, on disk: commits that name others, and what tells equal patches."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.picks import Operation
from gitgoodbench.mining.history import Commit
from gitgoodbench.sample_types.attributes import Layout
from gitgoodbench.sample_types.named_commits import Named, named_commits

_SCHEMA: Final = """
CREATE TABLE changed (
    oid TEXT PRIMARY KEY,
    key BLOB  -- equal for commits that change the same paths in the same way
) WITHOUT ROWID;
CREATE TABLE naming (
    position INTEGER PRIMARY KEY, oid TEXT, parents TEXT, committed INTEGER, dated INTEGER,
    operation TEXT, named TEXT, layout INTEGER
);
"""


@dataclass(frozen=True)
class Naming:
    """A commit whose message names others. layout: a number, or None where its attribute files are not known."""

    position: int
    oid: str
    parents: tuple[str, ...]
    committed: int
    dated: bool
    operation: Operation
    commits: tuple[str, ...]
    layout: Layout | None


class PickNotes:
    """Written while history is walked, and then read."""

    def __init__(self) -> None:
        self._notes = sqlite3.connect("", isolation_level=None)  # a temporary file of SQLite's own
        self._notes.executescript(f"PRAGMA journal_mode = OFF; PRAGMA cache_size = -500; {_SCHEMA} BEGIN;")
        self._layouts: dict[Layout | None, int] = {}

    def close(self) -> None:
        self._notes.close()

    def add_changes(self, commit: Commit) -> None:
        """Note what a commit with one parent changes."""
        if len(commit.parents) == 1 and commit.changes:
            key = _digest(b"%s %s" % (header[-1:], path) for header, path in commit.changes)
            self._notes.execute("INSERT OR IGNORE INTO changed VALUES (?, ?)", (commit.oid, key))

    def add(self, commit: Commit, named: Named, layout: Layout | None) -> None:
        number = self._layouts.setdefault(layout, len(self._layouts))
        self._notes.execute(
            "INSERT INTO naming (oid, parents, committed, dated, operation, named, layout) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                commit.oid, " ".join(commit.parents), commit.committed, commit.dated, named.operation,
                json.dumps(named.commits), number,
            ),
        )  # fmt: skip

    def index(self) -> None:
        """Say that all is written."""
        self._notes.executescript("CREATE INDEX naming_oid ON naming (oid); CREATE INDEX changed_key ON changed (key);")

    def naming(self) -> Iterator[Naming]:
        """In the order of history."""
        layouts = list(self._layouts)
        rows = self._notes.execute(
            "SELECT position, oid, parents, committed, dated, operation, named, layout FROM naming ORDER BY position"
        )
        for position, oid, parents, committed, dated, operation, named, layout in rows:
            yield Naming(
                position, oid, tuple(parents.split()), committed, bool(dated), operation, tuple(json.loads(named)),
                layouts[layout],
            )  # fmt: skip

    def named_by(self, oid: str) -> tuple[str, ...]:
        """The commits that this one names."""
        row = self._notes.execute("SELECT named FROM naming WHERE oid = ?", (oid,)).fetchone()
        return tuple(json.loads(row[0])) if row else ()

    def alike(self, oid: str, most: int) -> list[str]:
        """Other commits that change the same paths in the same way, so many at most."""
        rows = self._notes.execute(
            "SELECT oid FROM changed WHERE key = (SELECT key FROM changed WHERE oid = ?) AND oid != ? LIMIT ?",
            (oid, oid, most),
        )
        return [row[0] for row in rows]


def note(notes: PickNotes, commit: Commit, layout: Layout | None) -> None:
    """Note what there is to note of a commit."""
    notes.add_changes(commit)
    named = named_commits(commit.message)
    if named is not None:
        notes.add(commit, named, layout)


def _digest(lines: Iterable[bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for line in lines:
        digest.update(line + b"\0")
    return digest.digest()
