"""The source of a cherry-pick, as its message names it."""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(rb"^\(cherry picked from commit ([0-9a-f]{7,64})\)\s*$", re.MULTILINE)


def picked_from(message: bytes) -> str | None:
    """The id that the last `(cherry picked from commit X)` of a message names."""
    found = _LINE.findall(message)
    return found[-1].decode("ascii") if found else None
