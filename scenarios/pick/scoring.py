"""Scoring a pick: solved is an exact match of trees; gates and graded scores stand beside it."""

from __future__ import annotations

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.conflicts import read_conflicts
from gitgoodbench.git.objects import read_hostile_tree, read_tree
from gitgoodbench.git.process import GitError
from gitgoodbench.resolving.scoring import SCORES as RESOLVED_SCORES
from gitgoodbench.resolving.scoring import Trees, compare_resolved
from gitgoodbench.sample_types.specs import CherryPickSpec
from gitgoodbench.scenario import Details, Json, Outcome, Prediction, Verdict
from gitgoodbench.scoring.differences import diff_between, tree_ids
from gitgoodbench.workspace.imports import import_outcome
from gitgoodbench.workspace.outcome import outcome_of
from gitgoodbench.workspace.predicted import Begun, chain_outcome
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import RepositoryStore

from .episode import OpenedPick, open_pick
from .port import SCORES as PORT_SCORES
from .port import port_scores

GATES = ("one_commit", "nothing_in_progress", "clean", "nothing_unmerged", "no_leftover_markers")
SCORES = (*RESOLVED_SCORES, *PORT_SCORES)


def score_pick(sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
    """Compare what the agent committed with the real commit."""
    opened = open_pick(sample, store)
    spec = opened.spec
    with ScratchRepository(opened.mirror) as scratch:
        imported = import_outcome(scratch, outcome, opened.begun_with, truth=[spec.result_commit])
        if imported.head is None:
            return _unsolved(outcome, imported.problem, spec)
        (head,) = read_commits(scratch.git, [imported.head])
        if head.parents != (spec.onto,):
            return _unsolved(outcome, None, spec)
        try:
            final = read_hostile_tree(scratch.git, imported.head)
        except GitError as broken:
            return _unsolved(outcome, f"the tree of {imported.head} cannot be read: {broken}", spec)
        return _verdict(
            Trees(scratch.git, final, read_tree(opened.mirror, spec.result_commit)), opened, outcome, scratch
        )


def _verdict(trees: Trees, opened: OpenedPick, outcome: Outcome, scratch: ScratchRepository) -> Verdict:
    spec, head = opened.spec, outcome.head
    assert head is not None
    model = read_conflicts(scratch.git, scratch.replay_pick(spec.onto, opened.picked))
    found = compare_resolved(trees, model)
    port = port_scores(scratch.git, spec.onto, head, spec.result_commit, model.replay.tree)
    gates = _gates(outcome, one_commit=True, no_markers=not found.markers_left)
    details = Details(
        ids=_ids_of(spec),
        trees=tree_ids(trees.git, head, spec.result_commit),
        files=found.files,
        diff="" if found.solved else diff_between(trees.git, head, spec.result_commit),
    )
    scores, facts = {**found.scores, **port.scores}, {**found.facts, **port.facts}
    return Verdict(found.solved, found.solved, gates, scores, facts, details=details)


def truth(sample: Sample, store: RepositoryStore) -> Outcome:
    """The real commit as an outcome."""
    opened = open_pick(sample, store)
    return outcome_of(opened.mirror, opened.spec.result_commit, opened.begun_with)


def predicted(sample: Sample, store: RepositoryStore, prediction: Prediction) -> Outcome:
    """A predicted commit as an outcome; a patch is against `onto`."""
    opened = open_pick(sample, store)
    at_work: dict[str, Json] = {"uncommitted": None, "unmerged": None, "merge_in_progress": True}
    begun = Begun(opened.begun_with, opened.spec.onto, at_work, {})
    return chain_outcome(opened.mirror, begun, opened.spec.onto, prediction)


def _ids_of(spec: CherryPickSpec) -> dict[str, str | tuple[str, ...] | None]:
    return {"result": spec.result_commit, "picked": spec.picked_commit, "onto": spec.onto}


def _unsolved(outcome: Outcome, problem: str | None, spec: CherryPickSpec) -> Verdict:
    """Nothing was committed that is one commit on `onto`: nothing is resolved."""
    gates = _gates(outcome, one_commit=False, no_markers=False)
    details = Details(ids=_ids_of(spec))
    return Verdict(False, False, gates, dict.fromkeys(SCORES, 0.0), problem=problem, details=details)


def _gates(outcome: Outcome, *, one_commit: bool, no_markers: bool) -> dict[str, bool]:
    state = outcome.state
    met = (
        one_commit,
        not state.get("merge_in_progress"),
        state.get("uncommitted") == [],
        state.get("unmerged") == [],
        no_markers,
    )
    return dict(zip(GATES, met, strict=True))
