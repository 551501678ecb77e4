"""A request on its way, and how whoever keeps books is told what came of it."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

from gitgoodbench.models.answer import Answer
from gitgoodbench.models.endpoint import Reply
from gitgoodbench.models.faults import Refused
from gitgoodbench.models.meter import TimeIsUp, Tokens
from gitgoodbench.models.recording import Exchange, Fate, Request


class Sent:
    """See the module. begun: None while nothing was sent."""

    def __init__(self, request: Request, attempt: int) -> None:
        self.request = request
        self.begun: float | None = None
        self._attempt = attempt
        self._started = _now()

    def begin(self) -> None:
        self._started, self.begun = _now(), time.monotonic()

    def answered(self, answer: Answer, reply: Reply, cost: float | None, fate: Fate = Fate.ANSWERED) -> Exchange:
        return replace(
            self._exchange(fate, reply),
            tokens=answer.tokens, cost_usd=cost, message=answer.message, finish_reason=answer.finish_reason,
            response_id=answer.response_id, model=answer.model,
        )  # fmt: skip

    def failed(self, problem: Exception, reply: Reply | None, tokens: Tokens, cost: float | None) -> Exchange:
        source = problem.__cause__ if isinstance(problem, TimeIsUp) else problem
        partial = getattr(source, "partial", b"") if reply is None else b""
        return replace(
            self._exchange(_fate_of(problem, reply), reply, partial), tokens=tokens, cost_usd=cost, cause=str(problem)
        )

    def _exchange(self, fate: Fate, reply: Reply | None, partial: bytes = b"") -> Exchange:
        seconds = 0.0 if self.begun is None else time.monotonic() - self.begun
        body, status = (partial, None) if reply is None else (reply.body, reply.status)
        return Exchange(self.request, fate, self._started, seconds, body, status=status, attempt=self._attempt)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _fate_of(problem: Exception, reply: Reply | None) -> Fate:
    if isinstance(problem, Refused) or not getattr(problem, "connected", True):
        return Fate.REFUSED
    return Fate.LOST if reply is None else Fate.UNREADABLE
