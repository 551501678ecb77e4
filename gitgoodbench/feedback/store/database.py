"""One connection to the database. Any number of processes may read it; writers wait for each other.

It lies in the common Git directory, since that of a linked worktree is deleted with the worktree.
"""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.store.schema import STEPS

_WAIT: Final = 60.0
"""Seconds that a writer waits for another."""

_OF_THE_MACHINE: Final = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_BUSY: errno.EAGAIN,
    sqlite3.SQLITE_LOCKED: errno.EAGAIN,
}
_DAMAGED: Final = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT)


def folder_of(common: Path) -> Path:
    """The folder of everything that feedback keeps, in a repository's common Git directory."""
    return common / "gitgoodbench" / "feedback"


class Store:
    """The database of one repository. Its tables are read and written by the modules beside this one.

    Raises:
        UserError: the database is damaged, or was made by a newer version.
        OSError: the machine fails: the disk is full, the file may not be written. So does `with`, for all in it.
    """

    def __init__(self, common: Path) -> None:
        self.path = folder_of(common) / "feedback.sqlite3"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.connection = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = NORMAL")
            self._bring_up_to_date()
        except sqlite3.DatabaseError as problem:
            raise self._told(problem) from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        if isinstance(value, sqlite3.DatabaseError) and (told := self._told(value)) is not value:
            raise told from value

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is written, or nothing."""
        if self.connection.in_transaction:
            yield self.connection
            return
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
        except BaseException:
            if self.connection.in_transaction:  # of a full disk, SQLite takes it back by itself
                self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def _told(self, problem: sqlite3.DatabaseError) -> Exception:
        """What to tell of an error of the database; a mistake of ours stays what it is."""
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
        if code in _OF_THE_MACHINE:
            return OSError(_OF_THE_MACHINE[code], str(problem), str(self.path))
        if code not in _DAMAGED:
            return problem
        return UserError(
            f"{self.path} is damaged ({problem}): move it away, then `gitgoodbench feedback run RANGE` scores the past "
            "again"
        )

    def _bring_up_to_date(self) -> None:
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if version > len(STEPS):
            raise UserError(f"{self.path} was made by a newer gitgoodbench: upgrade this one")
        if version == len(STEPS):
            return
        with self.writing() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()  # another may have been faster
            for step in STEPS[version:]:
                for statement in filter(str.strip, step.split(";")):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(STEPS)}")
