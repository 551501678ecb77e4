"""Merges that conflict, each once, whichever branches reach it.

Git reads attributes (.gitattributes) from the working tree, as in `git merge` in a clone that has the first parent
checked out. So merges are grouped by the attribute files of their first parents that can matter (see `attributes`; most
histories have none), and each group is replayed by one process, which has those files as its working tree. By itself,
as the merge scenario does it (`ScratchRepository.replay`), is replayed a merge

- whose files have lines that look like conflict markers even of the long kind used here;
- for which Git put a file aside under a name made from its side's, so that names are those of the scenario;
- into a commit of which an object is missing, so that its attribute files are not known.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from operator import itemgetter
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.git.conflict_text import marker_size
from gitgoodbench.git.conflicts import ReadBlobs
from gitgoodbench.git.objects import read_tree
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.replay import Replay
from gitgoodbench.git.tree_paths import is_tree_path
from gitgoodbench.mining.contract import Found, Miner, Walk
from gitgoodbench.mining.history import Commit
from gitgoodbench.mining.spool import Spool
from gitgoodbench.sample_types.attributes import AttributeWatch, Layout
from gitgoodbench.sample_types.conflicting import (
    ConflictedFile,
    Conflicts,
    MergedFile,
    compare_conflicts,
    reading_once,
    trees_in_question,
)
from gitgoodbench.sample_types.merge_spool import MergeCommit, MergeSpool
from gitgoodbench.sample_types.replays import MARKER_SIZE, Obstacle, obstacle, replay_alone, replay_merges
from gitgoodbench.sample_types.specs import MergeSpec
from gitgoodbench.workspace.build import attribute_rules
from gitgoodbench.workspace.scratch import ScratchRepository


class MergeColumns(BaseModel):
    """What the mined file says of a merge besides: see `ConflictingMerge`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    attainable: bool | None = None
    files: tuple[ConflictedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class ConflictingMerge:
    """A two-parent merge that conflicts when it is replayed.

    committed: Unix time in seconds, by the committer. dated: whether that is believed.
    files: paths in conflict, sorted. A few kinds of directory renames conflict without naming any.
    conflicts: how many the merge scenario counts: regions, and decisions about paths.
    attainable: whether the real merge differs from the automatic one only inside the conflicts.
    sketches, content: of the regions, each with the lines of both sides (see `sketches`).
    """

    oid: str
    parents: tuple[str, str]
    committed: int
    files: tuple[MergedFile, ...]
    conflicts: int
    attainable: bool
    sketches: tuple[str, ...]
    content: str | None
    dated: bool = True

    @property
    def paths(self) -> tuple[bytes, ...]:
        return tuple(file.path for file in self.files)

    @property
    def difficulty(self) -> Literal["easy", "medium", "hard"]:
        """As published (GitGoodBench, section 3): easy is one conflict, medium several in one file, hard more files."""
        if len(self.files) > 1:
            return "hard"
        return "easy" if self.conflicts == 1 else "medium"


Result = ConflictingMerge | Obstacle | None
"""Of a merge that was replayed: its conflicts; why it could not be; None where it is clean."""


@dataclass(slots=True)
class MergeCounts:
    """What became of the merges that were looked at. `out_of_time`: two parents, but not committed when asked for."""

    conflicting: int = 0
    clean: int = 0
    octopus: int = 0
    no_base: int = 0
    missing_object: int = 0
    out_of_time: int = 0

    @property
    def total(self) -> int:
        return sum(astuple(self))

    def add(self, result: Result) -> None:
        """Count a merge that was replayed."""
        if result is None:
            self.clean += 1
        elif result is Obstacle.NO_BASE:
            self.no_base += 1
        elif result is Obstacle.MISSING_OBJECT:
            self.missing_object += 1
        else:
            self.conflicting += 1


class MergeMiner(Miner):
    """Is shown every commit, parents first, and then gives the merges that conflict. Between lies a file on disk."""

    def __init__(self, walk: Walk) -> None:
        self.seen = MergeCounts()
        self._mirror = walk.repository
        self._spool = walk.resources.enter_context(MergeSpool())
        self._options = walk.options
        self._tell = walk.tell
        self._watch = AttributeWatch(walk.reader)
        self._visited = 0

    @property
    def counts(self) -> Mapping[str, int]:
        return {"merges": self.seen.total, "conflicting": self.seen.conflicting}

    @property
    def left_out(self) -> Mapping[str, int]:
        return {
            "merges of more than two parents": self.seen.octopus,
            "merges without a common base": self.seen.no_base,
            "merges with missing objects": self.seen.missing_object,
            "merges out of time": self.seen.out_of_time,
        }

    def visit(self, commit: Commit) -> None:
        self._visited += 1
        self._watch.visit(commit)
        if len(commit.parents) > 2:
            self.seen.octopus += 1
        elif len(commit.parents) == 2:
            if self._options.covers(commit.committed):
                local, incoming = commit.parents
                merge = MergeCommit(self._visited, commit.oid, (local, incoming), commit.committed, commit.dated)
                self._spool.add(merge, self._watch.layout(local))
            else:
                self.seen.out_of_time += 1

    def found(self) -> Iterator[Found]:
        return map(_found, self.merges())

    def merges(self) -> Iterator[ConflictingMerge]:
        """Those that conflict, in the order in which they were visited."""
        by_layout = []
        replayed = 0
        for layout in self._spool.layouts:
            found: Spool[tuple[int, ConflictingMerge]] = Spool()
            by_layout.append(found)
            with ScratchRepository(self._mirror) as scratch, ObjectReader(scratch.git) as reader:
                for merge, result in self._replayed(scratch.git, reader, layout):
                    self._tell("replaying merges", replayed, len(self._spool))
                    replayed += 1
                    self.seen.add(result)
                    if isinstance(result, ConflictingMerge):
                        found.add((merge.position, result))
        return (merge for _, merge in heapq.merge(*by_layout, key=itemgetter(0)))

    def _replayed(
        self, scratch: Git, reader: ObjectReader, layout: Layout | None
    ) -> Iterator[tuple[MergeCommit, Result]]:
        merges = self._spool.merges(layout)
        if layout is None:
            for merge in merges:
                yield merge, self._replay_apart(scratch, merge)
            return
        lay_out(scratch, reader, layout)
        for merge, replay in replay_merges(scratch, merges):
            try:
                yield merge, self._judge(scratch, reader, merge, replay)
            except MissingObjectError:
                yield merge, Obstacle.MISSING_OBJECT

    def _judge(self, scratch: Git, reader: ObjectReader, merge: MergeCommit, replay: Replay | Obstacle) -> Result:
        if isinstance(replay, Obstacle):
            return replay
        if replay.clean:
            return None
        read = reading_once(reader)
        if needs_replay_apart(replay, merge.parents, read):
            return self._replay_apart(scratch, merge)
        return _conflicting(merge, compare_conflicts(replay, read, *trees_in_question(reader, replay, merge.oid)))

    def _replay_apart(self, scratch: Git, merge: MergeCommit) -> Result:
        alone = replay_alone(scratch, *merge.parents)
        if isinstance(alone, Obstacle):
            return alone
        with ScratchRepository(self._mirror) as own, ObjectReader(own.git) as reader:
            try:
                replay = own.replay(*merge.parents)
                if replay.clean:
                    return None
                automatic, truth = read_tree(own.git, replay.tree), read_tree(own.git, merge.oid)
                return _conflicting(merge, compare_conflicts(replay, reading_once(reader), automatic, truth))
            except MissingObjectError:
                return Obstacle.MISSING_OBJECT
            except GitError as problem:
                return obstacle(problem.git_args, problem.result)


def _found(merge: ConflictingMerge) -> Found:
    return Found(
        spec=MergeSpec(
            merge_commit_hash=merge.oid,
            parents=merge.parents,
            number_of_files_with_merge_conflict=len(merge.files),
            total_number_of_merge_conflicts=merge.conflicts,
            files_in_merge_conflict=tuple(path.decode("utf-8", "surrogateescape") for path in merge.paths),
        ),
        columns=MergeColumns(
            attainable=merge.attainable,
            files=tuple(file.column for file in merge.files),
        ),
        difficulty=merge.difficulty,
        committed=merge.committed,
        dated=merge.dated,
        paths=merge.paths,
        sketches=merge.sketches,
        content=merge.content,
    )


def lay_out(scratch: Git, reader: ObjectReader, layout: Layout) -> None:
    """Put attribute files into the working tree, and what overrides them into info/attributes."""
    assert scratch.work_tree is not None
    files = {path: reader.blob(oid) or b"" for path, oid in layout if is_tree_path(path)}
    files[b".git/info/attributes"] = attribute_rules(MARKER_SIZE).encode("ascii")
    for path, content in files.items():
        file = Path(scratch.work_tree, os.fsdecode(path))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def needs_replay_apart(replay: Replay, sides: tuple[str, str], read: ReadBlobs) -> bool:
    """Whether a replay among many cannot be taken as it is: some content looks like the long markers used there, or a
    name was made from that of a side.
    """
    stages = replay.conflicted.values()
    entries = (entry for stage in stages for entry in (stage.local, stage.incoming))
    blobs = read(entry.oid for entry in entries if entry is not None and entry.is_file)
    aside = tuple(f"~{side}".encode("ascii") for side in sides)
    return marker_size(content or b"" for content in blobs.values()) > MARKER_SIZE or any(
        name in path for path in replay.conflicted for name in aside
    )


def _conflicting(merge: MergeCommit, found: Conflicts) -> ConflictingMerge:
    return ConflictingMerge(
        merge.oid, merge.parents, merge.committed, found.files, len(found.model.conflicts), found.attainable,
        found.sketches, found.content, merge.dated,
    )  # fmt: skip
