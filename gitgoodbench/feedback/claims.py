"""Lines of edits and of commits as counts, to see quickly which commit holds how much of an edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gitgoodbench.feedback.changes import CommitChange, FileChange
from gitgoodbench.feedback.locating import Sessions, absolute_path, locate, path_within, root_of
from gitgoodbench.feedback.records import Commit, Edit

_TELLING: Final = 6
"""Letters and digits of a line that are seldom there by chance: `}` and `else:` tell nothing."""

Rows = Counter[bytes]
"""Lines that are not blank, without the blanks around them, and how often each is there."""


def rows_of(text: bytes) -> Rows:
    """The lines of a text."""
    return Counter(line for raw in text.split(b"\n") if (line := raw.strip()))


def telling(rows: Rows) -> int:
    """How many of the lines say where they are from."""
    return sum(count for line, count in rows.items() if sum(map(_is_telling, line)) >= _TELLING)


def _is_telling(byte: int) -> bool:
    return byte >= 0x80 or chr(byte).isalnum()


@dataclass(frozen=True)
class Claim:
    """An edit that may be in a commit.

    root: the working tree that its file is in; None where that is not known. relative: the path there. foreign: its
    file is in no working tree of the repository. rows: the lines it adds. complete: the log says what was there before.
    """

    edit: Edit
    path: str | None
    root: str | None
    relative: bytes | None
    foreign: bool
    rows: Rows
    complete: bool

    @classmethod
    def of(cls, edit: Edit, roots: Iterable[str], sessions: Sessions) -> Claim:
        path = absolute_path(edit, sessions)
        known = list(roots)
        root = None if path is None else root_of(path, known)
        relative = None if path is None or root is None else path_within(path, root)
        foreign = path is not None and root is None and bool(known)
        before = Counter[bytes]()
        after = Counter[bytes]()
        for part in edit.parts:
            before += rows_of(part.before or b"")
            after += rows_of(part.after)
        complete = all(part.before is not None for part in edit.parts)
        return cls(edit, path, root, relative, foreign, after - before, complete)

    def is_in_tree(self, content: bytes | None) -> bool:
        """Whether most of its lines are in a file now."""
        total = self.rows.total()
        return bool(total and content and (self.rows & rows_of(content)).total() * 2 > total)


class Committed:
    """A commit that edits may be in. Its change is read when it is first asked for."""

    def __init__(self, commit: Commit, change_of: Callable[[str], CommitChange]) -> None:
        self.commit = commit
        self._change_of = change_of

    @cached_property
    def change(self) -> CommitChange:
        return self._change_of(self.commit.id)

    @cached_property
    def files(self) -> dict[bytes, FileChange]:
        """Its files by path, as they are called after it or before."""
        before = {file.old_path: file for file in self.change.files if file.old_path is not None}
        return {**before, **{file.path: file for file in self.change.files}}

    @cached_property
    def added(self) -> dict[bytes, Rows]:
        """The lines that it adds, file by file."""
        return {
            file.path: rows_of(b"\n".join((file.after or b"")[start:end] for start, end in file.added))
            for file in self.change.files
        }

    @cached_property
    def free(self) -> Rows:
        """All of these lines, less those of the edits that are known to be in it."""
        return sum(self.added.values(), Counter[bytes]())

    def path_of(self, claim: Claim, sessions: Sessions) -> bytes | None:
        """The file of the commit that an edit is of; None where the commit does not touch it."""
        root = self.commit.root
        if claim.foreign or (root is not None and claim.root is not None and claim.root != root):
            return None
        path = claim.relative if claim.relative is not None else locate(claim.edit, root, self.change, sessions)
        file = None if path is None else self.files.get(path)
        return None if file is None else file.path

    def rows_at(self, claim: Claim, path: bytes) -> Rows:
        """The lines of an edit that are new to the commit's file, as far as that can be told."""
        file = self.files.get(path)
        if claim.complete or file is None or file.before is None:
            return claim.rows
        return claim.rows - rows_of(file.before)

    def take(self, claim: Claim) -> None:
        """Its lines are in the commit because of this edit."""
        self.free.subtract(claim.rows & +self.free)
