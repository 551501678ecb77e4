"""What an agent left in a task's environment, as files that are collected there, and as an outcome."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gitgoodbench.errors import AgentFailed
from gitgoodbench.git.paths import show_path
from gitgoodbench.jsontypes import Json
from gitgoodbench.workspace.outcome import HEADS, STATUS_LIMIT, Outcome, names_a_head, read_status
from gitgoodbench.workspace.scratch import MAX_BUNDLE_BYTES

COLLECTED: Final = "/logs/artifacts/outcome"
"""The folder in the environment that is an artifact of the trial."""

_LISTED_PATHS: Final = 50
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def collecting(workspace: str, begun_with: Sequence[str], episode: str) -> str:
    """The shell command that collects it: HEAD, the status, what is under way, and a bundle of what is new."""
    known = shlex.join(begun_with)
    parts = [
        f"cd {shlex.quote(workspace)}",
        f"d={COLLECTED}",
        'rm -rf "$d"',
        'mkdir -p "$d"',
        f'echo {shlex.quote(episode)} > "$d/episode"',
        'git rev-parse --verify --quiet "HEAD^{commit}" > "$d/head"',
        'git status --porcelain=v2 -z --untracked-files=all > "$d/status" || rm -f "$d/status"',
        f'printf %s {shlex.quote(HEADS.decode())} | git cat-file --batch-check > "$d/heads"',
        'if test -e .git/rebase-merge || test -e .git/rebase-apply; then touch "$d/rebasing"; fi',
        f'git bundle create --quiet "$d/bundle" HEAD --not {known} -- 2> "$d/refused"',
        "true",
    ]
    return "; ".join(parts)


def collected_outcome(folder: Path, *, within: Path) -> Outcome:
    """The outcome in collected files, which are hostile.

    Args:
        within: the folder is inside of it, and no link that leads elsewhere.

    Raises:
        AgentFailed: they are larger than they may be, or elsewhere.
    """
    if not folder.resolve().is_relative_to(within.resolve()):
        raise AgentFailed("the outcome is a link that leads out of its folder")
    head = _read(folder / "head", 1024).decode("ascii", "replace").strip()
    if not _COMMIT.fullmatch(head):
        return Outcome(None, None, problem="HEAD names no commit")
    state: dict[str, Json] = {"uncommitted": None, "unmerged": None}
    if (folder / "status").is_file():
        uncommitted, unmerged = read_status(_read(folder / "status", STATUS_LIMIT))
        state["uncommitted"] = [show_path(path) for path in uncommitted[:_LISTED_PATHS]]
        state["unmerged"] = [show_path(path) for path in unmerged[:_LISTED_PATHS]]
    state["merge_in_progress"] = names_a_head(_read(folder / "heads", 1024))
    state["rebase_in_progress"] = (folder / "rebasing").exists()
    state["finished"] = True
    bundle = _read(folder / "bundle", MAX_BUNDLE_BYTES)
    return Outcome(head, bundle or None, state)


def _read(path: Path, limit: int) -> bytes:
    if path.is_symlink() or not path.is_file():
        return b""
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise AgentFailed(f"{path.name} has more than {limit} bytes")
    return data
