"""When a commit was made, as far as its date can be believed.

Old Git, importers and wrong clocks have left dates of any kind: milliseconds for seconds, beyond 64 bits, before 1970,
in the future, words, none. This is the one place that reads them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

_AHEAD_S: Final = 86_400
"""How far a clock may be ahead of ours."""

_MOST_DIGITS: Final = 18
"""Of a time within 64 bits; Git prints what is longer as it stands."""


def believable_time(text: bytes, now: float | None = None) -> int | None:
    """Unix time in seconds; None where the date is implausible.

    Args:
        text: what Git's placeholders `%ct` and `%at` give.
        now: Unix time in seconds, by default this machine's; nothing later than a day after it is believed, nor is
            1970's first second, in which clocks begin that nobody has set.
    """
    if not text.isdigit() or len(text) > _MOST_DIGITS:
        return None
    seconds = int(text)
    return seconds if 0 < seconds <= (time.time() if now is None else now) + _AHEAD_S else None


def newest_time(texts: Iterable[bytes], now: float | None = None) -> int | None:
    """The newest of the times that can be believed; None without any."""
    return max((seconds for text in texts if (seconds := believable_time(text, now)) is not None), default=None)
