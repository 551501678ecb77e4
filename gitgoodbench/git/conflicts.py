"""The conflicts of a merge as an agent meets them: a numbered list over all files.

A `TextConflict` is one region of lines that both sides changed. A `PathConflict` has no text to choose from (one
side deleted what the other modified, both renamed a file differently, binary content, a submodule, a mode): it is
settled by a `Choice`. Kept files of a path conflict may have regions of their own; they follow it in the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gitgoodbench.git.conflict_text import Region, Segment, regions, split_conflicts
from gitgoodbench.git.objects import SUBMODULE, SYMLINK, Entry, Tree, read_blobs, read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.git.replay import Notice, Replay, Stages

_MOVING_ASIDE = ("CONFLICT (file/directory)", "CONFLICT (distinct modes)")


class Choice(StrEnum):
    """How a conflict without text is settled."""

    LOCAL = "local"
    INCOMING = "incoming"
    DELETION = "deletion"


@dataclass(frozen=True)
class ConflictedFile:
    """A file that Git left with conflict regions: its entry in the automatic tree, its stages and its segments."""

    path: bytes
    entry: Entry
    stages: Stages
    segments: tuple[Segment, ...]

    @property
    def regions(self) -> list[Region]:
        return regions(self.segments)

    def ends_in_region(self, position: int) -> bool:
        """Whether nothing follows the region with this number in the file."""
        return position == len(self.regions) - 1 and self.segments[-1] == b""


@dataclass(frozen=True)
class TextConflict:
    """Region number `position` (from 0) of the file at `path`."""

    path: bytes
    position: int


@dataclass(frozen=True)
class PathConflict:
    """A conflict without text. `placements` says for each choice which entry every path gets; None removes it."""

    paths: tuple[bytes, ...]
    kind: str
    notices: tuple[Notice, ...]
    placements: Mapping[Choice, Mapping[bytes, Entry | None]]


Conflict = TextConflict | PathConflict
ReadBlobs = Callable[[Iterable[str]], Mapping[str, bytes | None]]


@dataclass(frozen=True)
class ConflictModel:
    """All conflicts of a replayed merge, in the order in which they are numbered and resolved."""

    replay: Replay
    automatic: Tree
    files: Mapping[bytes, ConflictedFile]
    conflicts: tuple[Conflict, ...]

    @property
    def paths(self) -> list[bytes]:
        """Every path in conflict, in order of first mention."""
        mentioned = (path for conflict in self.conflicts for path in conflict_paths(conflict))
        return list(dict.fromkeys(mentioned))

    @property
    def text_conflicts(self) -> list[TextConflict]:
        return [conflict for conflict in self.conflicts if isinstance(conflict, TextConflict)]

    def region(self, conflict: TextConflict) -> Region:
        return self.files[conflict.path].regions[conflict.position]


def conflict_paths(conflict: Conflict) -> tuple[bytes, ...]:
    return (conflict.path,) if isinstance(conflict, TextConflict) else conflict.paths


def read_conflicts(git: Git, replay: Replay) -> ConflictModel:
    """The conflicts of a replay whose objects are at hand in `git`."""
    return find_conflicts(replay, read_tree(git, replay.tree), lambda oids: read_blobs(git, oids))


def find_conflicts(replay: Replay, automatic: Tree, read: ReadBlobs) -> ConflictModel:
    """The conflicts of a replay.

    Args:
        automatic: the replay's tree.
        read: gives the contents of blobs by their ids.
    """
    files = _read_files(read, replay, automatic)
    conflicts: list[Conflict] = []
    for group in _groups(replay):
        path_conflict = _path_conflict(group, replay, automatic, files)
        if path_conflict is not None:
            conflicts.append(path_conflict)
        for path in group:
            if path in files:
                conflicts += [TextConflict(path, position) for position in range(len(files[path].regions))]
    if not replay.conflicted and not replay.clean:
        notices = tuple(notice for notice in replay.notices if notice.is_conflict)
        conflicts.append(PathConflict((), _kind_name(notices), notices, {choice: {} for choice in Choice}))
    return ConflictModel(replay, automatic, files, tuple(conflicts))


def _read_files(read: ReadBlobs, replay: Replay, automatic: Tree) -> dict[bytes, ConflictedFile]:
    merged = {
        path: automatic[path] for path in sorted(replay.conflicted) if path in automatic and automatic[path].is_file
    }
    oids = [entry.oid for entry in merged.values()]
    oids += [entry.oid for path in merged for entry in replay.conflicted[path].entries if entry.is_file]
    blobs = read(oids)
    files = {}
    for path, entry in merged.items():
        stages = replay.conflicted[path]
        local = blobs.get(stages.local.oid) if stages.local else None
        incoming = blobs.get(stages.incoming.oid) if stages.incoming else None
        segments = _segments(blobs[entry.oid] or b"", replay.marker_size, local, incoming)
        if regions(segments):
            files[path] = ConflictedFile(path, entry, stages, tuple(segments))
    return files


def _segments(content: bytes, size: int, local: bytes | None, incoming: bytes | None) -> list[Segment]:
    """Cut at markers of the given size, or one longer: so Git writes those of a file that both sides renamed."""
    for candidate in (size, size + 1):
        try:
            segments = split_conflicts(content, candidate, local or b"\n", incoming or b"\n")
        except ValueError:
            continue
        if regions(segments):
            return segments
    return [content]


def _groups(replay: Replay) -> Iterator[list[bytes]]:
    """Conflicted paths that one decision settles together, in path order: those of one rename, else each alone."""
    leader = {path: path for path in sorted(replay.conflicted)}

    def find(path: bytes) -> bytes:
        while leader[path] != path:
            path = leader[path]
        return path

    for notice in replay.notices:
        if notice.is_conflict:
            linked = [
                find(path) for path in notice.paths if path in leader and not _both_sides(replay.conflicted[path])
            ]
            for path in linked[1:]:
                first, second = sorted((find(linked[0]), find(path)))
                leader[second] = first
    groups: dict[bytes, list[bytes]] = {}
    for path in leader:
        groups.setdefault(find(path), []).append(path)
    yield from groups.values()


def _both_sides(stages: Stages) -> bool:
    return stages.local is not None and stages.incoming is not None


def _path_conflict(
    group: Sequence[bytes], replay: Replay, automatic: Tree, files: Mapping[bytes, ConflictedFile]
) -> PathConflict | None:
    notices = tuple(n for n in replay.notices if n.is_conflict and not set(group).isdisjoint(n.paths))
    first = replay.conflicted[group[0]]
    if first.local is not None and first.incoming is not None:
        return _two_sided(group[0], first.local, first.incoming, notices, replay, automatic, files)
    placements: dict[Choice, Mapping[bytes, Entry | None]] = {
        Choice.LOCAL: _kept(group, replay, automatic, files, Choice.LOCAL),
        Choice.INCOMING: _kept(group, replay, automatic, files, Choice.INCOMING),
        Choice.DELETION: dict.fromkeys(group),
    }
    return PathConflict(tuple(group), _kind_name(notices), notices, placements)


def _two_sided(
    path: bytes, local: Entry, incoming: Entry, notices: tuple[Notice, ...], replay: Replay, automatic: Tree,
    files: Mapping[bytes, ConflictedFile],
) -> PathConflict | None:  # fmt: skip
    """Both sides have something at the path: text to merge, or a choice between two modes or two whole entries."""
    base = replay.conflicted[path].base
    modes_clash = local.mode != incoming.mode and (base is None or base.mode not in (local.mode, incoming.mode))
    merged = automatic.get(path)
    if path in files or (local.is_file and incoming.is_file and local.oid == incoming.oid and merged is not None):
        if not modes_clash or merged is None:
            return None
        local, incoming = Entry(local.mode, merged.oid), Entry(incoming.mode, merged.oid)
        kind = "mode"
    else:
        kind = {SYMLINK: "symbolic link", SUBMODULE: "submodule"}.get(local.mode, "binary")
    placements: dict[Choice, Mapping[bytes, Entry | None]] = {
        Choice.LOCAL: {path: local},
        Choice.INCOMING: {path: incoming},
        Choice.DELETION: {path: None},
    }
    return PathConflict((path,), kind, notices, placements)


def _kept(
    group: Sequence[bytes], replay: Replay, automatic: Tree, files: Mapping[bytes, ConflictedFile], choice: Choice
) -> dict[bytes, Entry | None]:
    """The group's paths when what one side has there is kept, merged as far as Git could, and the rest is removed."""
    placement: dict[bytes, Entry | None] = {}
    for path in group:
        stages = replay.conflicted[path]
        has_it = stages.local if choice is Choice.LOCAL else stages.incoming
        placement[path] = automatic.get(path) if has_it is not None else None
    for path in list(placement):
        original = _moved_from(path, replay)
        entry = placement[path]
        if entry is None or original is None or path in files or _occupied(original, automatic, placement):
            continue
        placement[path] = None
        placement[original] = entry
    return placement


def _moved_from(path: bytes, replay: Replay) -> bytes | None:
    """Where a file that Git moved aside belongs; None for any other, also one that merely has such a name.

    Its name is the path, a tilde and the side's label, in which `/` is `_`.
    """
    labels = b"|".join(re.escape(label.replace(b"/", b"_")) for label in replay.labels)
    original = re.sub(rb"~(?:%s)(?:_\d+)?$" % labels, b"", path)
    moves = (notice.paths for notice in replay.notices if notice.kind in _MOVING_ASIDE)
    return original if any({path, original} <= set(paths) for paths in moves) and original != path else None


def _occupied(path: bytes, automatic: Tree, placement: Mapping[bytes, Entry | None]) -> bool:
    taken = [p for p in automatic if placement.get(p, automatic[p]) is not None]
    taken += [p for p, entry in placement.items() if entry is not None]
    return any(p == path or p.startswith(path + b"/") for p in taken)


def _kind_name(notices: Sequence[Notice]) -> str:
    names = [notice.kind.removeprefix("CONFLICT").strip(" ()") for notice in notices]
    return names[0] if names else "conflict"
