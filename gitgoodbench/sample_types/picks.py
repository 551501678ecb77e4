"""Commits that were picked or reverted with conflicts: whose message names another commit, and whose real outcome is
therefore known.

What is taken: a commit Y with one parent whose message names one commit X (`named_commits`). Several names are one pick
where each was a pick of the one before (`git cherry-pick -x` adds a line each time), else a squash, which is left out.
X is applied to the parent of Y by Git's own merge (see `git.picks`), a merge against its first parent; what conflicts
stays. Left out, and counted: X in the history of Y, unless it is reverted, and Y in that of X; a second outcome of the
same X; outcomes that are hardly like what they name (less than `LIKENESS`), unless they change nothing, as where a pick
turns out not to be needed; and those of which a twin, a commit with the same patch, is in the history that an agent
sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.objects import read_tree
from gitgoodbench.git.picks import picked
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.replay import Replay
from gitgoodbench.mining.contract import Found, Miner, Walk
from gitgoodbench.mining.history import Commit
from gitgoodbench.mining.spool import Spool
from gitgoodbench.resolving.rules import PICK_RULES, Material, is_core
from gitgoodbench.sample_types.attributes import AttributeWatch, Layout
from gitgoodbench.sample_types.conflicting import Conflicts, compare_conflicts, reading_once, trees_in_question
from gitgoodbench.sample_types.merges import lay_out, needs_replay_apart
from gitgoodbench.sample_types.patch_ids import patch_ids
from gitgoodbench.sample_types.pick_columns import CherryPickColumns
from gitgoodbench.sample_types.pick_commits import Sides, as_merges
from gitgoodbench.sample_types.pick_likeness import likeness
from gitgoodbench.sample_types.pick_notes import Naming, PickNotes, note
from gitgoodbench.sample_types.replays import Obstacle, obstacle, replay_merges
from gitgoodbench.sample_types.specs import CherryPickSpec
from gitgoodbench.workspace.scratch import ScratchRepository

LIKENESS: Final = 0.3
"""Of the change of a pick to that of its source, at least, by changed lines; of a revert, to the source taken back."""

_TWINS: Final = 200
"""Commits that are looked at as twins, at most."""


@dataclass(frozen=True)
class Pair:
    """A commit and the one that it names. mainline: of a merge, against which parent it is a change."""

    naming: Naming
    source: str
    parents: tuple[str, ...]

    @property
    def onto(self) -> str:
        return self.naming.parents[0]

    @property
    def mainline(self) -> int | None:
        return 1 if len(self.parents) > 1 else None

    @property
    def sides(self) -> Sides:
        parent = self.parents[0] if self.parents else None
        base, other = (parent, self.source) if self.naming.operation == "pick" else (self.source, parent)
        naming = self.naming
        return Sides(base, self.onto, other, naming.position, naming.oid, naming.committed, naming.dated)


class CherryPickMiner(Miner):
    """Is shown every commit, and then replays those that name another one."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._watch = AttributeWatch(walk.reader)
        self._notes = PickNotes()
        walk.resources.callback(self._notes.close)
        self._left_out: Counter[str] = Counter()
        self._pairs = 0

    @property
    def counts(self) -> Mapping[str, int]:
        return {"pairs": self._pairs}

    @property
    def left_out(self) -> Mapping[str, int]:
        return {reason: self._left_out[reason] for reason in _REASONS}

    def visit(self, commit: Commit) -> None:
        self._watch.visit(commit)
        layout = self._watch.layout(commit.parents[0]) if len(commit.parents) == 1 else None
        note(self._notes, commit, layout)

    def found(self) -> Iterator[Found]:
        self._notes.index()
        with ScratchRepository(self._walk.repository) as scratch, ObjectReader(scratch.git) as reader:
            replayed: Spool[tuple[Pair, Found]] = Spool()
            layouts: dict[Layout | None, Spool[Pair]] = {}
            for pair in self._named(reader):
                layouts.setdefault(pair.naming.layout, Spool()).add(pair)
            for layout, pairs in layouts.items():
                replayed.extend(self._conflicting(scratch.git, reader, layout, pairs))
            seen: set[tuple[str, str]] = set()
            for pair, found in sorted(replayed, key=lambda one: one[0].naming.position):
                key = pair.naming.operation, pair.source
                if key in seen:
                    self._left_out[_AGAIN] += 1
                elif (reason := self._objection(scratch.git, pair)) is not None:
                    self._left_out[reason] += 1
                else:
                    seen.add(key)
                    yield found

    def _named(self, reader: ObjectReader) -> Iterator[Pair]:
        """Pairs in the order of history. What the messages say is believed only where the repository has both."""
        for naming in self._notes.naming():
            if not self._walk.options.covers(naming.committed):
                self._left_out[_TIME] += 1
                continue
            sources = [reader.commit(name) for name in naming.commits]
            source = sources[-1]
            if len(naming.parents) != 1:
                self._left_out[_MERGES] += 1
            elif source is None or source == naming.oid:
                self._left_out[_ABSENT] += 1
            elif not self._is_one_pick(reader, sources, naming):
                self._left_out[_SQUASHES] += 1
            else:
                (commit,) = read_commits(self._walk.scratch, [source])
                if len(commit.parents) > 2:
                    self._left_out[_OCTOPUS] += 1
                else:
                    self._pairs += 1
                    yield Pair(naming, source, commit.parents)

    def _is_one_pick(self, reader: ObjectReader, sources: Sequence[str | None], naming: Naming) -> bool:
        """Whether the last commit named is itself a pick of those named before it."""
        earlier = [source for source in dict.fromkeys(sources[:-1]) if source != sources[-1]]
        if not earlier:
            return True
        last = sources[-1]
        assert last is not None
        known = {reader.commit(name) for name in self._notes.named_by(last)}
        names = set(self._notes.named_by(last))
        return naming.operation == "pick" and all(
            source in known if source is not None else name in names
            for name, source in zip(naming.commits, sources, strict=True)
            if source != last
        )

    def _conflicting(
        self, scratch: Git, reader: ObjectReader, layout: Layout | None, pairs: Spool[Pair]
    ) -> Iterator[tuple[Pair, Found]]:
        """The pairs that conflict, with what is found."""
        by_result = {}
        for pair in pairs:
            by_result[pair.naming.oid] = pair
        if layout is None:
            results: Iterator[tuple[str, Conflicts | str]] = (
                (pair.naming.oid, self._apart(pair)) for pair in by_result.values()
            )
        else:
            lay_out(scratch, reader, layout)
            results = self._replayed(scratch, reader, by_result)
        for done, (oid, result) in enumerate(results):
            self._walk.tell("replaying picks", done, len(by_result))
            if isinstance(result, str):
                self._left_out[result] += 1
                continue
            pair = by_result[oid]
            try:
                yield pair, self._found(scratch, reader, pair, result)
            except (MissingObjectError, GitError):
                self._left_out[_MISSING] += 1

    def _replayed(
        self, scratch: Git, reader: ObjectReader, pairs: Mapping[str, Pair]
    ) -> Iterator[tuple[str, Conflicts | str]]:
        merges = []
        for sides, merge in as_merges(scratch, (pair.sides for pair in pairs.values())):
            if merge is None:
                yield sides.result, _MISSING
            else:
                merges.append(merge)
        for merge, replay in replay_merges(scratch, merges):
            try:
                yield merge.oid, self._judged(reader, pairs[merge.oid], merge.parents, replay)
            except MissingObjectError:
                yield merge.oid, _MISSING

    def _judged(
        self, reader: ObjectReader, pair: Pair, made: tuple[str, str], replay: Replay | Obstacle
    ) -> Conflicts | str:
        if isinstance(replay, Obstacle):
            return _MISSING
        if replay.clean:
            return _CLEAN
        read = reading_once(reader)
        if needs_replay_apart(replay, made, read):
            return self._apart(pair)
        return compare_conflicts(replay, read, *trees_in_question(reader, replay, pair.naming.oid))

    def _apart(self, pair: Pair) -> Conflicts | str:
        """Replay a pick as the scenario does."""
        with ScratchRepository(self._walk.repository) as own, ObjectReader(own.git) as reader:
            try:
                (commit,) = read_commits(own.git, [pair.source])
                replay = own.replay_pick(pair.onto, picked(pair.naming.operation, commit, pair.mainline))
                if replay.clean:
                    return _CLEAN
                trees = read_tree(own.git, replay.tree), read_tree(own.git, pair.naming.oid)
                return compare_conflicts(replay, reading_once(reader), *trees)
            except MissingObjectError:
                return _MISSING
            except GitError as problem:
                obstacle(problem.git_args, problem.result)
                return _MISSING

    def _found(self, scratch: Git, reader: ObjectReader, pair: Pair, found: Conflicts) -> Found:
        naming = pair.naming
        read = reading_once(reader)
        core = is_core(Material(scratch, found.model, read), PICK_RULES, found.truth)
        conflicts = len(found.model.conflicts)
        paths = tuple(map(attrgetter("path"), found.files))
        spec = CherryPickSpec(
            operation=naming.operation,
            picked_commit=pair.source,
            mainline=pair.mainline,
            onto=pair.onto,
            result_commit=naming.oid,
            files_in_conflict=tuple(path.decode("utf-8", "surrogateescape") for path in paths),
            number_of_files=len(paths),
            total_number_of_conflicts=conflicts,
        )
        columns = CherryPickColumns(
            attainable=found.attainable, core=core, files=tuple(file.column for file in found.files)
        )
        difficulty = "easy" if conflicts == 1 else "medium" if conflicts < 4 else "hard"
        return Found(
            spec, difficulty, naming.committed, paths, columns, dated=naming.dated,
            sketches=found.sketches, content=found.content,
        )  # fmt: skip

    def _objection(self, git: Git, pair: Pair) -> str | None:
        """Why a pair that conflicts is no row."""
        oid, source, onto = pair.naming.oid, pair.source, pair.onto
        if pair.naming.operation == "pick" and _is_ancestor(git, source, onto):
            return _ANCESTORS
        if _is_ancestor(git, oid, source):
            return _DESCENDANTS
        alike = likeness(git, (pair.sides.base, pair.sides.other), (onto, oid))
        if alike is None:
            return _MISSING
        if alike < LIKENESS and git.line("rev-parse", f"{oid}^{{tree}}") != git.line("rev-parse", f"{onto}^{{tree}}"):
            return _UNLIKE
        if self._has_twin(git, pair):
            return _SEEN
        return None

    def _has_twin(self, git: Git, pair: Pair) -> bool:
        """Whether a commit with the same patch as the real one is in the history that an agent sees."""
        oid = pair.naming.oid
        others = [other for other in self._notes.alike(oid, _TWINS) if other != pair.source]
        ids = dict(patch_ids(git, [oid, *others])) if others else {}
        twins = [other for other in others if ids.get(oid) is not None and ids.get(other) == ids[oid]]
        return any(_is_ancestor(git, twin, tip) for twin in twins for tip in (pair.onto, pair.source))


def _is_ancestor(git: Git, one: str, other: str) -> bool:
    return git.execute("merge-base", "--is-ancestor", one, other).returncode == 0


_TIME: Final = "picks out of time"
_MERGES: Final = "picks that are merges"
_ABSENT: Final = "picks of commits that are not there"
_SQUASHES: Final = "squashes of several picks"
_OCTOPUS: Final = "picks of merges of more than two parents"
_CLEAN: Final = "picks without a conflict"
_MISSING: Final = "picks with missing objects"
_ANCESTORS: Final = "picks of their own ancestors"
_DESCENDANTS: Final = "picks that their source descends from"
_UNLIKE: Final = "picks unlike their source"
_SEEN: Final = "picks with a twin among the ancestors"
_AGAIN: Final = "picks of a commit that has one already"
_REASONS: Final = (
    _TIME, _MERGES, _ABSENT, _SQUASHES, _OCTOPUS, _CLEAN, _MISSING, _ANCESTORS, _DESCENDANTS, _UNLIKE, _SEEN, _AGAIN,
)  # fmt: skip
