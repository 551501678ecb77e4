"""Work that goes on in a thread of its own, so that the thread that follows it can leave at any moment."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_END: Final = "end"


class Following(Generic[T]):
    """Iterates over what `work` gives.

    The one who iterates only waits, so a signal reaches the main thread at once, whatever the work is busy with: a
    request, a process, a compiler that is in C. Work that is left goes on, and does not keep the process from ending.
    """

    def __init__(self, work: Iterable[T]) -> None:
        self._work = work
        self._news: queue.SimpleQueue[tuple[str, T | BaseException | None]] = queue.SimpleQueue()

    def leave(self) -> None:
        """End the iteration. From any thread or signal handler: it takes no lock."""
        self._news.put((_END, None))

    def __iter__(self) -> Iterator[T]:
        threading.Thread(target=self._go_on, name="work", daemon=True).start()
        while True:
            kind, news = self._news.get()
            if isinstance(news, BaseException):
                raise news
            if kind == _END:
                return
            yield news  # type: ignore[misc]  # neither an error nor the end

    def _go_on(self) -> None:
        try:
            for result in self._work:
                self._news.put(("result", result))
        except BaseException as problem:
            self._news.put((_END, problem))
        else:
            self.leave()
