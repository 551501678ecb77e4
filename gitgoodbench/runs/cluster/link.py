"""A worker's connection to the process that was started, and what stands for that process's objects here."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gitgoodbench.clusters.hub import Ticket
from gitgoodbench.clusters.wire import Wire, WireBroken, offer
from gitgoodbench.models.meter import Usage
from gitgoodbench.models.recording import Exchange, ToolRun
from gitgoodbench.runs.stop import EpisodeGivenUp, Stop

_CONNECT_S = 30.0


class Link:
    """Questions and news of one episode. stop: gives up when we are told to, or nobody is left to tell.

    Raises:
        WireBroken: the process that was started cannot be reached.
    """

    def __init__(self, ticket: Ticket, stop: Stop) -> None:
        self._wire: Wire = offer(ticket.address, ticket.name, ticket.key, _CONNECT_S)
        self._stop = stop
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.SimpleQueue[tuple[str, Any]]] = {}
        self._lock = threading.Lock()
        self._over = False
        threading.Thread(target=self._listen, name="link", daemon=True).start()

    def call(self, method: str, *arguments: Any) -> Any:
        """What the other end answers; what it raises is raised here.

        Raises:
            EpisodeGivenUp: nobody is there any more.
        """
        number, answer = next(self._numbers), queue.SimpleQueue[tuple[str, Any]]()
        with self._lock:
            if self._over:
                raise EpisodeGivenUp("the process that was started is gone")
            self._waiting[number] = answer
        self._send((number, method, arguments))
        kind, value = answer.get()
        if kind == "raised":
            raise value
        return value

    def tell(self, method: str, *arguments: Any) -> None:
        """Tell the other end, which answers nothing.

        Raises:
            EpisodeGivenUp: nobody is there any more.
        """
        self._send((0, method, arguments))

    def close(self) -> None:
        """Say that this was all."""
        with suppress(EpisodeGivenUp):
            self.tell("bye")
        self._wire.close()

    def _send(self, message: tuple[int, str, tuple[Any, ...]]) -> None:
        try:
            self._wire.send(message)
        except WireBroken as problem:
            raise EpisodeGivenUp(f"the process that was started is gone: {problem}") from problem

    def _listen(self) -> None:
        try:
            while True:
                number, kind, value = self._wire.receive()
                if number:
                    with self._lock:
                        answer = self._waiting.pop(number)
                    answer.put((kind, value))
                else:
                    self._stop.give_up(str(value))
        except WireBroken as problem:
            gone = EpisodeGivenUp(f"the process that was started is gone: {problem}")
            with self._lock:
                self._over, waiting = True, list(self._waiting.values())
            for answer in waiting:
                answer.put(("raised", gone))
            self._stop.give_up(str(gone))


@dataclass(frozen=True)
class FarLedger:
    """See `bookkeeping.OpenLedger`."""

    link: Link

    def ask(self, episode: str, role: str, model: str) -> str:
        return str(self.link.call("ask", episode, role, model))

    def receive(self, request: str, episode: str, role: str, exchange: Exchange) -> None:
        self.link.call("receive", request, episode, role, exchange)

    def report(self, episode: str, role: str, model: str | None, usage: Usage) -> None:
        self.link.call("report", episode, role, model, usage)


@dataclass(frozen=True)
class FarAnswers:
    """See `bookkeeping.Answers`. whose: agent or judge."""

    link: Link
    whose: str

    def get(self, digest: str) -> bytes | None:
        found: bytes | None = self.link.call("recall", self.whose, digest)
        return found

    def put(self, digest: str, reply: bytes) -> None:
        self.link.tell("keep", self.whose, digest, reply)

    def forget(self, digest: str) -> None:
        self.link.tell("forget", self.whose, digest)


@dataclass(frozen=True)
class FarWitness:
    """See `witness.Witness`."""

    link: Link

    def hear(self, event: Mapping[str, Any]) -> None:
        """Events are heard where they are written."""

    def exchanged(self, episode: str, role: str, exchange: Exchange) -> None:
        self.link.tell("exchanged", episode, role, exchange)

    def called(self, episode: str, run: ToolRun) -> None:
        self.link.tell("called", episode, run)


@dataclass(frozen=True)
class FarLog:
    """See `context.Log`."""

    link: Link

    def write(self, event: str, **details: Any) -> None:
        plain = {
            name: value if isinstance(value, int | float | None) else str(value) for name, value in details.items()
        }
        with suppress(EpisodeGivenUp):
            self.link.tell("log", event, plain)


@dataclass(frozen=True)
class FarPlaces:
    """See `connections.Places`."""

    link: Link

    def enter(self, address: str, most: int | None) -> float:
        return float(self.link.call("enter", address, most))

    def leave(self, address: str, most: int | None, *, limited: bool, served: bool) -> None:
        with suppress(EpisodeGivenUp):
            self.link.tell("leave", address, most, limited, served)


def copy_to(link: Link) -> Any:
    """What gets the lines of transcripts (`transcript.Copy`)."""

    def copy(name: str, data: bytes, sync: bool) -> None:
        (link.call if sync else link.tell)("append", name, data, sync)

    return copy
