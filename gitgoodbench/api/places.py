"""Places for open sessions: so many at once, and whoever comes later waits in a line."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future

from gitgoodbench.errors import UserError


class Places:
    """Waiting blocks no thread but the one that asks for the result of `take`; asyncio wraps it and blocks none."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise UserError(f"max_open must be 1 or more, not {count}")
        self.count = count
        self._takers: list[int] = []
        self._line: deque[tuple[Future[int], int]] = deque()
        self._lock = threading.Lock()

    def take(self, *, waits: bool = False) -> Future[int]:
        """A place, now or later; `give_back` wants the result. A future that waits can be cancelled.

        Args:
            waits: the thread will do nothing else until it has the place.

        Raises:
            UserError: it would wait for itself.
        """
        future: Future[int] = Future()
        taker = threading.get_ident()
        with self._lock:
            if len(self._takers) < self.count:
                self._takers.append(taker)
                future.set_result(taker)
            elif waits and all(other == taker for other in self._takers):
                raise UserError(
                    f"{self.count} sessions are open, all of them opened by this thread, which would wait for itself: "
                    "close one first, or make the Bench with a larger max_open"
                )
            else:
                self._line.append((future, taker))
        return future

    def give_back(self, taker: int) -> None:
        with self._lock:
            self._takers.remove(taker)
            while self._line:
                future, next_taker = self._line.popleft()
                if future.set_running_or_notify_cancel():
                    self._takers.append(next_taker)
                    future.set_result(next_taker)
                    return

    def abandon(self, place: Future[int]) -> None:
        """Leave the line, or give back a place that came at the same moment."""
        if not place.cancel():
            self.give_back(place.result())
