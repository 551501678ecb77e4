"""Scoring resolved conflicts: how far a tree is the true one, in the conflicts and beside them.

Everything is read from Git objects in a scratch repository, never from a checked-out file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gitgoodbench.details import FileDetail
from gitgoodbench.git.conflict_text import aligned_resolutions, split_lines
from gitgoodbench.git.conflicts import ConflictModel, PathConflict, TextConflict, conflict_paths
from gitgoodbench.git.objects import Entry, Tree, blob_sizes, changed_paths, read_blobs
from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.resolving.details import Side, bases_of, file_details
from gitgoodbench.scoring.similarity_merge import SCORES as TREE_SCORES
from gitgoodbench.scoring.similarity_merge import MergedFile, merge_similarity

MAX_BLOB_BYTES = 16 * 1024 * 1024
SCORES = ("exact_match", "normalized_match", "files_exact", "conflicts_exact", *TREE_SCORES)


@dataclass(frozen=True)
class Trees:
    """The three trees a score compares, with a reader of their files."""

    git: Git
    agent: Tree
    truth: Tree

    def contents(self, paths: Iterable[bytes], others: Iterable[str]) -> dict[str, bytes | None]:
        """Blobs of both trees at the paths, and others, by id; those over the size limit or missing are None."""
        entries = [tree.get(path) for path in paths for tree in (self.agent, self.truth)]
        oids = [*others, *(entry.oid for entry in entries if entry is not None and entry.is_file)]
        sizes = blob_sizes(self.git, oids)
        small = [oid for oid in oids if (size := sizes.get(oid)) is not None and size <= MAX_BLOB_BYTES]
        return {**dict.fromkeys(oids), **read_blobs(self.git, small)}


@dataclass(frozen=True)
class Resolved:
    """What became of the conflicts.

    solved: whether the trees are equal. markers_left: whether a marker line of a conflict still stands in its file.
    scores: a value for each of `SCORES`.
    """

    solved: bool
    markers_left: bool
    scores: Mapping[str, float | None]
    facts: Mapping[str, Json]
    files: tuple[FileDetail, ...]


def compare_resolved(trees: Trees, model: ConflictModel) -> Resolved:
    """Compare the agent's tree with the true one."""
    differing = changed_paths(trees.agent, trees.truth)
    blobs = trees.contents([*differing, *model.paths], bases_of(model))
    solved = not differing
    agent, truth = (
        Side(tree, {path: _resolved_regions(tree.get(path), model, path, blobs) for path in model.files})
        for tree in (trees.agent, trees.truth)
    )
    exact = [_is_exact(conflict, agent, truth) for conflict in model.conflicts]
    similarity = merge_similarity({path: _merged_file(trees, model, path, blobs) for path in model.paths})
    scores = {
        "exact_match": float(solved),
        "normalized_match": float(all(_same_normalized(pair, blobs) for pair in differing.values())),
        "files_exact": _share(trees.agent.get(path) == trees.truth.get(path) for path in model.paths),
        "conflicts_exact": _share(exact),
        **similarity.scores,
    }
    files = file_details(model, agent, truth, exact, similarity.conflicts, differing, blobs)
    return Resolved(solved, _leftover_markers(trees, model, blobs), scores, similarity.facts, files)


def _leftover_markers(trees: Trees, model: ConflictModel, blobs: dict[str, bytes | None]) -> bool:
    """Whether an opening or closing marker line that the conflict brought still stands in its file.

    Real merges have been committed with markers: a line that the truth keeps is not held against anyone.
    """

    def lines(tree: Tree, path: bytes) -> set[bytes]:
        entry = tree.get(path)
        content = blobs.get(entry.oid) if entry is not None else None
        return {line.rstrip(b"\r\n") for line in split_lines(content or b"")}

    for path, file in model.files.items():
        brought = {line.rstrip(b"\r\n") for region in file.regions for line in (region.opening, region.closing)}
        if brought & lines(trees.agent, path) - lines(trees.truth, path):
            return True
    return False


def _same_normalized(pair: tuple[Entry | None, Entry | None], blobs: dict[str, bytes | None]) -> bool:
    """Whether two entries are files of the same mode and text, line ends, trailing blanks and final newline aside."""
    agent, truth = pair
    if agent is None or truth is None or agent.mode != truth.mode:
        return False
    written, real = blobs.get(agent.oid), blobs.get(truth.oid)
    return written is not None and real is not None and _normalized(written) == _normalized(real)


def _normalized(content: bytes) -> bytes:
    return b"\n".join(line.rstrip(b" \t\r\n") for line in split_lines(content)).rstrip(b"\n")


def _is_exact(conflict: TextConflict | PathConflict, agent: Side, truth: Side) -> bool:
    """Whether a conflict is resolved as in the truth."""
    if isinstance(conflict, TextConflict):
        written, real = agent.resolved[conflict.path], truth.resolved[conflict.path]
        if written is None or real is None:  # there is no file, or one that is not read
            return agent.tree.get(conflict.path) == truth.tree.get(conflict.path)
        return written[conflict.position] == real[conflict.position]
    paths = {*conflict_paths(conflict), *(path for placed in conflict.placements.values() for path in placed)}
    return all(_like(path, agent, truth) for path in paths)


def _like(path: bytes, agent: Side, truth: Side) -> bool:
    """Whether the path's fate is as in the truth; the text of a file with regions is its own conflicts' matter."""
    written, real = agent.tree.get(path), truth.tree.get(path)
    if path in agent.resolved and agent.resolved[path] is not None and truth.resolved[path] is not None:
        return written is not None and real is not None and written.mode == real.mode
    return written == real


def _merged_file(trees: Trees, model: ConflictModel, path: bytes, blobs: dict[str, bytes | None]) -> MergedFile:
    written, real = trees.agent.get(path), trees.truth.get(path)
    agent, truth = (blobs.get(entry.oid) if entry is not None and entry.is_file else None for entry in (written, real))
    segments = model.files[path].segments if path in model.files else ()
    return MergedFile(agent, truth, segments, written == real, truth_is_read=real is None or truth is not None)


def _resolved_regions(
    entry: Entry | None, model: ConflictModel, path: bytes, blobs: dict[str, bytes | None]
) -> list[bytes] | None:
    content = blobs.get(entry.oid) if entry is not None else None
    return None if content is None else aligned_resolutions(model.files[path].segments, content)


def _share(marks: Iterable[bool]) -> float | None:
    listed = list(marks)
    return sum(listed) / len(listed) if listed else None
