"""How the changes are divided into commits so far: what remains, under which numbers, and what a commit would hold.

A model writes all calls of one answer before it sees what the first of them did. So numbers mean what they meant when
the answer began (`begin_answer`), and not what they have become in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gitgoodbench.errors import ToolError
from gitgoodbench.git.hunks import Hunk
from gitgoodbench.git.objects import Entry

from .changes import FileChange, FileContent, Part


@dataclass(frozen=True)
class Piece:
    """A part of a file's change: what agents know as a hunk."""

    file: FileChange
    part: Part


class Division:
    """Pure state. Hunks are numbered from 1, over the offered files in their order, and anew after each commit.

    offered: files whose hunks are chosen one by one. rest: all other files, committed together at the end.
    descriptions: what the entries are that have no lines (`git.entries`). rest_patch: the changes of the other files.
    """

    def __init__(
        self,
        offered: Sequence[FileChange],
        rest: Sequence[FileChange],
        descriptions: Mapping[Entry, str] | None = None,
        rest_patch: str = "",
    ) -> None:
        self.offered = tuple(offered)
        self.rest = tuple(rest)
        self.descriptions = descriptions or {}
        self.rest_patch = rest_patch
        self.rest_committed = not rest
        self.remaining: list[Piece] = [Piece(file, part) for file in offered for part in file.parts]
        self._named = tuple(self.remaining)
        self._done: dict[FileChange, list[Part]] = {}

    def anew(self) -> Division:
        """The same changes with nothing committed and nothing split."""
        return Division(self.offered, self.rest, self.descriptions, self.rest_patch)

    def begin_answer(self) -> None:
        """Number the remaining pieces anew."""
        self._named = tuple(self.remaining)

    @property
    def finished(self) -> bool:
        return not self.remaining and self.rest_committed

    def done(self, file: FileChange) -> Sequence[Part]:
        """The parts of a file that are committed."""
        return self._done.get(file, ())

    def hunks_done(self, file: FileChange) -> list[Hunk]:
        return [part for part in self.done(file) if isinstance(part, Hunk)]

    def pieces(self, numbers: Sequence[int] | Literal["all"]) -> list[Piece]:
        """The remaining pieces of these numbers, as they were when the answer began.

        Raises:
            ToolError: none is named, one twice, or one that is not there; the message names every fault.
        """
        last = len(self._named)
        if not self.remaining:
            raise ToolError("no hunk remains")
        if numbers == "all":
            return list(self.remaining)
        faults = [] if numbers else ["no hunk is selected"]
        unknown = sorted({number for number in numbers if not 1 <= number <= last})
        if unknown:
            faults.append(f"there is no hunk {_listed(unknown)}: they are numbered 1 to {last}")
        twice = sorted(number for number, count in Counter(numbers).items() if count > 1)
        if twice:
            faults.append(f"hunk {_listed(twice)} is selected more than once")
        gone = [
            number for number in sorted(set(numbers) - set(unknown)) if self._named[number - 1] not in self.remaining
        ]
        if gone:
            faults.append(f"hunk {_listed(gone)} was committed or split by an earlier call of this answer")
        if faults:
            raise ToolError("; ".join(faults))
        return [self._named[number - 1] for number in sorted(numbers)]

    def take(self, pieces: Sequence[Piece]) -> dict[bytes, Entry | FileContent | None]:
        """Count the pieces as committed; returns what then stands at the paths of every file touched so far."""
        for piece in pieces:
            self._done.setdefault(piece.file, []).append(piece.part)
            self.remaining.remove(piece)
        return self._states()

    def take_rest(self) -> dict[bytes, Entry | FileContent | None]:
        """Count the other files as committed, as `take` does."""
        self.rest_committed = True
        return self._states()

    def split(self, number: int, after_lines: Sequence[int] | Literal["all"]) -> range:
        """Split a hunk after some of its changed lines, counted from 1; returns the numbers of what it became, which
        calls of the next answer may use.

        Raises:
            ToolError: there is no such hunk or line, or the hunk has no lines.
        """
        (piece,) = self.pieces([number])
        text, part = piece.file.text, piece.part
        if text is None or not isinstance(part, Hunk):
            raise ToolError(f"hunk {number} has no lines, so it cannot be split")
        if not after_lines:
            raise ToolError("after_lines names no line")
        if len(part.changed) == 1:
            raise ToolError(f"hunk {number} is a single line, so it cannot be split")
        if after_lines == "all":
            after_lines = range(1, len(part.changed))
        try:
            parts = text.split(part, after_lines)
        except ValueError as problem:
            raise ToolError(f"hunk {number} cannot be split so: {problem}") from problem
        place = self.remaining.index(piece)
        self.remaining[place : place + 1] = [Piece(piece.file, part) for part in parts]
        return range(place + 1, place + 1 + len(parts))

    def _states(self) -> dict[bytes, Entry | FileContent | None]:
        """All touched files and not only the new ones: a path may have been a folder in between."""
        states: dict[bytes, Entry | FileContent | None] = {}
        for file, parts in self._done.items():
            states.update(file.state(parts))
        if self.rest_committed:
            for file in self.rest:
                states.update(file.at_end)
        return dict(sorted(states.items(), key=lambda state: state[1] is not None))


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:10])
    return shown if len(numbers) <= 10 else f"{shown} and {len(numbers) - 10} more"
