"""Conversations that lie on disk while ten thousand of them wait to be chosen."""

from __future__ import annotations

import json
import os
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from gitgoodbench.models.messages import Message


class MessageSpool:
    """A temporary file of conversations, gone with the last one that is in it."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="gitgoodbench-")  # noqa: SIM115 (closed by the next line)
        weakref.finalize(self, self._file.close)

    def pack(self, messages: Iterable[Message]) -> PackedMessages:
        """Keep messages.

        Raises:
            OSError: the disk is full.
        """
        unpacked = list(messages)
        data = zlib.compress(json.dumps(unpacked).encode("ascii"), 1)
        at = self._file.seek(0, os.SEEK_END)
        self._file.write(data)
        return PackedMessages(self, at, len(data), len(unpacked))

    def read(self, at: int, size: int) -> list[Any]:
        """The messages that `pack` has kept there."""
        self._file.seek(at)
        unpacked: list[Any] = json.loads(zlib.decompress(self._file.read(size)))
        return unpacked


class PackedMessages(Sequence[Message]):
    """Messages in a spool, read whenever they are looked at: each look gives new values."""

    __slots__ = ("_at", "_length", "_size", "_spool")

    def __init__(self, spool: MessageSpool, at: int, size: int, length: int) -> None:
        self._spool, self._at, self._size, self._length = spool, at, size, length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Message]:
        return iter(self._unpacked())

    @overload
    def __getitem__(self, at: int) -> Message: ...
    @overload
    def __getitem__(self, at: slice) -> list[Message]: ...
    def __getitem__(self, at: int | slice) -> Message | list[Message]:
        return self._unpacked()[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PackedMessages) and self._unpacked() == other._unpacked()

    __hash__ = None  # type: ignore[assignment]

    def _unpacked(self) -> list[Any]:
        return self._spool.read(self._at, self._size)
