"""What is mined, and from where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gitgoodbench.errors import UserError

LANGUAGES: Final[Mapping[str, bytes]] = {"python": b".py", "java": b".java", "kotlin": b".kt"}
"""The benchmark's languages and how names of their source files end. Exactly so: `.pyi` and `.kts` are others."""

SOURCE_SUFFIXES: Final = tuple(LANGUAGES.values())


class Refs(StrEnum):
    """Where history starts: branches, local and remote, or every ref (also tags and pull requests)."""

    BRANCHES = "branches"
    ALL = "all"


@dataclass(frozen=True)
class MiningOptions:
    """What to mine.

    min_chain, max_chain: commits of a file-commit chain, bounds included.
    suffixes: how names of the files end that chains are mined for.
    since, until: only merges, chains and cherry-picks committed in this time (Unix time in seconds, bounds included);
        of a chain its newest commit counts. They choose among what is found and do not change it.
    """

    refs: Refs = Refs.BRANCHES
    min_chain: int = 3
    max_chain: int = 6
    suffixes: tuple[bytes, ...] = SOURCE_SUFFIXES
    since: int | None = None
    until: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.min_chain <= self.max_chain:
            raise UserError(
                f"chains of {self.min_chain} to {self.max_chain} commits cannot be: give 1 <= min-chain <= max-chain"
            )

    @property
    def source_suffixes(self) -> tuple[bytes, ...]:
        """How names of source files end, of the benchmark's languages and of those that chains are mined for."""
        return tuple(dict.fromkeys((*SOURCE_SUFFIXES, *self.suffixes)))

    def covers(self, committed: int) -> bool:
        """Whether a commit of this time is wanted."""
        return (self.since is None or committed >= self.since) and (self.until is None or committed <= self.until)
