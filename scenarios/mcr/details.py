"""What a merge's result tells beyond its scores: both texts of every conflict, and what was exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gitgoodbench.details import ConflictDetail, FileDetail, readable
from gitgoodbench.git.conflicts import Conflict, ConflictModel, PathConflict, TextConflict, conflict_paths
from gitgoodbench.git.objects import Tree
from gitgoodbench.git.paths import show_path
from gitgoodbench.sample_types.specs import MergeSpec
from gitgoodbench.scoring.two_way import Compared

Resolved = Mapping[bytes, Sequence[bytes] | None]
"""What stands in place of a file's conflicts, by path; None where there is no file, or one that is not read."""


@dataclass(frozen=True)
class Side:
    """The agent's version of the files, or the true one."""

    tree: Tree
    resolved: Resolved


def ids_of(spec: MergeSpec) -> dict[str, str | tuple[str, ...] | None]:
    return {"merge": spec.merge_commit_hash, "parents": spec.parents}


def file_details(
    model: ConflictModel,
    agent: Side,
    truth: Side,
    exact: Sequence[bool],
    compared: Mapping[bytes, Sequence[tuple[int, Compared]]],
    differing: Iterable[bytes],
) -> tuple[FileDetail, ...]:
    """The files in conflict, in the order of their conflicts, then others that differ.

    Args:
        exact: for each conflict of the model. compared: see `MergeSimilarity.conflicts`. differing: paths whose entries
            are not the same on both sides.
    """
    by_path: dict[bytes, list[ConflictDetail]] = {path: [] for path in [*model.paths, *sorted(differing)]}
    found = [_compared(conflict, model, compared) for conflict in model.conflicts]
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
        )
        for path in conflict_paths(conflict)[:1]:
            by_path[path].append(detail)
    return tuple(
        FileDetail(path=show_path(path), exact=agent.tree.get(path) == truth.tree.get(path), conflicts=tuple(conflicts))
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
        return "".join(f"{show_path(path)}: {_entry(path, side.tree)}\n" for path in _concerned(conflict))
    resolved = side.resolved[conflict.path]
    return None if resolved is None else readable(resolved[conflict.position])


def _concerned(conflict: PathConflict) -> list[bytes]:
    placed = (path for placement in conflict.placements.values() for path in placement)
    return list(dict.fromkeys([*conflict.paths, *placed]))


def _entry(path: bytes, tree: Tree) -> str:
    entry = tree.get(path)
    return "nothing" if entry is None else f"{entry.mode} {entry.oid}"
