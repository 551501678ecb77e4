"""The cheap part of setting up an episode: what was found although it cannot be checked out.

Git lets trees hold names that its index refuses (`.git`, `..`), the same name twice, and names that no disk takes. A
row whose trees have one of the former cannot be played at all; the latter are left out of workspaces, unless the row is
about such a file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.git.tree_paths import LONGEST_PATH, fits_on_disk, is_tree_path
from gitgoodbench.mining.history import Commit

_SUSPECT: Final = re.compile(
    rb"[^/]{256}|\.[gG]|[gG][iI][tT]~|(?:\A|/)\.{0,2}(?:/|\Z)|\xe2\x80|\xe2\x81|\xef\xbb\xbf", re.DOTALL
)
"""All paths that do not fit on a disk for their names, and some that do: most are above suspicion."""


_NO_OBJECT: Final = tuple(b"0" * 40 + status for status in (b" A", b" M", b" T"))
"""How the raw line of an entry ends that has the null id: Git's index refuses it."""


class CheckoutWatch:
    """Is shown every commit; then says of commits whether a row about them can be set up.

    refused: how many could not.
    """

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._unfit: set[bytes] = set()
        self._never: set[bytes] = set()
        self.refused = 0

    def visit(self, commit: Commit) -> None:
        paths = [path for _, path in commit.changes or ()]
        if len(set(paths)) < len(paths):
            self._never.update(path for path, count in Counter(paths).items() if count > 1)
            self._unfit |= self._never
        for header, path in commit.changes or ():
            if header.endswith(_NO_OBJECT):
                self._never.add(path)
                self._unfit.add(path)
            if (len(path) > LONGEST_PATH or _SUSPECT.search(path)) and not fits_on_disk(path):
                self._unfit.add(path)
                if not is_tree_path(path):
                    self._never.add(path)

    def allows(self, commits: Iterable[str]) -> bool:
        """Whether a row about these commits can be checked out."""
        if not self._unfit:
            return True
        ends = [name for commit in commits for name in (commit, f"{commit}^")]
        known = [commit for name in ends if (commit := self._reader.commit(name)) is not None]
        if any(self._in_the_way(path, known) for path in self._unfit):
            self.refused += 1
            return False
        return True

    def _in_the_way(self, path: bytes, commits: list[str]) -> bool:
        entries = set(self._entries(path, commits))
        return len(entries) > 1 or (path in self._never and entries != {None})

    def _entries(self, path: bytes, commits: list[str]) -> Iterator[object]:
        for commit in commits:
            try:
                yield self._reader.entry(commit, path)
            except MissingObjectError:
                yield None
