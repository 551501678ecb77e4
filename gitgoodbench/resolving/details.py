"""What a result tells of conflicts beyond its scores: both texts of every one, and what was exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gitgoodbench.details import ConflictDetail, ConflictSides, FileDetail, readable
from gitgoodbench.git.attainable import Blobs, solve
from gitgoodbench.git.conflict_text import aligned_resolutions
from gitgoodbench.git.conflicts import (
    Conflict,
    ConflictedFile,
    ConflictModel,
    PathConflict,
    TextConflict,
    conflict_paths,
)
from gitgoodbench.git.objects import Entry, Tree
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.replay import Stages
from gitgoodbench.scoring.two_way import Compared

Resolved = Mapping[bytes, Sequence[bytes] | None]
"""What stands in place of a file's conflicts, by path; None where there is no file, or one that is not read."""


@dataclass(frozen=True)
class Side:
    """The agent's version of the files, or the true one."""

    tree: Tree
    resolved: Resolved


def file_details(
    model: ConflictModel,
    agent: Side,
    truth: Side,
    exact: Sequence[bool],
    compared: Mapping[bytes, Sequence[tuple[int, Compared]]],
    others: Iterable[bytes],
    blobs: Blobs,
) -> tuple[FileDetail, ...]:
    """The files in conflict, in the order of their conflicts, then others of which something is to be told.

    Args:
        exact: for each conflict of the model. compared: see `MergeSimilarity.conflicts`. others: paths whose entries
            are not the same on both sides. blobs: contents, at least of the true files in conflict and of their stages.
    """
    beyond = solve(model, truth.tree, blobs).beyond
    by_path: dict[bytes, list[ConflictDetail]] = {path: [] for path in [*model.paths, *sorted({*others, *beyond})]}
    found = [_compared(conflict, model, compared) for conflict in model.conflicts]
    bases = {path: _base(file, blobs) for path, file in model.files.items()}
    uses = Counter(unit for unit, _ in filter(None, found))
    for number, (conflict, is_exact, comparison) in enumerate(zip(model.conflicts, exact, found, strict=True), start=1):
        unit, figures = comparison or (None, None)
        detail = ConflictDetail(
            number=number,
            kind="text" if isinstance(conflict, TextConflict) else conflict.kind,
            exact=is_exact,
            similarity=None if figures is None else figures.similarity,
            precision=None if figures is None else figures.precision,
            recall=None if figures is None else figures.recall,
            together=unit if unit is not None and uses[unit] > 1 else None,
            agent_text=_text(conflict, agent),
            truth_text=_text(conflict, truth),
            sides=_sides(conflict, model, bases),
        )
        for path in conflict_paths(conflict)[:1]:
            by_path[path].append(detail)
    return tuple(
        FileDetail(
            path=show_path(path),
            exact=agent.tree.get(path) == truth.tree.get(path),
            conflicts=tuple(conflicts),
            out_of_reach=path in beyond,
        )
        for path, conflicts in by_path.items()
    )


def _compared(
    conflict: Conflict, model: ConflictModel, compared: Mapping[bytes, Sequence[tuple[int, Compared]]]
) -> tuple[int, Compared] | None:
    """The comparison that a conflict is in. Whole files are compared for a conflict without text."""
    if isinstance(conflict, TextConflict):
        return compared[conflict.path][conflict.position] if conflict.path in compared else None
    whole = [compared[path][0] for path in conflict.paths if path in compared and path not in model.files]
    return (whole[0][0], sum((figures for _, figures in whole), Compared())) if whole else None


def _text(conflict: Conflict, side: Side) -> str | None:
    if isinstance(conflict, PathConflict):
        return _entries(conflict, side.tree)
    resolved = side.resolved[conflict.path]
    return None if resolved is None else readable(resolved[conflict.position])


def bases_of(model: ConflictModel) -> list[str]:
    """Ids of the common ancestors' files, of which `file_details` shows parts."""
    return [file.stages.base.oid for file in model.files.values() if file.stages.base is not None]


def _base(file: ConflictedFile, blobs: Blobs) -> list[bytes] | None:
    """What stands in the ancestor's file in place of each conflict; None where there is no file, or it is not read."""
    content = None if file.stages.base is None else blobs.get(file.stages.base.oid)
    return None if content is None else aligned_resolutions(file.segments, content)


def _sides(conflict: Conflict, model: ConflictModel, bases: Mapping[bytes, list[bytes] | None]) -> ConflictSides:
    if isinstance(conflict, PathConflict):
        stages = model.replay.conflicted
        return ConflictSides(
            base=_entries(conflict, _stage(stages, "base")),
            ours=_entries(conflict, _stage(stages, "local")),
            theirs=_entries(conflict, _stage(stages, "incoming")),
        )
    region, base = model.region(conflict), bases[conflict.path]
    return ConflictSides(
        base=None if base is None else readable(base[conflict.position]),
        ours=readable(region.local),
        theirs=readable(region.incoming),
    )


def _stage(conflicted: Mapping[bytes, Stages], name: str) -> dict[bytes, Entry]:
    return {path: entry for path, stages in conflicted.items() if (entry := getattr(stages, name)) is not None}


def _entries(conflict: PathConflict, tree: Tree) -> str:
    """What a tree has at the paths that a conflict without text is about."""
    placed = (path for placement in conflict.placements.values() for path in placement)
    paths = dict.fromkeys([*conflict.paths, *placed])
    return "".join(f"{show_path(path)}: {_entry(tree.get(path))}\n" for path in paths)


def _entry(entry: Entry | None) -> str:
    return "nothing" if entry is None else f"{entry.mode} {entry.oid}"
