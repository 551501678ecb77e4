"""Records as JSON and back; contents of files compressed, since a session may write the same file many times."""

from __future__ import annotations

import zlib
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

T = TypeVar("T")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def to_text(record: object) -> str:
    """A record without contents."""
    return _adapter(cast(Hashable, type(record))).dump_json(record).decode()


def from_text(kind: type[T], text: str) -> T:
    """What `to_text` wrote."""
    found: T = _adapter(cast(Hashable, kind)).validate_json(text)
    return found


def to_blob(record: object) -> bytes:
    """A record with contents."""
    return zlib.compress(_adapter(cast(Hashable, type(record))).dump_json(record), 1)


def from_blob(kind: type[T], blob: bytes) -> T:
    """What `to_blob` wrote."""
    found: T = _adapter(cast(Hashable, kind)).validate_json(zlib.decompress(blob))
    return found
