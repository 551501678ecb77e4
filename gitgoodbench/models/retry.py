"""How long to wait before a request is tried again: exponential backoff with full jitter, and what the server asks for.

Full jitter as in "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015): a uniform draw between 0 and the
doubling bound, so that many episodes refused at once do not come back at once.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

Draw = Callable[[float, float], float]


@dataclass(frozen=True)
class Backoff:
    """tries: requests in all. Seconds: `first_s` bounds the first wait, each later bound doubles, up to `longest_s`.

    longest_asked_s: the most that a server's Retry-After is obeyed.
    """

    tries: int = 6
    first_s: float = 1.0
    longest_s: float = 60.0
    longest_asked_s: float = 120.0

    def wait_s(self, failures: int, asked_s: float | None, draw: Draw = random.uniform) -> float:
        """Seconds to wait after so many failures in a row (1 or more).

        A server that says when to come back is taken at its word, with up to `first_s` more, for the jitter's reason.
        """
        if asked_s is not None:
            return min(asked_s, self.longest_asked_s) + draw(0.0, self.first_s)
        return draw(0.0, min(self.longest_s, self.first_s * 2.0 ** (failures - 1)))


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the response headers ask to wait.

    They are `retry-after-ms` (OpenAI), or Retry-After as seconds or HTTP date (RFC 9110, section 10.2.3).

    Args:
        headers: looked up by lower-case name.
        now: the time, in seconds since the epoch.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or text is None:
        return seconds
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)


def _number(text: str | None) -> float | None:
    """A finite number of at least 0, or None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
