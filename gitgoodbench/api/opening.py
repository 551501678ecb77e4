"""The sessions of a bench that are open: each has a place and a sandbox, and gives both back when it is closed."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Final

from gitgoodbench.api.places import Places
from gitgoodbench.api.session import Session
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.runs.settings import SharedSettings, keeps_sandbox
from gitgoodbench.sandbox.base import Sandbox, SandboxDied, SandboxProvider, SharingSandbox
from gitgoodbench.scenario import Episode, Scenario, ToolSet

_MOST_WORKERS: Final = 64


@dataclass(frozen=True)
class Asked:
    """An episode that is to begin. id: of its session."""

    id: str
    sample: Sample
    scenario: Scenario


class OpenSessions:
    """Opens them, up to so many at once, and closes what is left. executor: for asyncio's variants."""

    def __init__(
        self, run_id: str, provider: SandboxProvider, settings: SharedSettings, tools: ToolSet, max_open: int
    ) -> None:
        self._run_id = run_id
        self._provider = provider
        self._settings = settings
        self._tools = tools
        self._places = Places(max_open)
        self.executor = ThreadPoolExecutor(  # asyncio's default one has cores + 4 threads
            min(max_open, _MOST_WORKERS), thread_name_prefix=run_id
        )
        weakref.finalize(self, self.executor.shutdown, wait=False)
        self._open: set[Session] = set()
        self._lock = threading.Lock()
        self._at_the_end = weakref.finalize(self, _close_all, self._open)

    def open(self, asked: Asked) -> Session:
        """See `Bench.open`."""
        place = self._places.take(waits=True)
        try:
            taker = place.result()
        except BaseException:  # Ctrl-C
            self._places.abandon(place)
            raise
        return self._open_in(taker, asked)

    def opening(self, asked: Asked) -> Opening:
        """See `Bench.aopen`."""
        return Opening(partial(self._aopen, asked))

    def renew(self, session: Session, asked: Asked) -> None:
        """See `Bench.reset`."""

        def renewed(sandbox: Sandbox) -> Episode:
            if isinstance(sandbox, SharingSandbox) and keeps_sandbox(self._tools):
                with suppress(SandboxDied):
                    return self._settings.begin(asked.scenario, asked.sample, sandbox, used=True)
            sandbox.close()
            fresh = self._provider.open(run_id=self._run_id, episode_id=asked.id)
            try:
                return self._settings.begin(asked.scenario, asked.sample, fresh)
            except BaseException:
                fresh.close()
                raise

        session.begin_anew(asked.id, renewed)

    def close(self) -> None:
        """Close those that are open; others can be opened later."""
        with self._lock:
            sessions = list(self._open)
        _close_all(sessions)

    async def _aopen(self, asked: Asked) -> Session:
        """A task that is cancelled meanwhile leaves neither place nor sandbox."""
        place = self._places.take()
        try:
            taker = await asyncio.wrap_future(place)
        except asyncio.CancelledError:
            self._places.abandon(place)
            raise
        future = self.executor.submit(self._open_in, taker, asked)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(partial(self._drop, taker))
            raise

    def _drop(self, taker: int, future: Future[Session]) -> None:
        """Undo an opening that nobody waits for any more."""
        if future.cancelled():
            self._places.give_back(taker)
        elif future.exception() is None:
            with suppress(Exception):
                future.result().close()

    def _open_in(self, taker: int, asked: Asked) -> Session:
        try:
            sandbox = self._provider.open(run_id=self._run_id, episode_id=asked.id)
        except BaseException:
            self._places.give_back(taker)
            raise
        try:
            episode = self._settings.begin(asked.scenario, asked.sample, sandbox)
            session = Session(
                episode, asked.id, self._tools, executor=self.executor, closing=lambda: self._close(session, taker)
            )
            with self._lock:
                self._open.add(session)
        except BaseException:
            try:
                sandbox.close()
            finally:
                self._places.give_back(taker)
            raise
        return session

    def _close(self, session: Session, taker: int) -> None:
        try:
            session.sandbox.close()
        finally:
            with self._lock:
                self._open.discard(session)
            self._places.give_back(taker)


class Opening:
    """A session being opened: awaitable, and an async context manager."""

    def __init__(self, begin: Callable[[], Any]) -> None:
        self._begin = begin
        self._session: Session | None = None

    def __await__(self) -> Generator[Any, None, Session]:
        session: Session = yield from self._begin().__await__()
        return session

    async def __aenter__(self) -> Session:
        self._session = await self
        return self._session

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._session is not None
        await self._session.aclose()


def _close_all(sessions: Iterable[Session]) -> None:
    for session in list(sessions):
        with suppress(Exception):
            session.close()
