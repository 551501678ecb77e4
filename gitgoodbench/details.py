"""What scoring found out, beyond scores: which file, which conflict, which commit, and both texts side by side.

A scenario fills in the parts that it has. Everything is text and numbers, so that a result can be shown and reported on
without a repository. Contents come from repositories and agents: `readable` escapes what is no text, and `cap` bounds
what is kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

MAX_ITEMS: Final = 1000
"""Files, conflicts of all files, and commits of either history that are kept."""


_LISTED_FILES: Final = 50

_ItemT = TypeVar("_ItemT")
_CuttableT = TypeVar("_CuttableT", "ConflictDetail", "CommitDetail")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Trees(_Part):
    """Ids of the agent's tree and the true one; None where there is none."""

    agent: str | None = None
    truth: str | None = None


class ConflictSides(_Part):
    """What met in a conflict: the lines of the common ancestor and of both sides; None where there is no file.

    base: what stands in the ancestor's file where the conflict is, found by the lines around it.
    """

    base: str | None = None
    ours: str | None = None
    theirs: str | None = None


class ConflictDetail(_Part):
    """One conflict, numbered from 1 as the agent met it.

    kind: `text`, or what kind of conflict without text. exact: resolved as in the truth. similarity, precision,
    recall: of what stands there (docs/similarity.md), None where it cannot be parsed. Conflicts with the same
    `together` were compared as one. agent_text, truth_text: what stands in place of the conflict, for a conflict
    without text what is at its paths; None where there is no file. sides: what met there; None in results of before
    that was kept, and where there was no room. cut: whether a text is not whole.
    """

    number: int
    kind: str
    exact: bool
    similarity: float | None = None
    precision: float | None = None
    recall: float | None = None
    together: int | None = None
    agent_text: str | None = None
    truth_text: str | None = None
    sides: ConflictSides | None = None
    cut: bool = False


class FileDetail(_Part):
    """A file that was in conflict, that differs from the truth, or that the truth changes beyond what was asked.

    exact: the same content and mode as in the truth. out_of_reach: no answer to the conflicts gives the true file; None
    where that is not known, as in results of before it was kept.
    """

    path: str
    exact: bool
    conflicts: tuple[ConflictDetail, ...] = ()
    out_of_reach: bool | None = None


class CommitDetail(_Part):
    """One commit. files: paths that it changes; added, removed: its lines; None where that was not read.

    patch: its changes as a diff; None where they were not read. same_as: the number of the commit of the other history
    that changes exactly the same lines. cut: whether message, patch or files are not whole.
    """

    id: str
    message: str
    files: tuple[str, ...] = ()
    added: int | None = None
    removed: int | None = None
    patch: str | None = None
    same_as: int | None = None
    cut: bool = False


class PairDetail(_Part):
    """Two commits, numbered from 1, that belong together in the pairing with the greatest reward.

    similarity: that reward; where it is an upper bound, `at_least` is below.
    """

    agent: int
    truth: int
    similarity: float
    at_least: float


class LineGroup(_Part):
    """How many of the lines that both histories remove or add are in this commit of the agent's and this real one."""

    agent: int
    truth: int
    lines: int


class HistoriesDetail(_Part):
    """Two histories, oldest first, and how they correspond. pairs, groups: None where that cannot be known; groups also
    where both have the same trees, commit for commit.

    agent_commits, truth_commits: how many there are, also where fewer are kept.
    """

    agent: tuple[CommitDetail, ...] = ()
    truth: tuple[CommitDetail, ...] = ()
    agent_commits: int = 0
    truth_commits: int = 0
    pairs: tuple[PairDetail, ...] | None = None
    groups: tuple[LineGroup, ...] | None = None


class Details(_Part):
    """See the module.

    ids: the commits of the sample by what they are, such as `merge`, `parents`, `base`, `newest`. diff: from the
    agent's tree to the true one; empty where they are equal, None where it is not known. more: what only this scenario
    knows. cut: whether anything here is not whole; `details.json` has more of it.
    """

    ids: dict[str, str | tuple[str, ...] | None] = Field(default_factory=dict)
    trees: Trees = Trees()
    files: tuple[FileDetail, ...] = ()
    histories: HistoriesDetail | None = None
    diff: str | None = None
    more: dict[str, JsonValue] = Field(default_factory=dict)
    cut: bool = False


