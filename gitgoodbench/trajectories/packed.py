"""Conversations that stay small while ten thousand of them wait to be chosen."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from gitgoodbench.models.messages import Message


class PackedMessages(Sequence[Message]):
    """Messages as compressed JSON, unpacked whenever they are looked at: each look gives new values."""

    __slots__ = ("_data", "_length")

    def __init__(self, messages: Iterable[Message]) -> None:
        unpacked = list(messages)
        self._length = len(unpacked)
        self._data = zlib.compress(json.dumps(unpacked).encode("ascii"), 1)

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
        return isinstance(other, PackedMessages) and self._data == other._data

    def __hash__(self) -> int:
        return hash(self._data)

    def _unpacked(self) -> list[Any]:
        unpacked: list[Any] = json.loads(zlib.decompress(self._data))
        return unpacked
