"""Answers of models, kept by what was asked: whoever asks the same again gets the same, and pays nothing.

A reply is kept as it arrived, so it is read by the same code again. Only answers are kept, never faults.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.files import make_durably, write_atomically


@dataclass(frozen=True)
class AnswerCache:
    """Replies in a folder, by the digest of their requests. Used by several threads and processes at once."""

    folder: Path

    def get(self, digest: str) -> bytes | None:
        """The reply; None where there is none, or none that can be read."""
        try:
            return self._path(digest).read_bytes() or None
        except OSError:
            return None

    def put(self, digest: str, reply: bytes) -> None:
        """Keep a reply. A cache that cannot be written never stops a run."""
        path = self._path(digest)
        with contextlib.suppress(OSError):
            make_durably(path.parent)
            write_atomically(path, reply)

    def forget(self, digest: str) -> None:
        """Drop a reply that turned out to be of no use."""
        with contextlib.suppress(OSError):
            self._path(digest).unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest
