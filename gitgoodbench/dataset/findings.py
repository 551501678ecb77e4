"""What may be wrong with a row of a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gitgoodbench.dataset.sample import Sample


class Kind(StrEnum):
    """Kinds of findings that any row may have, the gravest first. Sample types have others, in words of their own."""

    ROW = "not a row"
    SETUP = "cannot be set up"
    ORACLE = "not solved by oracle"
    TOOL_ORACLE = "not solved by tool-oracle"
    SPEC = "not what the repository has"


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, and how, in one line.

    kind: one of `Kind`, or what a sample type calls it. unplayable: whether no agent need play the row to see more;
    it is so for what cannot be set up or is not what the repository has.
    """

    kind: str
    reason: str
    unplayable: bool = False

    @property
    def ends_replay(self) -> bool:
        """Whether the row is not played."""
        return self.unplayable or self.kind in (Kind.SETUP, Kind.SPEC)


@dataclass(frozen=True)
class RowReport:
    """What replaying a row has shown.

    scenarios: those that were played. attainable: whether their published tools can reach the truth; None: unknown.
    """

    sample: Sample
    scenarios: tuple[str, ...]
    attainable: bool | None
    findings: tuple[Finding, ...]
