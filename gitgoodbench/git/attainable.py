"""Whether a real merge can be reached by resolving conflicts alone, and with which answers.

Many real merges also change lines outside their conflicts. Whoever may only settle conflicts cannot match those,
however well they do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gitgoodbench.git.conflict_text import aligned_resolutions, expressible, resolutions
from gitgoodbench.git.conflicts import Choice, ConflictModel, PathConflict
from gitgoodbench.git.objects import Entry, Tree

Blobs = Mapping[str, bytes | None]


@dataclass(frozen=True)
class Solution:
    """An answer for every conflict of a model, in order: bytes for a text conflict, a choice for a path conflict.

    attainable: with these answers the merge is exactly the truth; otherwise they are as near as answers to conflicts
    get. beyond: paths at which no answers give what the truth has.
    """

    attainable: bool
    answers: tuple[bytes | Choice, ...]
    beyond: frozenset[bytes] = field(default=frozenset(), compare=False)


def truth_blobs_needed(model: ConflictModel, truth: Tree) -> list[str]:
    """Ids of the truth's blobs that `solve` reads."""
    return [truth[path].oid for path in model.files if path in truth and truth[path].is_file]


def solve(model: ConflictModel, truth: Tree, blobs: Blobs) -> Solution:
    """Answers that make the merge the `truth`, where there are any.

    Args:
        truth: the tree of the real merge.
        blobs: its contents, at least of `truth_blobs_needed`.
    """
    reached = {path: _file_answers(model, path, truth, blobs) for path in model.files}
    exact = {path for path, (is_exact, _) in reached.items() if is_exact}
    answers: list[bytes | Choice] = []
    settled: dict[bytes, bool] = {}
    beyond: set[bytes] = set()
    for conflict in model.conflicts:
        if isinstance(conflict, PathConflict):
            choice, fits = _best_choice(conflict, model, truth, exact)
            answers.append(choice)
            settled.update(fits)
        else:
            answers.append(reached[conflict.path][1][conflict.position])
            settled.setdefault(
                conflict.path, _fits(conflict.path, model.files[conflict.path].entry, model, truth, exact)
            )
    untouched = (model.automatic.keys() | truth.keys()) - settled.keys()
    beyond = {path for path in untouched if model.automatic.get(path) != truth.get(path)}
    beyond |= {path for path, is_reached in settled.items() if not is_reached}
    return Solution(not beyond, tuple(answers), frozenset(beyond))


def _file_answers(model: ConflictModel, path: bytes, truth: Tree, blobs: Blobs) -> tuple[bool, list[bytes]]:
    """Resolutions of the file's regions, and whether they give exactly the truth's content."""
    file = model.files[path]
    entry = truth.get(path)
    final = blobs.get(entry.oid) if entry is not None and entry.is_file else None
    if final is None:
        return False, [region.local for region in file.regions]
    exact = resolutions(file.segments, final)
    if exact is None:
        return False, aligned_resolutions(file.segments, final)
    fits = all(
        expressible(content, region, at_end=file.ends_in_region(position))
        for position, (content, region) in enumerate(zip(exact, file.regions, strict=True))
    )
    return fits, exact


def _best_choice(
    conflict: PathConflict, model: ConflictModel, truth: Tree, exact: set[bytes]
) -> tuple[Choice, dict[bytes, bool]]:
    """The choice under which most of the conflict's paths are as in the truth, and which of them are."""

    def fitting(choice: Choice) -> dict[bytes, bool]:
        placement = conflict.placements[choice]
        paths = dict.fromkeys((*conflict.paths, *placement))
        return {
            path: _fits(path, placement.get(path, model.automatic.get(path)), model, truth, exact) for path in paths
        }

    found = {choice: fitting(choice) for choice in Choice}
    best = max(Choice, key=lambda choice: (all(found[choice].values()), sum(found[choice].values())))
    return best, found[best]


def _fits(path: bytes, entry: Entry | None, model: ConflictModel, truth: Tree, exact: set[bytes]) -> bool:
    """Whether the truth has this entry at the path, or one that the answers to the file's regions turn it into."""
    real = truth.get(path)
    if path in model.files and entry is not None and real is not None:
        return path in exact and real.mode == entry.mode
    return real == entry
