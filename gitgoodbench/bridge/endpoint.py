"""The model as programs in a sandbox see it: what they may ask is asked, counted, recorded, and answered.

A refusal for good (a limit, a broken provider) is told by status 402, which most clients do not try again; since some
do, the program is interrupted a moment later. How the episode ended is said here, not by the program's exit code.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from gitgoodbench.bridge.account import Account, Call, Entry
from gitgoodbench.bridge.connection import Connection
from gitgoodbench.bridge.frames import STREAMS
from gitgoodbench.bridge.handler import Handler
from gitgoodbench.bridge.passing import Passing
from gitgoodbench.bridge.refusals import Closed, NotAllowed, close_off
from gitgoodbench.bridge.upstream import HalfAnswer, Question, Upstream
from gitgoodbench.errors import EpisodeError, InfrastructureFailed, RunAborted
from gitgoodbench.models.meter import Meter
from gitgoodbench.models.recording import recorder
from gitgoodbench.text import one_line

DEFAULT_GRACE_S: Final = 3.0
"""Seconds between a refusal for good and the interruption: most programs end by themselves."""

DEFAULT_WAIT_S: Final = 10.0
"""Seconds for answers that are under way when the bridge is closed."""

_HALVES: Final = 5
"""Answers in a row that may break off in the middle before the provider counts as broken."""

_KINDS: Final = 200
"""Different reports that are kept; a program can make up any number."""


class ModelEndpoint:
    """What a `Mux` serves connections by, one for each episode.

    Requests are recorded by whoever records the thread that makes it (`models.recording`).

    upstreams: one for each API that is served. meter: nobody else's while the bridge stands. interrupt: ends the
    program; called once, in a thread of its own.
    """

    def __init__(
        self,
        upstreams: Sequence[Upstream],
        meter: Meter,
        interrupt: Callable[[], None] = lambda: None,
        *,
        grace_s: float = DEFAULT_GRACE_S,
    ) -> None:
        self._upstreams = {upstream.api: upstream for upstream in upstreams}
        self.account = Account(meter, recorder())
        self._interrupt, self._grace_s = interrupt, grace_s
        self._lock = threading.Lock()
        self._reports: Counter[str] = Counter()
        self._halves = self._open = 0
        self._timer: threading.Timer | None = None
        self._closed = False
        self._ending: EpisodeError | RunAborted | None = None

    @property
    def apis(self) -> frozenset[str]:
        """The APIs that are served."""
        return frozenset(self._upstreams)

    @property
    def models(self) -> list[str]:
        """Names of the models."""
        return [upstream.name for upstream in self._upstreams.values()]

    @property
    def ending(self) -> EpisodeError | RunAborted | None:
        """Why nothing more is answered; None while something may be."""
        return self._ending

    @property
    def reports(self) -> dict[str, int]:
        """What was left out of requests, or turned away, in words, and how often."""
        with self._lock:
            return dict(self._reports)

    def serve(self, connection: Connection) -> None:
        """Serve one connection to its end."""
        with self._lock:
            self._open += 1
            full = self._open == STREAMS
        if full:
            self.report(f"{STREAMS} connections at once: more have to wait")
        try:
            Handler(connection, self)
        finally:
            with self._lock:
                self._open -= 1

    def lose(self, reason: str) -> None:
        """The way to the model is lost; the program, which may wait for it for ever, is interrupted at once."""
        self._end(InfrastructureFailed(reason), 0.0)

    def close(self, wait_s: float = DEFAULT_WAIT_S) -> None:
        """Interrupt no more, refuse what is asked from now on, and wait for answers under way: they are paid.

        Args:
            wait_s: seconds, at most; an answer that comes later is not recorded.
        """
        with self._lock:
            before, self._closed = self._closed, True
        if before:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # an interruption must not reach a later command
        self.account.close(wait_s)

    def report(self, words: str) -> bool:
        """Remember what was left out or turned away; whether it is told by name."""
        with self._lock:
            kept = words in self._reports or len(self._reports) < _KINDS
            self._reports[words if kept else "further ones"] += 1
        return kept

    def answer(self, api: str, body: Mapping[str, Any], headers: Mapping[str, str], size: int, client: Handler) -> None:
        """Answer a client's request, or say why not."""
        try:
            closed = close_off(api, body)
            question = self._upstreams[api].question(closed.body, headers)
            conversation, messages = self.account.place(question.request.messages)
            question = replace(question, request=replace(question.request, messages=messages))
        except NotAllowed as problem:
            self.report(f"{api}: {problem}")
            client.problem(400, api, str(problem))
            return
        except RecursionError:
            client.problem(400, api, "a body that is nested too deep")
            return
        self._report_closed(api, closed)
        begun = time.monotonic()
        entry = self.account.entry(conversation)
        status = 0
        try:
            status = self._exchange(question, entry, client, _wants_usage(body))
        finally:
            seconds = round(time.monotonic() - begun, 3)
            agent = one_line(headers.get("user-agent", ""), 100)
            self.account.ended(Call(conversation, api, question.streamed, agent, size, status, seconds, entry.tokens))

    def _exchange(self, question: Question, entry: Entry, client: Handler, usage: bool) -> int:
        """Ask and pass on; the status that the client got."""
        api = question.request.api
        upstream = self._upstreams[api]
        passing = Passing(client, upstream.hide, wanted=question.streamed, leaves_usage=api == "chat" and not usage)
        try:
            if self._closed:
                raise InfrastructureFailed("the bridge is closed")
            if self._ending is not None:
                raise self._ending.with_traceback(None)
            with self.account.reserve():
                reply = upstream.ask(question, entry, self.account, passing)
        except HalfAnswer as problem:
            self._count_half(str(problem))
            client.break_off()
            return 0
        except (EpisodeError, RunAborted) as ending:
            self._end(ending, self._grace_s)
            if passing.begun:
                client.break_off()
                return 0
            client.problem(402, api, one_line(f"no further answer: {ending}"))
            return 402
        with self._lock:
            self._halves = 0
        if passing.streams:
            passing.finish()
        else:
            client.reply(reply.status, reply.content_type, reply.body)
        return client.status

    def _report_closed(self, api: str, closed: Closed) -> None:
        for words in closed.left_out:
            if self.report(f"{api}: {words} left out"):
                self.account.note(f"left out of requests: {words}")

    def _count_half(self, reason: str) -> None:
        with self._lock:
            self._halves += 1
            broken = self._halves >= _HALVES
        if broken:
            self._end(InfrastructureFailed(f"{reason}; {_HALVES} answers in a row broke off"), self._grace_s)

    def _end(self, ending: EpisodeError | RunAborted, after_s: float) -> None:
        with self._lock:
            if self._ending is not None or self._closed:
                return
            self._ending = ending
            self._timer = threading.Timer(after_s, self._interrupt)
            self._timer.daemon = True
            self._timer.start()


def _wants_usage(body: Mapping[str, Any]) -> bool:
    options = body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True
