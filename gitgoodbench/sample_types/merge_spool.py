"""Merges kept on disk between the walk over history and their replay."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from gitgoodbench.sample_types.attributes import Layout


@dataclass(frozen=True, slots=True)
class MergeCommit:
    """A merge of two parents. `position`: its number in history. `committed`, `dated`: as of a commit."""

    position: int
    oid: str
    parents: tuple[str, str]
    committed: int
    dated: bool = True


class MergeSpool:
    """Context manager. Merges are added once and read back, by the layout of attribute files that they need."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed in __exit__)
        self._layouts: dict[Layout | None, int] = {}
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        return self._count

    @property
    def layouts(self) -> tuple[Layout | None, ...]:
        """Those that occur; None stands for merges whose layout is not known."""
        return tuple(self._layouts)

    def add(self, merge: MergeCommit, layout: Layout | None) -> None:
        self._count += 1
        number = self._layouts.setdefault(layout, len(self._layouts))
        local, incoming = merge.parents
        line = f"{number} {merge.position} {merge.oid} {local} {incoming} {merge.committed} {merge.dated:d}\n"
        self._file.write(line.encode("ascii"))

    def merges(self, layout: Layout | None) -> Iterator[MergeCommit]:
        """The merges of a layout, in the order in which they were added. Read them to the end before any others."""
        wanted = b"%d " % self._layouts[layout]
        self._file.seek(0)
        for line in self._file:
            if line.startswith(wanted):
                _, position, oid, local, incoming, committed, dated = line.decode("ascii").split()
                yield MergeCommit(int(position), oid, (local, incoming), int(committed), dated == "1")
