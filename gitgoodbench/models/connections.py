"""How many requests a server is sent at once: a limit of the user's, and a lower one where the server asks for it.

After a 429 half as many as were under way are let through; each full round of answers lets one more through (additive
increase, multiplicative decrease, as TCP does).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol


class Connections:
    """Used by several threads at once. most: None is no limit, until the server asks for one."""

    def __init__(self, most: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._limit = float("inf") if most is None else float(most)
        self._busy = 0
        self._changed = threading.Condition()
        self._clock = clock

    @property
    def limit(self) -> float:
        """How many requests may be under way now."""
        return self._limit

    def enter(self) -> float:
        """Wait for a place; the seconds that it took."""
        with self._changed:
            begun = None if self._is_free() else self._clock()
            self._changed.wait_for(self._is_free)
            self._busy += 1
            return 0.0 if begun is None else self._clock() - begun

    def leave(self, *, limited: bool, served: bool) -> None:
        """Give the place back. limited: the server said that there are too many. served: it answered."""
        with self._changed:
            if limited:
                self._limit = max(1.0, min(self._limit, float(self._busy)) / 2)
            elif served:
                self._limit = min(float(self._most or "inf"), self._limit + 1 / max(1.0, self._limit))
            self._busy -= 1
            self._changed.notify_all()

    def _is_free(self) -> bool:
        return self._busy + 1 <= self._limit


_SHARED: dict[tuple[str, int | None], Connections] = {}
_LOCK = threading.Lock()


class Places(Protocol):
    """Who gives places elsewhere: the process that a run was started in."""

    def enter(self, address: str, most: int | None) -> float: ...

    def leave(self, address: str, most: int | None, *, limited: bool, served: bool) -> None: ...


PLACES: ContextVar[Places | None] = ContextVar("places", default=None)
"""Of what this thread asks; None: the places are counted here."""


class SharedConnections(Connections):
    """Those to one server. Where another process counts them, it is asked for each."""

    def __init__(self, address: str, most: int | None) -> None:
        super().__init__(most)
        self._address, self._asked_for = address, most

    def enter(self) -> float:
        places = PLACES.get()
        return super().enter() if places is None else places.enter(self._address, self._asked_for)

    def leave(self, *, limited: bool, served: bool) -> None:
        places = PLACES.get()
        if places is None:
            super().leave(limited=limited, served=served)
        else:
            places.leave(self._address, self._asked_for, limited=limited, served=served)


def connections_to(address: str, most: int | None) -> Connections:
    """Those of this process to a server: agents and judges that ask the same one share them."""
    with _LOCK:
        return _SHARED.setdefault((address, most), SharedConnections(address, most))
