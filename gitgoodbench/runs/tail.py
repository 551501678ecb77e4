"""What was added to a file of JSON lines since the last look, from whichever process writes it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Tail:
    """The lines of a file that grows, each once. It need not be there yet; one that takes its place is read anew.

    at_end: lines that are there now are not read.
    """

    def __init__(self, path: Path, *, at_end: bool = False) -> None:
        self._path = path
        self._file: int | None = None
        self._offset = 0
        if at_end:
            for _ in self.lines():
                pass

    def lines(self) -> Iterator[dict[str, Any]]:
        """Whole lines since the last time. One that is being written, or is no JSON object, is left out."""
        try:
            with self._path.open("rb") as file:
                self._begin_anew_where_replaced(file.fileno())
                file.seek(self._offset)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    self._offset += len(line)
                    value = _parsed(line)
                    if isinstance(value, dict):
                        yield value
        except OSError:
            return

    def _begin_anew_where_replaced(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        if status.st_ino != self._file or status.st_size < self._offset:
            self._file, self._offset = status.st_ino, 0


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
