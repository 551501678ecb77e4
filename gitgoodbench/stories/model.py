"""What a story of the built-in suite says, as values: people, branches, commits and the changes in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from gitgoodbench.errors import UserError

Encoding = Literal["utf-8", "latin-1"]
Choice = Literal["ours", "theirs", "both", "both-reversed", "text"]


@dataclass(frozen=True, slots=True)
class Where:
    """A line of a story file, for messages."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class StoryError(UserError):
    """A story that cannot be read or built; the message starts with ``file:line``."""

    def __init__(self, where: Where, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where


@dataclass(frozen=True, slots=True)
class Person:
    """An author (who is also the committer)."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Style:
    """How a text file is stored; the story itself always spells it as UTF-8 with LF."""

    crlf: bool = False
    encoding: Encoding = "utf-8"
    final_newline: bool = True


@dataclass(frozen=True, slots=True)
class Write:
    """A whole text file."""

    where: Where
    path: bytes
    lines: tuple[str, ...]
    style: Style


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place to change: pairs of a mark (blank, ``-`` or ``+``) and a line without its ending."""

    where: Where
    lines: tuple[tuple[str, str], ...]

    def old(self) -> list[str]:
        """The lines that must be there, removed ones and context."""
        return [text for mark, text in self.lines if mark != "+"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Hunks applied in order to one file."""

    where: Where
    path: bytes
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class Delete:
    where: Where
    path: bytes


@dataclass(frozen=True, slots=True)
class Rename:
    where: Where
    path: bytes
    target: bytes


@dataclass(frozen=True, slots=True)
class Mode:
    where: Where
    path: bytes
    executable: bool


@dataclass(frozen=True, slots=True)
class Restyle:
    """A change of a file's storage; None leaves that aspect alone."""

    where: Where
    path: bytes
    crlf: bool | None
    encoding: Encoding | None
    final_newline: bool | None


@dataclass(frozen=True, slots=True)
class Symlink:
    where: Where
    path: bytes
    target: bytes


@dataclass(frozen=True, slots=True)
class Binary:
    where: Where
    path: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class Region:
    """How one conflict region was settled; lines only with the choice ``text``."""

    where: Where
    choice: Choice
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolve:
    """The settled conflict regions of one file, in order."""

    where: Where
    path: bytes
    regions: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Take:
    """One side's whole file, or its absence."""

    where: Where
    path: bytes
    side: Literal["ours", "theirs"]


Change = Write | Edit | Delete | Rename | Mode | Restyle | Symlink | Binary | Resolve | Take


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch created at another branch or at a labelled commit."""

    where: Where
    name: str
    start: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit on ``branch``; where ``other`` is given, a merge of it, or a pick or a revert of that commit.

    message: of a pick or a revert, that to which a line is added which names the other commit; empty for the usual one.
    """

    where: Where
    branch: str
    person: Person
    label: str | None
    other: str | None
    message: bytes
    changes: tuple[Change, ...]
    operation: Literal["merge", "pick", "revert"] = "merge"


@dataclass(frozen=True, slots=True)
class Story:
    """A whole repository's history; its steps in the order they happened."""

    name: str
    language: str
    start: datetime
    topics: tuple[str, ...]
    steps: tuple[Branch | Commit, ...]
