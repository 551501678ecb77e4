"""Ending a run early: no more episodes, or none at all.

Two ways. `finish_running`: nothing new is started, what runs may end (the cost limit). `give_up`: running episodes
lose their sandboxes, so that they end at their next step (Ctrl-C, a rejected key); what they did is not a result.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Protocol, TypeVar

from gitgoodbench.errors import GitGoodBenchError

GRACE_S = 10.0
"""Seconds that sandboxes have to close before the run ends without them; `gitgoodbench clean` removes the rest."""

EXIT_INTERRUPTED = 130


class Open(Protocol):
    """What is open while an episode is played: a sandbox, or work that goes on elsewhere."""

    def close(self) -> None: ...


_Open = TypeVar("_Open", bound=Open)


class EpisodeGivenUp(GitGoodBenchError):
    """The run ends before this episode could: it leaves no result."""


class Stop:
    """Whether, how soon and why a run ends early. Shared by all threads of the run.

    leaving: called after an interruption, when no sandbox is left: the run need not wait for what else goes on.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.giving_up = False
        self.interrupted = False
        self.leaving: Callable[[], None] = lambda: None
        self._open: list[Open] = []
        self._busy = 0
        self._lock = threading.Condition()

    @property
    def requested(self) -> bool:
        """Whether no further episode may start."""
        return self.reason is not None

    def finish_running(self, reason: str) -> None:
        """Start nothing new. The first reason given stays."""
        self.reason = self.reason or reason

    def give_up(self, reason: str) -> None:
        """Start nothing new, and close the sandboxes of running episodes."""
        self.finish_running(reason)
        self.giving_up = True
        self.close_sandboxes()

    def close_sandboxes(self) -> None:
        """Close what is open now; what opens later is refused by `watching`."""
        with self._lock:
            sandboxes = list(self._open)
            self._busy += len(sandboxes)
        for sandbox in sandboxes:
            threading.Thread(target=self._close_quietly, args=(sandbox,), daemon=True).start()

    def opened(self, make: Callable[[], _Open]) -> _Open:
        """Make a sandbox, which `closed` must follow.

        Raises:
            EpisodeGivenUp: the run has given up.
        """
        with self._lock:
            self._check()
            self._busy += 1
        try:
            sandbox = make()
            with self._lock:
                self._open.append(sandbox)
        finally:
            with self._lock:
                self._busy -= 1
                self._lock.notify_all()
        return sandbox

    def closed(self, sandbox: Open) -> None:
        """The sandbox is closed, or cannot be."""
        with self._lock:
            if sandbox in self._open:
                self._open.remove(sandbox)
            self._lock.notify_all()

    def wait_for_sandboxes(self, seconds: float) -> None:
        """Wait until no sandbox is open, being made or being closed, at most so long."""
        with self._lock:
            self._lock.wait_for(lambda: not self._open and not self._busy, seconds)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Work in a sandbox that `give_up` may close at any moment.

        Raises:
            EpisodeGivenUp: it did, whatever error that caused inside.
        """
        self._check()
        try:
            yield
        except Exception:
            self._check()
            raise
        self._check()

    def _check(self) -> None:
        if self.giving_up:
            raise EpisodeGivenUp(self.reason or "the run ends")

    def _close_quietly(self, sandbox: Open) -> None:
        with suppress(Exception):
            sandbox.close()
        with self._lock:
            self._busy -= 1
        self.closed(sandbox)


@contextmanager
def stopping_on_signals(stops: Sequence[Stop], announce: Callable[[], None], last_words: str) -> Iterator[None]:
    """Turn SIGINT and SIGTERM into `give_up` of all these runs; a second one ends the process at once.

    After the first one the runs are left (`stop.leaving`) as soon as their sandboxes are closed, after `GRACE_S`
    seconds at the latest, whatever their threads are busy with. `announce` tells the user what is happening; it is
    called once, from another thread. `last_words` go to standard error where the process ends at once. The handler
    takes no lock and starts no thread: it may have interrupted the code that holds one. In a thread that is not the
    main one, which gets no signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def handle(number: int, _frame: FrameType | None) -> None:
        if any(stop.interrupted for stop in stops):
            _end_at_once(last_words)
        for stop in stops:
            stop.interrupted = True
            stop.giving_up = True
            stop.reason = stop.reason or "interrupted"
        signals.put(signal.Signals(number).name)

    def attend() -> None:
        if signals.get() is None:
            return
        with suppress(Exception, SystemExit):  # standard error may be closed
            announce()
        for stop in stops:
            stop.close_sandboxes()
        over = time.monotonic() + GRACE_S
        for stop in stops:
            stop.wait_for_sandboxes(max(0.0, over - time.monotonic()))
        for stop in stops:
            stop.leaving()

    attendant = threading.Thread(target=attend, name="stop", daemon=True)
    attendant.start()
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signals.put(None)
        attendant.join()


def _end_at_once(last_words: str) -> None:
    """End the process without waiting for any thread. Every file is whole or absent at any moment."""
    show_cursor = "\x1b[?25h" if os.isatty(2) else ""
    os.write(2, f"{show_cursor}\n{last_words}\n".encode())
    os._exit(EXIT_INTERRUPTED)
