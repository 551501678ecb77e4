"""Whether a row about a merge says what the repository has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gitgoodbench.dataset.findings import Finding, Kind
from gitgoodbench.git.conflicts import read_conflicts
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.specs import MergeSpec
from gitgoodbench.workspace.scratch import ScratchRepository

FILES: Final = "other files in conflict"
CONFLICTS: Final = "other number of conflicts"


def check_merge(mirror: Git, spec: MergeSpec) -> Iterator[Finding]:
    """Compare what the row lists with the replay of the merge."""
    line = mirror.line("rev-list", "--parents", "--max-count=1", "--end-of-options", spec.merge_commit_hash)
    if sorted(line.split()[1:]) != sorted(spec.parents):
        yield Finding(Kind.SETUP, f"the parents of {spec.merge_commit_hash} are {' '.join(line.split()[1:])}")
        return
    with ScratchRepository(mirror) as scratch:
        replay = scratch.replay(*spec.parents)
        model = read_conflicts(scratch.git, replay)
    found = {path.decode("utf-8", "surrogateescape") for path in (*replay.conflicted, *model.paths)}
    listed = set(spec.files_in_merge_conflict)
    if found != listed or len(found) != spec.number_of_files_with_merge_conflict:
        parts = [f"{spec.number_of_files_with_merge_conflict} listed, {len(found)} found"]
        parts += [f"not in conflict: {path!a}" for path in sorted(listed - found)]
        parts += [f"not listed: {path!a}" for path in sorted(found - listed)]
        yield Finding(FILES, "; ".join(parts))
    if len(model.conflicts) != spec.total_number_of_merge_conflicts:
        without = len(model.conflicts) - len(model.text_conflicts)
        note = f", {without} of them without text" if without else ""
        yield Finding(CONFLICTS, f"{spec.total_number_of_merge_conflicts} listed, {len(model.conflicts)} found{note}")
