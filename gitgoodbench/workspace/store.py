"""The repository store: where the history of a sample comes from.

(Contract; the implementation follows.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class RepositoryStore(Protocol):
    """Finds or fetches the Git directory of a repository."""

    def git_dir(self, name: str, commits: Sequence[str]) -> Path:
        """The Git directory of `owner/name`, holding the given commits; read-only for the caller.

        Raises:
            SetupFailed: the repository or a commit cannot be had, with the reason.
        """
        ...
