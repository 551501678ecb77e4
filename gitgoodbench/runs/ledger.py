"""ledger.jsonl: the account of a run. A line before each request to a model, and one for what came back.

A reply's line is written, and synced, before the reply is used; so whatever becomes of it - an answer, a failure, an
attempt that is killed or done again - it stays counted. Nothing in the file is ever changed. Totals are its sums.
"""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from gitgoodbench.errors import CostLimitReached, RunAborted, UserError
from gitgoodbench.files import SharedSync
from gitgoodbench.models.meter import Tokens, Usage
from gitgoodbench.models.recording import Exchange, Fate
from gitgoodbench.runs.account import Account, Books, LedgerLine, read_ledger
from gitgoodbench.runs.events import utc_now
from gitgoodbench.runs.result import one_line


class Ledger:
    """The ledger of a run, open for writing; used by several threads at once.

    limit_usd: over everything in the file. A request that was not answered, and may have been billed, counts towards it
    as much as the dearest answer of its model so far.

    Raises:
        UserError: the file cannot be opened.
    """

    def __init__(self, path: Path, limit_usd: float | None = None) -> None:
        self._path = path
        self.limit_usd = limit_usd
        self._lock = threading.Lock()
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            self._books = Books(read_ledger(path))
        except OSError as problem:
            raise UserError(f"the account {path} of the run cannot be written: {problem.strerror}") from problem
        size = os.fstat(self._descriptor).st_size
        if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
            os.write(self._descriptor, b"\n")
        self._sync = SharedSync(lambda: os.fsync(self._descriptor))
        self._books.give_up_open()

    def ask(self, episode: str, role: str, model: str) -> str:
        """Write down that a request is about to be sent; returns what ties it to what comes back.

        Raises:
            CostLimitReached: the money is spent.
            RunAborted: the file cannot be written.
        """
        with self._lock:
            self._check()
            request = uuid.uuid4().hex[:16]
            line = LedgerLine(time=utc_now(), event="asked", request=request, episode=episode, role=role, model=model)
            self._write(line)
        return request

    def receive(self, request: str, episode: str, role: str, exchange: Exchange) -> None:
        """Write down what came back.

        Raises:
            RunAborted: the file cannot be written; or there is a limit, and the server does not say what an answer
                cost.
        """
        line = LedgerLine(
            time=utc_now(),
            event=exchange.fate.value,
            request=request,
            episode=episode,
            role=role,
            model=exchange.request.model,
            reported=exchange.model,
            response_id=exchange.response_id,
            seconds=round(exchange.seconds, 3),
            tokens=exchange.tokens if exchange.tokens != Tokens() else None,
            cost_usd=_cost(exchange),
            cause=None if exchange.cause is None else one_line(exchange.cause),
        )
        with self._lock:
            self._write(line)
        self._synced()
        if self.limit_usd is not None and exchange.fate is Fate.ANSWERED and line.cost_usd is None:
            raise RunAborted(
                f"a cost limit cannot be watched: the server does not say how many tokens {exchange.request.model} "
                "used, or its price is not known; leave --max-cost out, or give the price"
            )

    def report(self, episode: str, role: str, model: str | None, usage: Usage) -> None:
        """Write down what an agent says of a whole episode, where it did not ask through the harness.

        Raises:
            RunAborted: the file cannot be written.
        """
        tokens = Tokens(usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
        line = LedgerLine(
            time=utc_now(), event="reported", request="", episode=episode, role=role, model=model,
            tokens=tokens, cost_usd=usage.cost_usd, requests=usage.requests,
        )  # fmt: skip
        with self._lock:
            self._write(line)
        self._synced()

    def carry(self, costs: Mapping[tuple[str, str], float]) -> None:
        """Begin with what was spent before there was a ledger, by episode and role; nothing where there is one."""
        with self._lock:
            if not self._books.empty:
                return
            for (episode, role), dollars in costs.items():
                line = LedgerLine(
                    time=utc_now(), event="carried", request="", episode=episode, role=role, model=None,
                    cost_usd=dollars,
                )  # fmt: skip
                self._write(line)
        self._synced()

    @property
    def account(self) -> Account:
        """All that is in the file."""
        with self._lock:
            return self._books.account

    @property
    def limit_reached(self) -> str | None:
        """Why no further request may be sent; None while one may."""
        with self._lock:
            try:
                self._check()
            except CostLimitReached as reached:
                return str(reached)
        return None

    def close(self) -> None:
        """Close the file. A thread that an interruption left behind can ask for nothing more."""
        with self._lock:
            descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self) -> None:
        if self.limit_usd is None:
            return
        spent, possible = self._books.spent, self._books.possible
        if spent + possible >= self.limit_usd:
            more = f", and up to ${possible:.2f} for requests without an answer" if possible else ""
            raise CostLimitReached(
                f"the cost limit is reached: ${spent:.2f} spent{more}, of --max-cost {self.limit_usd:g}"
            )

    def _synced(self) -> None:
        """Return when what is written is on the disk."""
        try:
            self._sync()
        except OSError as problem:
            raise RunAborted(f"the account {self._path} cannot be written: {problem.strerror}") from problem

    def _write(self, line: LedgerLine) -> None:
        data = json.dumps(line.model_dump(mode="json", exclude_none=True)).encode() + b"\n"
        try:
            if os.write(self._descriptor, data) != len(data):
                raise OSError(28, "only a part of a line was written")
        except OSError as problem:
            raise RunAborted(f"the account {self._path} cannot be written: {problem.strerror}") from problem
        self._books.enter(line)


def _cost(exchange: Exchange) -> float | None:
    if exchange.fate in (Fate.CACHED, Fate.REFUSED):
        return 0.0
    return None if exchange.cost_usd is None else round(exchange.cost_usd, 10)
