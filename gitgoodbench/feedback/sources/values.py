"""Values out of JSON that anybody may have written: each is of the type asked for, or None."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any, Final

_LATEST: Final = 7_258_118_400.0
"""Seconds from 1970 to 2200: no clock says more."""
_UNITS: Final = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""From which number on a time is in what part of a second: nanoseconds, microseconds, milliseconds."""
_LARGEST: Final = 2**53
"""No program counts further: JSON's numbers are exact up to here."""


def at(value: Any, *keys: str) -> Any:
    """What lies under keys in objects in objects; None where something is missing."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text(value: Any, *keys: str) -> str | None:
    """A string."""
    found = at(value, *keys)
    return found if isinstance(found, str) else None


def name(value: Any, *keys: str) -> str | None:
    """A string that is fit to be an id, a path or a version: not empty, without NUL, not endless."""
    found = at(value, *keys)
    return found if isinstance(found, str) and 0 < len(found) <= 4096 and "\0" not in found else None


def count(value: Any, *keys: str) -> int | None:
    """A whole number from 0."""
    found = at(value, *keys)
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= _LARGEST else None


def number(value: Any, *keys: str) -> float | None:
    """A finite number."""
    found = at(value, *keys)
    if isinstance(found, bool) or not isinstance(found, int | float) or abs(found) > 1e300:
        return None
    return float(found) if math.isfinite(found) else None


def rows(value: Any, *keys: str) -> list[Any]:
    """An array; an empty one where there is none."""
    found = at(value, *keys)
    return found if isinstance(found, list) else []


def table(value: Any, *keys: str) -> dict[str, Any]:
    """An object; an empty one where there is none."""
    found = at(value, *keys)
    return found if isinstance(found, dict) else {}


def seconds(value: Any, *keys: str) -> float | None:
    """A time, in seconds since 1970: ISO 8601 (without a zone: UTC), or a number of seconds or of parts of them."""
    found = at(value, *keys)
    if isinstance(found, str):
        try:
            moment = datetime.fromisoformat(found[:64])
            found = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    plain = number(found)
    if plain is None:
        return None
    plain /= next((parts for least, parts in _UNITS if plain >= least), 1.0)
    return plain if 0.0 < plain < _LATEST else None


def added(*counts: int | None) -> int | None:
    """The sum of what is known; None where nothing is."""
    known = [one for one in counts if one is not None]
    return sum(known) if known else None
