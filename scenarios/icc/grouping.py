"""The real grouping: which commit of the chain made each line of its overall change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.hunks import Hunk, change_between
from gitgoodbench.git.line_origins import LineOrigins, step_of, trace_lines
from gitgoodbench.git.objects import Entry
from gitgoodbench.git.process import Git
from gitgoodbench.workspace.chain import CommitChain

from .changes import Aspect, FileChange, Part, is_text

Versions = Sequence[Entry | None]


@dataclass(frozen=True)
class _Past:
    """A file at the base and after each commit: whether it has its new path by then, its entries; and its lines."""

    moved: Sequence[bool]
    versions: Versions
    origins: LineOrigins | None


class Grouping:
    """Commits are counted from 0, the oldest. `known` is false where an object of the chain is missing."""

    def __init__(self, pasts: Mapping[FileChange, _Past], *, known: bool) -> None:
        self._pasts = pasts
        self.known = known

    def makers(self, file: FileChange, part: Part) -> tuple[int | None, ...]:
        """For each changed line of a hunk the commit that made the change, None where that cannot be told.

        Of a part without lines: every commit that had a share in it.
        """
        past = self._pasts.get(file)
        if isinstance(part, Hunk):
            if past is None or past.origins is None or file.text is None:
                return (None,) * len(part.changed)
            return tuple(step_of(file.text, position, past.origins) for position in part.changed)
        if past is None:
            return (None,)
        states: Sequence[object] = past.versions
        if part is Aspect.PATH:
            states = past.moved
        elif part is Aspect.MODE:
            states = [entry and entry.mode for entry in past.versions]
        return tuple(step for step, (before, after) in enumerate(pairwise(states)) if before != after)

    def is_pure(self, file: FileChange, part: Part) -> bool:
        """Whether a single commit made all of it, as far as can be told."""
        return len({maker for maker in self.makers(file, part) if maker is not None}) <= 1

    def all_pure(self, files: Sequence[FileChange]) -> bool | None:
        """Whether every hunk of these files comes from one real commit; None if unknown."""
        return all(self.is_pure(file, part) for file in files for part in file.parts) if self.known else None

    def visible(self, files: Sequence[FileChange]) -> int | None:
        """How many commits have left a trace in the overall change of these files; None if unknown."""
        makers = {maker for file in files for part in file.parts for maker in self.makers(file, part)}
        return len(makers - {None}) if self.known else None


def read_grouping(mirror: Git, chain: CommitChain, files: Sequence[FileChange]) -> Grouping:
    """Follow the files through the chain's commits."""
    pasts: dict[FileChange, _Past] = {}
    known = True
    assert chain.base is not None
    with ObjectReader(mirror) as reader:
        for file in files:
            try:
                pasts[file] = _past(mirror, reader, [chain.base, *chain.commits], file)
            except MissingObjectError:
                known = False
    return Grouping(pasts, known=known)


def _past(mirror: Git, reader: ObjectReader, commits: Sequence[str], file: FileChange) -> _Past:
    found = [reader.entry(commit, file.new_path) for commit in commits]
    renamed = file.old_path != file.new_path
    moved = [not renamed or entry is not None for entry in found]
    versions = [
        entry if entry is not None or not renamed else reader.entry(commit, file.old_path)
        for entry, commit in zip(found, commits, strict=True)
    ]
    return _Past(moved, versions, _origins(mirror, reader, versions) if file.text is not None else None)


def _origins(mirror: Git, reader: ObjectReader, versions: Versions) -> LineOrigins | None:
    """None where a version is no text."""
    oids = [entry.oid if entry is not None and entry.is_file else "" for entry in versions]
    contents = {"": b"", **reader.blobs(oid for oid in oids if oid)}
    if not all(is_text(content) for content in contents.values()):
        return None
    steps = [
        change_between(mirror, (old, contents[old]), (new, contents[new])) if old != new else None
        for old, new in pairwise(oids)
    ]
    return trace_lines(len(split_lines(contents[oids[0]])), steps)
