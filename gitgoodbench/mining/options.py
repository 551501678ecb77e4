"""What is mined, and from where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import BaseModel

LANGUAGES: Final[Mapping[str, bytes]] = {"python": b".py", "java": b".java", "kotlin": b".kt"}
"""The benchmark's languages and how names of their source files end. Exactly so: `.pyi` and `.kts` are others."""

SOURCE_SUFFIXES: Final = tuple(LANGUAGES.values())


class Refs(StrEnum):
    """Where history starts: branches, local and remote; tags, too; or every ref (also pull requests)."""

    BRANCHES = "branches"
    BRANCHES_AND_TAGS = "branches-and-tags"
    ALL = "all"


@dataclass(frozen=True)
class MiningOptions:
    """What to mine.

    suffixes: how names of the files end that are mined for, where a sample type looks at single files.
    since, until: only what was committed in this time (Unix time in seconds, bounds included); of several commits the
        newest counts. They choose among what is found and do not change it.
    types: only these sample types; None: all that are mined.
    own: options of sample types (`plugin_options.options_in`).
    """

    refs: Refs = Refs.BRANCHES
    suffixes: tuple[bytes, ...] = SOURCE_SUFFIXES
    since: int | None = None
    until: int | None = None
    types: tuple[str, ...] | None = None
    own: tuple[BaseModel, ...] = ()

    @property
    def source_suffixes(self) -> tuple[bytes, ...]:
        """How names of source files end, of the benchmark's languages and of those that are mined for."""
        return tuple(dict.fromkeys((*SOURCE_SUFFIXES, *self.suffixes)))

    def covers(self, committed: int) -> bool:
        """Whether a commit of this time is wanted."""
        return (self.since is None or committed >= self.since) and (self.until is None or committed <= self.until)
