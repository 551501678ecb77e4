"""Commits that repeat another one: candidates for a scenario about cherry-picking.

Two signs of it: the line `(cherry picked from commit X)` in the message, as `git cherry-pick -x` writes it (of several
the last counts, since each pick adds one); and an equal patch id (`git patch-id --stable`: the same lines added and
removed in the same context in files of the same names, blanks ignored). A commit that was undone and done again is
found as well: these are candidates.

Patch ids are computed only where others can be equal. A commit must have one parent and change the same paths in the
same way as some other commit; where those are many (generated files, committed again and again), they must agree in a
sample of them; and commits with the same contents before and after are compared once.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from gitgoodbench.mining.contract import Found, Miner, Walk
from gitgoodbench.mining.history import Commit
from gitgoodbench.sample_types.patch_ids import patch_ids
from gitgoodbench.sample_types.specs import CherryPickSpec

_MANY: Final = 20
_SAMPLE: Final = 8
_SCHEMA: Final = """
CREATE TABLE commits (
    position INTEGER PRIMARY KEY, oid TEXT, committed INTEGER, dated INTEGER, picked TEXT,
    key BLOB,    -- equal for commits that change the same paths in the same way
    raw BLOB,    -- equal for commits with the same contents before and after besides
    sample BLOB  -- of many paths a few, separated by NUL
);
CREATE TABLE patches (raw BLOB PRIMARY KEY, patch TEXT) WITHOUT ROWID;
"""
_SIMILAR: Final = """
SELECT key, sample, raw, oid FROM commits
WHERE key IN (SELECT key FROM commits WHERE key IS NOT NULL GROUP BY key HAVING COUNT(*) > 1)
ORDER BY key, position
"""
_EQUAL: Final = """
SELECT patch, oid, committed, dated, picked FROM commits JOIN patches USING (raw)
WHERE patch IN (SELECT patch FROM commits JOIN patches USING (raw) GROUP BY patch HAVING COUNT(*) > 1)
ORDER BY patch, committed, position
"""


@dataclass(frozen=True, slots=True)
class CherryPick:
    """A commit that repeats `source`: its message says so (`trailer`), or their patch ids are equal (`patch_id`).

    committed: Unix time in seconds. dated: whether that is believed. Without a trailer the source is the earliest
        commit with this patch id.
    source_present: whether the repository has the source; where not, `source` is as the message has it.
    """

    oid: str
    source: str
    committed: int
    trailer: bool
    patch_id: bool
    source_present: bool
    dated: bool = True


class CherryPickMiner(Miner):
    """Is shown every commit, and then gives the candidates. Notes of the commits lie on disk."""

    def __init__(self, walk: Walk) -> None:
        self.missing_object = 0
        self._scratch = walk.scratch
        self._reader = walk.reader
        self._options = walk.options
        self._tell = walk.tell
        self._notes = sqlite3.connect("", isolation_level=None)  # a temporary file of SQLite's own
        walk.resources.callback(self._notes.close)
        self._notes.executescript(f"PRAGMA journal_mode = OFF; PRAGMA cache_size = -500; {_SCHEMA} BEGIN;")

    @property
    def left_out(self) -> Mapping[str, int]:
        return {"patches with missing objects": self.missing_object}

    def visit(self, commit: Commit) -> None:
        picked, key, raw, sample = commit.picked_from, None, None, None
        if len(commit.parents) == 1 and commit.changes:
            key = _digest(b"%s %s" % (header[-1:], path) for header, path in commit.changes)
            raw = _digest(b"%s %s" % change for change in commit.changes)
            if len(commit.changes) >= _MANY:
                sample = b"\0".join(path for _, path in commit.changes[:: len(commit.changes) // _SAMPLE])
        if picked is not None or key is not None:
            self._notes.execute(
                "INSERT INTO commits (oid, committed, dated, picked, key, raw, sample) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (commit.oid, commit.committed, commit.dated, picked, key, raw, sample),
            )

    def found(self) -> Iterator[Found]:
        return map(_found, self.cherry_picks())

    def cherry_picks(self) -> Iterator[CherryPick]:
        """By trailer in the order of history, then those known by their patch ids alone."""
        self._notes.execute("CREATE INDEX by_oid ON commits (oid)")
        for compared, (oid, patch) in enumerate(patch_ids(self._scratch, self._similar())):
            self._tell("comparing patches", compared, None)
            if patch is None:
                self.missing_object += 1
            else:
                self._notes.execute("INSERT INTO patches SELECT raw, ? FROM commits WHERE oid = ?", (patch, oid))
        for picks in (self._by_trailer(), self._by_patch_id()):
            yield from (pick for pick in picks if self._options.covers(pick.committed))

    def _similar(self) -> Iterator[str]:
        """Commits whose patch ids must be compared, one for all with the same contents."""
        for (_, sample), rows in groupby(self._notes.execute(_SIMILAR), key=itemgetter(0, 1)):
            first: dict[bytes, str] = {}
            for _, _, raw, oid in rows:
                first.setdefault(raw, oid)
            unique = self._unique(list(first.values()), sample)
            for raw, oid in first.items():
                if oid in unique:
                    self._notes.execute("INSERT INTO patches VALUES (?, ?)", (raw, f"that of {oid}"))
                else:
                    yield oid

    def _unique(self, oids: list[str], sample: bytes | None) -> set[str]:
        """Commits whose patch is certainly none of the others'."""
        if len(oids) == 1:
            return set(oids)
        if sample is None:
            return set()
        ids = dict.fromkeys(oids, "") | dict(patch_ids(self._scratch, oids, *sample.split(b"\0")))
        count = Counter(ids.values())
        return {oid for oid, patch in ids.items() if patch is not None and count[patch] == 1}

    def _by_trailer(self) -> Iterator[CherryPick]:
        rows = self._notes.execute(
            "SELECT oid, committed, dated, picked FROM commits WHERE picked IS NOT NULL ORDER BY position"
        )
        for oid, committed, dated, picked in rows:
            source = self._reader.commit(picked)
            if source != oid:
                equal = source is not None and self._patch(oid) is not None and self._patch(oid) == self._patch(source)
                yield CherryPick(oid, source or picked, committed, True, equal, source is not None, bool(dated))

    def _by_patch_id(self) -> Iterator[CherryPick]:
        first, patch = "", ""
        for row_patch, oid, committed, dated, picked in self._notes.execute(_EQUAL):
            if row_patch != patch:
                first, patch = oid, row_patch
            elif picked is None or not self._has_patch(picked, patch):
                yield CherryPick(oid, first, committed, False, True, True, bool(dated))

    def _has_patch(self, name: str, patch: str) -> bool:
        """Whether this is a commit with this patch id: then the trailer has said it already."""
        source = self._reader.commit(name)
        return source is not None and self._patch(source) == patch

    def _patch(self, oid: str) -> str | None:
        row = self._notes.execute("SELECT patch FROM commits JOIN patches USING (raw) WHERE oid = ?", (oid,)).fetchone()
        return row[0] if row else None


def _found(pick: CherryPick) -> Found:
    spec = CherryPickSpec(
        commit=pick.oid,
        source=pick.source,
        trailer=pick.trailer,
        same_patch=pick.patch_id,
        source_present=pick.source_present,
    )
    return Found(spec, None, pick.committed, dated=pick.dated)


def _digest(lines: Iterable[bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for line in lines:
        digest.update(line + b"\0")
    return digest.digest()
