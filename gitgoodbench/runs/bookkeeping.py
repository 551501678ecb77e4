"""The recorder of a run: money into the ledger, words into the transcript, answers into the cache."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Usage
from gitgoodbench.models.recording import Exchange, Fate, Request, ToolRun
from gitgoodbench.runs.account import AGENT, JUDGE
from gitgoodbench.runs.answers import AnswerCache
from gitgoodbench.runs.config import RunConfig
from gitgoodbench.runs.ledger import Ledger
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import read_result
from gitgoodbench.runs.transcript import Copy, Transcript
from gitgoodbench.runs.witness import Witness


class OpenLedger(Protocol):
    """What an episode has of a `Ledger`, wherever that lies."""

    def ask(self, episode: str, role: str, model: str) -> str: ...

    def receive(self, request: str, episode: str, role: str, exchange: Exchange) -> None: ...

    def report(self, episode: str, role: str, model: str | None, usage: Usage) -> None: ...


class Answers(Protocol):
    """What an episode has of an `AnswerCache`, wherever that lies."""

    def get(self, digest: str) -> bytes | None: ...

    def put(self, digest: str, reply: bytes) -> None: ...

    def forget(self, digest: str) -> None: ...


@dataclass(frozen=True)
class EpisodeBooks:
    """Where an episode keeps what its models say. agent_cache, judge_cache: None asks anew every time.

    witness: hears of every request and call, too. copy: gets the lines of transcripts, too.
    """

    ledger: OpenLedger
    agent_cache: Answers | None = None
    judge_cache: Answers | None = None
    witness: Witness | None = None
    copy: Copy | None = None


@dataclass(frozen=True)
class Books(EpisodeBooks):
    """Where a run keeps it."""

    ledger: Ledger


def open_books(paths: RunPaths, config: RunConfig, witness: Witness | None = None) -> Books:
    """The books of a run, of which the caller holds the lock.

    They stay open while the process lives: an answer may still arrive after a run was interrupted.

    Raises:
        UserError: they cannot be written.
    """
    ledger = Ledger(paths.ledger, config.max_cost)
    ledger.carry(_costs_of_before(paths))
    kept = AnswerCache(paths.answers)
    agent_cache = kept if config.cache_answers else None
    return Books(ledger, agent_cache, None if config.cache_answers is False else kept, witness)


def _costs_of_before(paths: RunPaths) -> dict[tuple[str, str], float]:
    """What results say was spent, for a run that was begun before there were ledgers."""
    if paths.ledger.stat().st_size:
        return {}
    costs: dict[tuple[str, str], float] = {}
    for path in paths.result_files():
        result = read_result(path)
        if result is None:
            continue
        episode = "/".join(map(str, result.key))
        costs[episode, AGENT] = (result.usage.cost_usd or 0.0) + sum(a.cost_usd or 0.0 for a in result.attempts)
        costs[episode, JUDGE] = 0.0 if result.judge is None else result.judge.usage.cost_usd or 0.0
    return {who: dollars for who, dollars in costs.items() if dollars}


@dataclass(frozen=True)
class Account:
    """Whose money is spent: an episode's (empty: nobody's), by the agent or a judge."""

    episode: str
    role: str


class Bookkeeper:
    """Records one conversation. See `models.recording.Recorder`.

    transcript, cache: None keeps no words, no answers. epoch: tells apart what asks the same on purpose.
    conversation: its name, where a transcript has several. witness: hears of requests and calls, too. heard: set once
    any conversation of the account is recorded.
    """

    def __init__(
        self,
        ledger: OpenLedger,
        account: Account,
        transcript: Transcript | None = None,
        cache: Answers | None = None,
        *,
        epoch: int = 1,
        conversation: str | None = None,
        witness: Witness | None = None,
        heard: Event | None = None,
    ) -> None:
        self._ledger = ledger
        self._account = account
        self._transcript = transcript
        self._cache = cache
        self._epoch = epoch
        self._conversation = conversation
        self._witness = witness
        self._asked: str | None = None
        self._digests: list[str] = []
        self._heard = heard or Event()

    def recall(self, request: Request) -> bytes | None:
        return None if self._cache is None else self._cache.get(request.digest(self._epoch))

    def asking(self, request: Request) -> None:
        self._asked = self._ledger.ask(self._account.episode, self._account.role, request.model)

    def sent(self, request: Request) -> None:
        if self._transcript is not None:
            self._transcript.asked(request, self._conversation)

    def received(self, exchange: Exchange) -> None:
        self._heard.set()
        asked, self._asked = self._asked or uuid.uuid4().hex[:16], None
        if self._witness is not None:
            self._witness.exchanged(self._account.episode, self._account.role, exchange)
        self._ledger.receive(asked, self._account.episode, self._account.role, exchange)
        if self._transcript is not None:
            self._transcript.exchange(exchange, self._conversation)
        if self._cache is not None:
            self._digests.append(exchange.request.digest(self._epoch))
            if exchange.fate is Fate.ANSWERED:
                self._cache.put(self._digests[-1], exchange.body)

    def said(self, message: Message) -> None:
        if self._transcript is not None:
            self._transcript.message(message)

    def called(self, run: ToolRun) -> None:
        if self._witness is not None:
            self._witness.called(self._account.episode, run)

    def report(self, model: str | None, usage: Usage) -> None:
        """Enter what an agent says that it used, unless its requests were recorded one by one."""
        if not self._heard.is_set() and usage.requests:
            self._ledger.report(self._account.episode, self._account.role, model, usage)

    def discard(self) -> None:
        if self._cache is not None:
            for digest in self._digests:
                self._cache.forget(digest)

    def conversation(self, name: str, epoch: int) -> Bookkeeper:
        return Bookkeeper(
            self._ledger, self._account, self._transcript, self._cache,
            epoch=epoch, conversation=name, witness=self._witness, heard=self._heard,
        )  # fmt: skip
