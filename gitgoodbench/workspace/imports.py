"""Import an outcome into the repository in which it is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitgoodbench.workspace.outcome import Outcome
from gitgoodbench.workspace.scratch import BundleError, ScratchRepository


@dataclass(frozen=True)
class ImportedOutcome:
    """head: the commit that the agent's HEAD named, where it came whole; None otherwise, and `problem` says why."""

    head: str | None
    problem: str | None = None


def import_outcome(scratch: ScratchRepository, outcome: Outcome, begun_with: Sequence[str]) -> ImportedOutcome:
    """Import an outcome into the scratch repository in which it is scored.

    Args:
        begun_with: the commits that the workspace began with. All else must have come with the outcome.
    """
    problem, head = outcome.problem, outcome.head
    if outcome.bundle is not None:
        try:
            scratch.import_bundle(outcome.bundle)
        except BundleError as refused:
            problem = str(refused)
    if problem is not None or head is None:
        return ImportedOutcome(None, problem or "HEAD names no commit")
    if scratch.git.execute("cat-file", "-e", f"{head}^{{commit}}").returncode != 0:
        return ImportedOutcome(None, f"the bundle lacks the commit {head} that HEAD named")
    try:
        scratch.verify_complete(head, begun_with)
    except BundleError as taken:
        return ImportedOutcome(None, str(taken))
    return ImportedOutcome(head)
