"""The answers given so far, and the files they make. Pure: knows nothing of sandboxes or models.

Conflicts are numbered from 0 over all files and answered in order. A conflict inside a file that an earlier choice
removed is moot and passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gitgoodbench.git.conflict_text import Region, place
from gitgoodbench.git.conflicts import Choice, Conflict, ConflictModel, PathConflict, TextConflict
from gitgoodbench.git.objects import Entry

Answer = bytes | Choice


@dataclass(frozen=True)
class Piece:
    """A part of a file as it stands: clean or resolved text, or an open conflict with its number."""

    content: bytes
    conflict: int | None = None


class Resolution:
    """The state of one replay being resolved."""

    def __init__(self, model: ConflictModel, descriptions: Mapping[Entry, str] | None = None) -> None:
        """
        Args:
            descriptions: what the entries are that choices place (`git.entries`).
        """
        self.model = model
        self.descriptions = descriptions or {}
        self._answers: list[Answer | None] = [None] * len(model.conflicts)
        self._numbers = {
            conflict: i for i, conflict in enumerate(model.conflicts) if isinstance(conflict, TextConflict)
        }

    def anew(self) -> Resolution:
        """The same without an answer."""
        return Resolution(self.model, self.descriptions)

    @property
    def current(self) -> int | None:
        """Number of the conflict to answer next; None when none remains."""
        open_ones = (i for i in range(len(self._answers)) if self._answers[i] is None and not self.is_moot(i))
        return next(open_ones, None)

    @property
    def remaining(self) -> int:
        return sum(self._answers[i] is None and not self.is_moot(i) for i in range(len(self._answers)))

    def conflict(self, number: int) -> Conflict:
        return self.model.conflicts[number]

    def answer_of(self, number: int) -> Answer | None:
        return self._answers[number]

    def is_moot(self, number: int) -> bool:
        """Whether the conflict's file is gone by an earlier choice."""
        conflict = self.model.conflicts[number]
        return isinstance(conflict, TextConflict) and self._entry(conflict.path) is None

    def answer(self, answer: Answer) -> list[bytes]:
        """Answer the current conflict; returns the paths whose files this changes."""
        number = self.current
        assert number is not None, "nothing is left to answer"
        conflict = self.model.conflicts[number]
        self._answers[number] = answer
        if isinstance(conflict, TextConflict):
            return [conflict.path]
        assert isinstance(answer, Choice)
        return list(dict.fromkeys((*conflict.paths, *conflict.placements[answer])))

    def pieces(self, path: bytes) -> list[Piece]:
        """The file cut into what stands and what is open."""
        file = self.model.files[path]
        pieces = []
        position = 0
        for segment in file.segments:
            if isinstance(segment, Region):
                number = self._numbers[TextConflict(path, position)]
                answer = self._answers[number]
                if isinstance(answer, bytes):
                    pieces.append(Piece(place(answer, segment, at_end=file.ends_in_region(position))))
                else:
                    pieces.append(Piece(segment.text, number))
                position += 1
            else:
                pieces.append(Piece(segment))
        return pieces

    def content(self, path: bytes) -> bytes:
        """The file's bytes as they stand, open conflicts with their markers."""
        return b"".join(piece.content for piece in self.pieces(path))

    def has_open_conflict(self, path: bytes) -> bool:
        """Whether something about the path is still to be decided."""
        for number, conflict in enumerate(self.model.conflicts):
            paths = conflict.paths if isinstance(conflict, PathConflict) else (conflict.path,)
            if path in paths and self._answers[number] is None and not self.is_moot(number):
                return True
        return False

    def entries(self) -> dict[bytes, tuple[Entry, bytes | None] | None]:
        """Every path in conflict or placed by a choice: its entry with the content of a file that had regions; None
        is no file.
        """
        settled: dict[bytes, tuple[Entry, bytes | None] | None] = {}
        for path in self.model.files:
            entry = self._entry(path)
            settled[path] = None if entry is None else (entry, self.content(path))
        for conflict, answer in zip(self.model.conflicts, self._answers, strict=True):
            if isinstance(conflict, PathConflict) and isinstance(answer, Choice):
                for path, entry in conflict.placements[answer].items():
                    if path not in self.model.files:
                        settled[path] = None if entry is None else (entry, None)
        return settled

    def _entry(self, path: bytes) -> Entry | None:
        """The entry that a file with regions has after the choices made so far."""
        entry: Entry | None = self.model.files[path].entry
        for conflict, answer in zip(self.model.conflicts, self._answers, strict=True):
            if isinstance(conflict, PathConflict) and isinstance(answer, Choice):
                entry = conflict.placements[answer].get(path, entry)
        return entry
