"""How commits and plans are shown to an agent."""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.git.histories import CommitView
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.rebase import RebaseConflict, RebasedChain
from gitgoodbench.git.rebase_plan import Group, Step
from gitgoodbench.git.text import encoding_of, to_text


def subject_of(message: bytes) -> str:
    """The first line that is not blank."""
    lines = (line.strip() for line in message.split(b"\n"))
    first = next((line for line in lines if line), b"")
    return show_text(first) if first else "(no message)"


def show_text(content: bytes) -> str:
    return to_text(content, encoding_of(content))


def show_commit(views: Sequence[CommitView], index: int) -> str:
    """One commit in full, with its index."""
    view = views[index]
    cut = "\n[... message or changes go on, too long to be shown ...]" if view.truncated else ""
    message = show_text(view.message).strip("\n") or "(no message)"
    patch = show_text(view.patch).rstrip("\n") or "(it changes nothing)"
    heading = f"Commit {index} (of {len(views)}, numbered from 0, oldest first)"
    return f"{heading}\nMessage:\n{message}\n\nChanges:\n{patch}{cut}"


def show_plan(steps: Sequence[Step], views: Sequence[CommitView]) -> str:
    """The plan, a line a commit; messages that it brings stand below theirs."""
    lines = [f"{'commit':>6}  {'command':<9} subject"]
    for step in steps:
        lines.append(f"{step.commit:>6}  {step.command:<9} {subject_of(views[step.commit].message)}")
        if step.message is not None:
            lines += [f"          | {line}" for line in show_text(step.message).strip("\n").split("\n")]
    return "\n".join(lines)


def show_conflict(conflict: RebaseConflict, views: Sequence[CommitView]) -> str:
    """Which commit does not fit, and where."""
    commit = conflict.step.commit
    lines = [
        f'commit {commit} ("{subject_of(views[commit].message)}") conflicts where the plan puts it, '
        f"in {', '.join(show_path(path) for path in conflict.paths)}."
    ]
    reasons = (reason.decode("utf-8", "replace").replace("\n", "\\n") for reason in conflict.reasons)
    lines += [f"- {reason}" for reason in reasons]
    return "\n".join(lines)


def show_rebased(rebased: RebasedChain, views: Sequence[CommitView], *, unchanged: bool) -> str:
    """What a plan makes of the chain. unchanged: whether the contents in the end are what they were."""
    made = len(rebased.commits)
    lines = [f"{len(views)} commit{_s(len(views))} became {made}:"]
    for new in rebased.commits:
        lines.append(f"- {subject_of(new.message)} (from {_origins(new.group)})")
    lines += [f"Left out, since nothing would change: {_origins(group)}." for group in rebased.left_out]
    if not unchanged:
        lines.append("The contents in the end differ from what they were.")
    return "\n".join(lines)


def _origins(group: Group) -> str:
    numbers = [str(step.commit) for step in group]
    return f"commit{_s(len(numbers))} {', '.join(numbers)}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
