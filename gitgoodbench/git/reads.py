"""What objects hold, kept by their ids: a process that scores reads each tree, blob and difference once.

An id names one content for ever, so what is kept is what Git would say again. What was read of the real commits can be
written to a file and given to the processes that score further outcomes of the sample. Nothing that is missing is kept,
nor more than `MOST_BYTES`.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gitgoodbench.git.objects import Entry

MOST_BYTES: Final = 32 * 1024**2
"""Of listings, blobs and differences, each as Git prints it."""

FORMAT: Final = 1
_ID: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True)
class Listing:
    """The files of a tree. size: bytes of what Git lists. longest: bytes of the longest path."""

    tree: Mapping[bytes, Entry]
    size: int
    longest: int


@dataclass
class Reads:
    """What one process has read. whole: nothing was left out for its size.

    differences: what `git diff` says of two blobs, by both ids. merges: what `git merge-tree` says of two commits, by
    what it depends on, after the size of markers and its exit code.
    """

    listings: dict[str, Listing] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    differences: dict[tuple[str, str], bytes] = field(default_factory=dict)
    merges: dict[str, tuple[int, int, bytes]] = field(default_factory=dict)
    whole: bool = True
    _left: int = MOST_BYTES

    def takes(self, size: int) -> bool:
        """Whether so many bytes more are kept."""
        if size > self._left:
            self.whole = False
            return False
        self._left -= size
        return True

    def dump(self) -> bytes:
        """All of it as a file."""
        before: Mapping[bytes, Entry] = {}
        listings, whole = [], self.whole
        for oid, listing in self.listings.items():
            changed = [
                (path, None if (entry := listing.tree.get(path)) is None else (entry.mode, entry.oid))
                for path in before.keys() | listing.tree.keys()
                if before.get(path) != listing.tree.get(path)
            ]
            if list(listing.tree) != sorted(listing.tree):  # odd trees are read each time
                whole = False
                continue
            listings.append((oid, listing.size, listing.longest, changed))
            before = listing.tree
        return marshal.dumps((FORMAT, listings, self.blobs, self.differences, self.merges, whole))

    @classmethod
    def load(cls, content: bytes) -> Reads | None:
        """What `dump` gave; None for anything else."""
        from gitgoodbench.git.objects import Entry

        try:
            form, listings, blobs, differences, merges, whole = marshal.loads(content)
            if form != FORMAT:
                return None
            reads = cls(blobs=blobs, differences=differences, merges=merges, whole=whole)
            known: dict[bytes, Entry] = {}
            for oid, size, longest, changed in listings:
                known = dict(known)
                for path, entry in changed:
                    if entry is None:
                        del known[path]
                    else:
                        known[path] = Entry(*entry)
                known = dict(sorted(known.items()))
                reads.listings[oid] = Listing(known, size, longest)
        except (ValueError, TypeError, EOFError, KeyError):
            return None
        return reads


class _InForce:
    reads: Reads | None = None


def keep(reads: Reads | None) -> None:
    """Keep reads of this process from now on, beginning with these; None: keep none."""
    _InForce.reads = reads


def kept() -> Reads | None:
    """The reads of this process; None where none are kept."""
    return _InForce.reads


def is_id(name: Any) -> bool:
    """Whether a name is a full object id, and so names the same for ever."""
    return isinstance(name, str) and _ID.fullmatch(name) is not None
