"""What may be wrong with a row of a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gitgoodbench.dataset.sample import Sample


class Kind(StrEnum):
    """Kinds of findings, the gravest first."""

    ROW = "not a row"
    SETUP = "cannot be set up"
    ORACLE = "not solved by oracle"
    TOOL_ORACLE = "not solved by tool-oracle"
    CHAIN = "not the chain it lists"
    FILES = "other files in conflict"
    CONFLICTS = "other number of conflicts"
    PURITY = "other purity"
    SPEC = "not what the repository has"


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, and how, in one line."""

    kind: Kind
    reason: str


@dataclass(frozen=True)
class RowReport:
    """What replaying a row has shown.

    scenarios: those that were played. attainable: whether their published tools can reach the truth; None: unknown.
    """

    sample: Sample
    scenarios: tuple[str, ...]
    attainable: bool | None
    findings: tuple[Finding, ...]
