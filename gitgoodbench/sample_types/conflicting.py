"""What mining says of a replay that conflicts, whatever commits it is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from gitgoodbench.git.attainable import solve, truth_blobs_needed
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.conflicts import ConflictModel, PathConflict, ReadBlobs, conflict_paths, find_conflicts
from gitgoodbench.git.objects import FOLDER, Entry, Tree
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.replay import Replay, Stages
from gitgoodbench.mining.sketches import digest_of, sketches_of

_PLAIN_NAMES = {"contents": "content", "directory rename suggested": "file location"}
"""Names of conflict kinds as Git's messages have them, where its machine-readable ones differ."""


class ConflictedFile(BaseModel):
    """A file in conflict. path: as `git.paths.show_path` shows it. kinds, regions: as in `MergedFile`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    path: str
    kinds: tuple[str, ...]
    regions: int


@dataclass(frozen=True, slots=True)
class MergedFile:
    """A path in conflict. `regions`: how many stretches of lines conflict; 0 where there is no text to show.

    stages: where two commits have several merge bases, the base is a file that Git merged from theirs; its id depends
        on the length of conflict markers in it and names no object of the repository.
    kinds: content, add/add, modify/delete, rename/delete, rename/rename, file location, file/directory, binary,
        symbolic link, submodule, mode, ... : those that concern the path, in order.
    """

    path: bytes
    stages: Stages
    kinds: tuple[str, ...]
    regions: int

    @property
    def column(self) -> ConflictedFile:
        return ConflictedFile(path=show_path(self.path), kinds=self.kinds, regions=self.regions)


@dataclass(frozen=True)
class Conflicts:
    """The conflicts of a replay, compared with its real outcome.

    files: paths in conflict, sorted. A few kinds of directory renames conflict without naming any.
    attainable: whether the real outcome differs from the automatic one only inside the conflicts.
    sketches, content: of the regions, each with the lines of both sides (see `sketches`).
    truth: of the real outcome's tree, what was compared.
    """

    model: ConflictModel
    truth: Tree
    files: tuple[MergedFile, ...]
    attainable: bool
    sketches: tuple[str, ...]
    content: str | None


def compare_conflicts(replay: Replay, read: ReadBlobs, automatic: Tree, truth: Tree) -> Conflicts:
    """The conflicts. Of the trees only what is in conflict or differs is looked at."""
    model = find_conflicts(replay, automatic, read)
    solution = solve(model, truth, read(truth_blobs_needed(model, truth)))
    paths = sorted({*replay.conflicted, *model.paths})
    texts = [
        region.local + b"\n" + region.incoming for path in sorted(model.files) for region in model.files[path].regions
    ]
    files = tuple(_file(path, model) for path in paths)
    return Conflicts(model, truth, files, solution.attainable, sketches_of(texts), digest_of(texts))


def trees_in_question(reader: ObjectReader, replay: Replay, truth: str) -> tuple[Tree, Tree]:
    """Of the automatic and of the true tree: what differs, and what is in conflict.

    Raises:
        MissingObjectError: a folder is missing.
    """
    differing = reader.differences(replay.tree, truth)
    same = {path: reader.entry(truth, path) for path in replay.conflicted.keys() - differing.keys()}
    automatic = {path: old for path, (old, _) in differing.items()} | same
    real = {path: new for path, (_, new) in differing.items()} | same
    return _present(automatic), _present(real)


def reading_once(reader: ObjectReader) -> ReadBlobs:
    """Reads contents, and keeps them: the same are asked for again and again."""
    known: dict[str, bytes] = {}

    def read(oids: Iterable[str]) -> dict[str, bytes]:
        wanted = list(oids)
        known.update(reader.blobs(oid for oid in wanted if oid not in known))
        return {oid: known[oid] for oid in wanted}

    return read


def _present(tree: Mapping[bytes, Entry | None]) -> Tree:
    """The files of a tree, without places where there is none."""
    return {path: entry for path, entry in tree.items() if entry is not None and entry.mode != FOLDER}


def _file(path: bytes, model: ConflictModel) -> MergedFile:
    stages = model.replay.conflicted.get(path, Stages())
    regions = len(model.files[path].regions) if path in model.files else 0
    kinds = ["add/add" if stages.base is None else "content"] if regions else []
    for conflict in model.conflicts:
        if isinstance(conflict, PathConflict) and path in conflict_paths(conflict):
            named = [conflict.kind, *(notice.kind for notice in conflict.notices if path in notice.paths)]
            kinds += [kind for kind in map(_plain, named) if kind != "content"]
    return MergedFile(path, stages, tuple(dict.fromkeys(kinds)), regions)


def _plain(kind: str) -> str:
    name = kind.removeprefix("CONFLICT").strip(" ()")
    return _PLAIN_NAMES.get(name, name)