@dataclass(frozen=True)
class Limits:
    """Bytes (UTF-8) of one text, and of all texts together."""

    text: int
    total: int


IN_RESULT: Final = Limits(text=4 * 1024, total=64 * 1024)
BESIDE: Final = Limits(text=256 * 1024, total=8 * 1024 * 1024)


def readable(content: bytes) -> str:
    r"""Content as text: bytes that are no UTF-8, and control characters but tabs and line ends, as escapes (`\x1b`)."""
    text = content.decode("utf-8", "backslashreplace")
    return text.translate(_CONTROLS)


_CONTROLS: Final = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}


def cap(details: Details, limits: Limits) -> Details:
    """The same within the limits, and `cut` where something is missing. Texts are cut at their ends.

    Conflicts and commits get room before what met in the conflicts does, and that before the diff.
    """
    room = _Room(limits)
    files = tuple(room.file(file) for file in room.items(details.files))
    histories = details.histories
    if histories is not None:
        sides = {"agent": histories.agent, "truth": histories.truth}
        update: dict[str, object] = {
            name: tuple(room.commit(commit) for commit in room.items(side)) for name, side in sides.items()
        }
        links = {"pairs": histories.pairs, "groups": histories.groups}
        update |= {name: None if listed is None else room.items(listed) for name, listed in links.items()}
        histories = histories.model_copy(update=update)
    files = tuple(room.sides(file) for file in files)
    diff = None if details.diff is None else room.text(details.diff)
    more = room.more(details.more)
    kept = {"files": files, "histories": histories, "diff": diff, "more": more, "cut": details.cut or room.cut}
    return details.model_copy(update=kept)


class _Room:
    """What is left of the limits. cut: whether anything was left out."""

    def __init__(self, limits: Limits) -> None:
        self._text, self._total, self._conflicts = limits.text, limits.total, MAX_ITEMS
        self.cut = False

    def text(self, text: str) -> str:
        data = text.encode("utf-8", "backslashreplace")
        kept = data[: min(self._text, self._total)]
        self._total -= len(kept)
        self.cut = self.cut or len(kept) < len(data)
        return kept.decode("utf-8", "ignore")

    def items(self, items: Sequence[_ItemT], limit: int = MAX_ITEMS) -> tuple[_ItemT, ...]:
        self.cut = self.cut or len(items) > limit
        return tuple(items[:limit])

    def more(self, more: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """All of it or nothing."""
        size = len(json.dumps(more)) if more else 0
        if size > self._total:
            self.cut = True
            return {}
        self._total -= size
        return more

    def file(self, file: FileDetail) -> FileDetail:
        path = self.text(file.path)
        conflicts = self.items(file.conflicts, self._conflicts)
        self._conflicts -= len(conflicts)
        within = tuple(self._within(one, "agent_text", "truth_text") for one in conflicts)
        return file.model_copy(update={"path": path, "conflicts": within})

    def sides(self, file: FileDetail) -> FileDetail:
        """With what met in its conflicts, of each conflict all three texts or, without room for a byte more, none."""
        conflicts = tuple(self._sided(conflict) for conflict in file.conflicts)
        return file.model_copy(update={"conflicts": conflicts})

    def _sided(self, conflict: ConflictDetail) -> ConflictDetail:
        if conflict.sides is None:
            return conflict
        if not self._total:
            self.cut = True
            return conflict.model_copy(update={"sides": None, "cut": True})
        before = {name: text for name, text in conflict.sides if text is not None}
        after = {name: self.text(text) for name, text in before.items()}
        sides = conflict.sides.model_copy(update=after)
        return conflict.model_copy(update={"sides": sides, "cut": conflict.cut or after != before})

    def commit(self, commit: CommitDetail) -> CommitDetail:
        files = tuple(self.text(path) for path in commit.files[:_LISTED_FILES])
        self.cut = self.cut or len(files) < len(commit.files)
        listed = commit.model_copy(update={"files": files, "cut": commit.cut or len(files) < len(commit.files)})
        return self._within(listed, "message", "patch")

    def _within(self, part: _CuttableT, *names: str) -> _CuttableT:
        before = {name: text for name in names if (text := getattr(part, name)) is not None}
        after = {name: self.text(text) for name, text in before.items()}
        return part.model_copy(update={**after, "cut": part.cut or after != before})
