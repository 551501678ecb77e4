"""Scoring a merge: solved is an exact match of trees; gates and graded scores stand beside it.

Everything is read from Git objects in a scratch repository, never from a checked-out file.
"""

from __future__ import annotations

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.conflicts import ConflictModel, read_conflicts
from gitgoodbench.git.objects import read_hostile_tree, read_tree
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.resolving.scoring import SCORES, Trees, compare_resolved
from gitgoodbench.sample_types.specs import MergeSpec, merge_spec
from gitgoodbench.scenario import Details, Json, Outcome, Prediction, Verdict
from gitgoodbench.scoring.differences import diff_between, tree_ids
from gitgoodbench.workspace.imports import import_outcome
from gitgoodbench.workspace.outcome import outcome_of
from gitgoodbench.workspace.predicted import Begun, merge_outcome
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import RepositoryStore

from .episode import check_parents

GATES = ("committed", "clean", "nothing_unmerged", "no_leftover_markers")


def score_merge(sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
    """Compare what the agent committed with the real merge (published metric: `git diff` against it is empty)."""
    spec = merge_spec(sample)
    mirror = store.mirror(sample.name, [spec.merge_commit_hash, *spec.parents]).borrow()
    check_parents(mirror, spec)
    with ScratchRepository(mirror) as scratch:
        imported = import_outcome(scratch, outcome, spec.parents, truth=[spec.merge_commit_hash])
        if imported.head is None:
            return _unsolved(outcome, imported.problem, spec)
        if not _holds_both(scratch.git, imported.head, spec.parents):
            return _unsolved(outcome, None, spec)
        try:
            final = read_hostile_tree(scratch.git, imported.head)
        except GitError as broken:
            return _unsolved(outcome, f"the tree of {imported.head} cannot be read: {broken}", spec)
        trees = Trees(scratch.git, final, read_tree(mirror, spec.merge_commit_hash))
        model = read_conflicts(scratch.git, scratch.replay(*spec.parents))
        return _verdict(trees, model, outcome, imported.head, spec)


def truth(sample: Sample, store: RepositoryStore) -> Outcome:
    """The real merge as an outcome."""
    spec = merge_spec(sample)
    mirror = store.mirror(sample.name, [spec.merge_commit_hash, *spec.parents]).borrow()
    return outcome_of(mirror, spec.merge_commit_hash, spec.parents)


def predicted(sample: Sample, store: RepositoryStore, prediction: Prediction) -> Outcome:
    """A predicted merge as an outcome; a patch is against the local parent."""
    spec = merge_spec(sample)
    mirror = store.mirror(sample.name, [spec.merge_commit_hash, *spec.parents]).borrow()
    check_parents(mirror, spec)
    at_work: dict[str, Json] = {"uncommitted": None, "unmerged": None, "merge_in_progress": True}
    return merge_outcome(mirror, Begun(spec.parents, spec.parents[0], at_work, {}), prediction)


def _verdict(trees: Trees, model: ConflictModel, outcome: Outcome, head: str, spec: MergeSpec) -> Verdict:
    found = compare_resolved(trees, model)
    gates = _gates(outcome, committed=True, no_markers=not found.markers_left)
    details = Details(
        ids=_ids_of(spec),
        trees=tree_ids(trees.git, head, spec.merge_commit_hash),
        files=found.files,
        diff="" if found.solved else diff_between(trees.git, head, spec.merge_commit_hash),
    )
    return Verdict(found.solved, found.solved, gates, found.scores, found.facts, details=details)


def _ids_of(spec: MergeSpec) -> dict[str, str | tuple[str, ...] | None]:
    return {"merge": spec.merge_commit_hash, "parents": spec.parents}


def _unsolved(outcome: Outcome, problem: str | None, spec: MergeSpec) -> Verdict:
    """Nothing was committed that holds both sides: nothing is resolved."""
    scores = dict.fromkeys(SCORES, 0.0)
    gates = _gates(outcome, committed=False, no_markers=False)
    return Verdict(False, False, gates, scores, problem=problem, details=Details(ids=_ids_of(spec)))


def _gates(outcome: Outcome, *, committed: bool, no_markers: bool) -> dict[str, bool]:
    state = outcome.state
    clean = state.get("uncommitted") == [] and not state.get("merge_in_progress")
    return dict(zip(GATES, (committed, clean, state.get("unmerged") == [], no_markers), strict=True))


def _holds_both(git: Git, head: str, parents: tuple[str, str]) -> bool:
    """Whether the commit descends from both sides, and is neither of them."""
    if head in parents:
        return False
    listed = git.execute("rev-list", "--parents", "--max-count=1", "--end-of-options", head).stdout.decode().split()
    return set(parents) <= set(listed[1:]) or all(
        git.execute("merge-base", "--is-ancestor", parent, head).returncode == 0 for parent in parents
    )
