"""Mined items on disk, so that memory does not grow with them."""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Spool(Generic[T]):
    """Items in the order in which they were added, to be read any number of times. Gone with the last reference."""

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by the next line)
        weakref.finalize(self, self._file.close)
        self._count = 0
        self.extend(items)

    def extend(self, items: Iterable[T]) -> None:
        for item in items:
            self.add(item)

    def add(self, item: T) -> None:
        self._file.seek(0, os.SEEK_END)
        pickle.dump(item, self._file, pickle.HIGHEST_PROTOCOL)
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        """The items that there are now."""
        position = 0
        for _ in range(self._count):
            self._file.seek(position)
            item: T = pickle.load(self._file)
            position = self._file.tell()
            yield item
