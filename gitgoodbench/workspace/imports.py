"""Import an outcome into the repository in which it is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitgoodbench.limits import LimitExceeded, current
from gitgoodbench.workspace.outcome import Outcome
from gitgoodbench.workspace.scratch import BundleError, ScratchRepository


@dataclass(frozen=True)
class ImportedOutcome:
    """head: the commit that the agent's HEAD named, where it came whole; None otherwise, and `problem` says why."""

    head: str | None
    problem: str | None = None


def import_outcome(
    scratch: ScratchRepository, outcome: Outcome, begun_with: Sequence[str], *, truth: Sequence[str] = ()
) -> ImportedOutcome:
    """Import an outcome into the scratch repository in which it is scored.

    Args:
        begun_with: the commits that the workspace began with. All else must have come with the outcome.
        truth: the real commits. Their objects may have the flaws of old history, as those below `begun_with` may.

    Raises:
        LimitExceeded: it takes more than this process may take.
    """
    if outcome.problem is not None or outcome.head is None:
        return ImportedOutcome(None, outcome.problem or "HEAD names no commit")
    try:
        return _imported(scratch, outcome.head, outcome.bundle, begun_with, truth)
    except BundleError as refused:
        return ImportedOutcome(None, str(refused))
    except LimitExceeded as problem:
        if current() is not None:  # whose fault it is, is found out elsewhere
            raise
        return ImportedOutcome(None, str(problem))


def _imported(
    scratch: ScratchRepository, head: str, bundle: bytes | None, begun_with: Sequence[str], truth: Sequence[str]
) -> ImportedOutcome:
    if bundle is not None:
        scratch.import_bundle(bundle, (*begun_with, *truth))
    if not scratch.has_commit(head):
        return ImportedOutcome(None, f"the bundle lacks the commit {head} that HEAD named")
    scratch.verify_complete(head, begun_with)
    return ImportedOutcome(head)
