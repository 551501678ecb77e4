"""What a chain changes from its base to its end, file by file, and the parts of each change that can be committed
alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from gitgoodbench.git.hunks import Hunk, TextChange, change_between
from gitgoodbench.git.objects import Entry, blob_sizes, read_blobs
from gitgoodbench.git.process import Git, GitError

MAX_TEXT_BYTES = 8 * 1024 * 1024
"""Larger files are committed whole."""

_ABSENT_MODE = "000000"


class Aspect(StrEnum):
    """A part of a change that is no hunk of text."""

    PATH = "path"
    MODE = "mode"
    WHOLE = "whole"


Part = Hunk | Aspect


@dataclass(frozen=True)
class FileContent:
    """A file's mode, and content that no object of the chain has."""

    mode: str
    content: bytes


State = Mapping[bytes, Entry | FileContent | None]
"""What stands at the paths of a change; None: nothing."""


@dataclass(frozen=True, eq=False)
class FileChange:
    """The change of one file. before, after: its entries, None where it does not exist; the paths differ in a rename.

    text: set where the content is text and worth showing in hunks.
    """

    old_path: bytes
    new_path: bytes
    before: Entry | None
    after: Entry | None
    text: TextChange | None = None
    old_content: bytes = b""
    new_content: bytes = b""

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Everything that must be committed, once, in any order. Hunks may be split further."""
        aspects = self._aspects
        return (*aspects, *(self.text.hunks if self.text is not None else ()))

    @property
    def at_base(self) -> dict[bytes, Entry | None]:
        return {self.new_path: None, self.old_path: self.before}

    @property
    def at_end(self) -> dict[bytes, Entry | None]:
        return {self.old_path: None, self.new_path: self.after}

    def state(self, done: Collection[Part]) -> State:
        """The paths of this file when these parts of the change are committed.

        None of them give its state before, all of them its state after. A new file is there with its first part, a
        file that goes is gone with its last.
        """
        if not done:
            return self.at_base
        hunks = [part for part in done if isinstance(part, Hunk)]
        all_text = self.text is None or _covers(hunks, self.text.hunks)
        if all_text and all(aspect in done for aspect in self._aspects):
            return self.at_end
        path = self.new_path if self.before is None or Aspect.PATH in done else self.old_path
        placed = self._partly(hunks, whole=all_text, new_mode=Aspect.MODE in done)
        return {self.old_path: None, self.new_path: None, path: placed}

    @cached_property
    def _aspects(self) -> tuple[Aspect, ...]:
        before, after = self.before, self.after
        if before is None or after is None or not (before.is_file and after.is_file):
            return () if self.text is not None else (Aspect.WHOLE,)
        if self.text is None and before.oid != after.oid:
            return (Aspect.WHOLE,)
        found = []
        if self.old_path != self.new_path:
            found.append(Aspect.PATH)
        if before.mode != after.mode:
            found.append(Aspect.MODE)
        return tuple(found)

    def _partly(self, hunks: Sequence[Hunk], *, whole: bool, new_mode: bool) -> Entry | FileContent:
        source = self.after if self.before is None or (new_mode and self.after is not None) else self.before
        assert source is not None
        if not hunks and self.before is not None:
            return Entry(source.mode, self.before.oid)
        if whole and self.after is not None:
            return Entry(source.mode, self.after.oid)
        assert self.text is not None
        return FileContent(source.mode, self.text.content(hunks))


def read_changes(git: Git, base: str, newest: str, *, renames: bool) -> list[FileChange]:
    """Every file that differs between two commits, in the order of paths, without its text.

    renames: tell a file that was moved as one change; where that cannot be found out (a blob is missing), as two.
    """
    arguments = ("diff-tree", "-r", "-z", "--raw", "--full-index", "--end-of-options", base, newest)
    command, *rest = arguments
    try:
        output = git.run(command, "--find-renames=50%" if renames else "--no-renames", *rest)
    except GitError:
        if not renames:
            raise
        return read_changes(git, base, newest, renames=False)
    return sorted(_read_raw(output), key=lambda change: change.new_path)


def with_text(git: Git, change: FileChange, *, paired: bool) -> FileChange:
    """The change with its hunks, where it has any: between files, text, not too large, none of it missing.

    paired: see `hunks.change_between`.
    """
    ends = [entry for entry in (change.before, change.after) if entry is not None]
    if not all(entry.is_file for entry in ends) or len({entry.oid for entry in ends}) < len(ends):
        return change
    sizes = blob_sizes(git, [entry.oid for entry in ends])
    if any(size is None or size > MAX_TEXT_BYTES for size in sizes.values()):
        return change
    blobs = read_blobs(git, sizes)
    old, new = (b"" if entry is None else blobs[entry.oid] or b"" for entry in (change.before, change.after))
    if not (is_text(old) and is_text(new)):
        return change
    named = (change.before.oid if change.before else "", old), (change.after.oid if change.after else "", new)
    text = change_between(git, *named, paired=paired)
    if not text.hunks:
        return change
    return FileChange(change.old_path, change.new_path, change.before, change.after, text, old, new)


def is_text(content: bytes) -> bool:
    """Whether content is worth showing: NUL is allowed only in valid UTF-8."""
    if b"\0" not in content:
        return True
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _read_raw(output: bytes) -> list[FileChange]:
    """Read `git diff-tree -r -z --raw`."""
    changes = []
    fields = iter(output.split(b"\0")[:-1])
    for head in fields:
        old_mode, new_mode, old_oid, new_oid, status = head.decode("ascii")[1:].split(" ")
        old_path = next(fields)
        new_path = next(fields) if status[0] in "RC" else old_path
        before, after = _entry(old_mode, old_oid), _entry(new_mode, new_oid)
        changes.append(FileChange(old_path, new_path, before, after))
    return changes


def _entry(mode: str, oid: str) -> Entry | None:
    return None if mode == _ABSENT_MODE else Entry(mode, oid)


def _covers(done: Sequence[Hunk], wanted: Sequence[Hunk]) -> bool:
    return {at for hunk in done for at in hunk.changed} == {at for hunk in wanted for at in hunk.changed}
