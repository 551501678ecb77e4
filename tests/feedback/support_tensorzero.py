"""Results of commits whose edits are inferences of a TensorZero gateway, and a place that names the gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.records import Commit, CommitResult, EditResult, Key, MatchedPiece

COMMIT = "c" * 40


def place_of(url: str, folder: Path, **options: str) -> Place:
    """A place whose sink has this gateway."""
    return Place((folder,), folder / ".git", folder, options={"url": url, **options})


def scored(inference: str, part: int = 0, **values: Any) -> EditResult:
    """The result of one edit of an inference: half of ten nodes are kept, unless told otherwise."""
    known: dict[str, Any] = {
        "commit": COMMIT,
        "path": "src/a.py",
        "language": "python",
        "model": "m",
        "reward": 0.5,
        "kept": 0.4,
        "normalised": 0.6,
        "size": 10,
        "measure": "tree",
        "message": inference,
    }
    source = values.pop("source", "tensorzero")
    state = values.pop("state", "scored")
    return EditResult(Key(source, "episode", f"{inference}:{part}"), state, **(known | values))


def piece(snippet: str, committed: str, size: int = 10, distance: int = 5) -> MatchedPiece:
    """A snippet and what it became."""
    return MatchedPiece(snippet.encode(), committed.encode(), "src/a.py", 1, size, distance, "tree")


def result_of(*edits: EditResult, committed_by: str | None = None) -> CommitResult:
    """The results of a commit made long ago."""
    commit = Commit(COMMIT, (), 1_700_000_000, "Ada", "ada@example.org", committed_by=committed_by)
    return CommitResult(commit, edits, (), rule="rule 1")
