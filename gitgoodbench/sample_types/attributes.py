"""Which merges depend on the attributes (.gitattributes) in their own history.

`git merge` obeys the attribute files of the working tree, here those of the first parent. Only some attributes can
change what a merge gives: `merge` and the macro `binary` (how contents are merged), `diff` and `-diff` (what counts as
text when renames are searched for), and macros, which may stand for these. The size of conflict markers does not
matter, since mining sets its own.
"""

from __future__ import annotations

import re
from typing import Final

from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.mining.diffs import state_after
from gitgoodbench.mining.history import Commit

_NAME: Final = b".gitattributes"
_MATTERS: Final = re.compile(
    rb"^\[attr\]|[ \t][-!]?merge(?:=|[ \t\r]|$)|[ \t][-!]?(?:binary|diff)(?:[ \t\r]|$)", re.MULTILINE
)


def matters(content: bytes) -> bool:
    """Whether attributes of this file may change what a merge gives."""
    return _MATTERS.search(content) is not None


Layout = tuple[tuple[bytes, str], ...]
"""Attribute files that matter, each by its path and the id of its content, sorted."""


class AttributeWatch:
    """Sees every commit of a history, parents first, and so knows each attribute file there is in it."""

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._judged: dict[str, bool] = {}
        self._paths: set[bytes] = set()
        self._blind = False

    def visit(self, commit: Commit) -> None:
        if commit.changes is None:
            self._blind = True
            return
        for header, path in commit.changes:
            if path.endswith(_NAME) and path.rpartition(b"/")[2] == _NAME:
                mode, oid = state_after(header)
                if mode.startswith(b"100") and self._matters(oid.decode("ascii")):
                    self._paths.add(path)

    def layout(self, commit: str) -> Layout | None:
        """The attribute files of a commit, which has been visited, that matter; None where that is unknown."""
        if self._blind:
            return None
        try:
            entries = [(path, self._reader.entry(commit, path)) for path in sorted(self._paths)]
        except MissingObjectError:
            return None
        return tuple((path, entry.oid) for path, entry in entries if entry and self._judged.get(entry.oid))

    def _matters(self, oid: str) -> bool:
        if oid not in self._judged:
            self._judged[oid] = matters(self._reader.blob(oid) or b"")
        return self._judged[oid]
