"""The other end of a worker's link: answers with the run's own account, caches, log, files and places.

One thread serves one episode, message by message. Only waiting for a place at a model's server is done beside it.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from gitgoodbench.clusters.wire import Wire, WireBroken
from gitgoodbench.errors import GitGoodBenchError, RunAborted
from gitgoodbench.models.connections import connections_to
from gitgoodbench.models.meter import Usage
from gitgoodbench.models.recording import Exchange, ToolRun
from gitgoodbench.runs.cluster.mirrors import Parcel, Sender
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.transcript import open_lines
from gitgoodbench.scenario import Outcome

_FILES = ("trajectory.jsonl", "judging.jsonl")


class Service:
    """Serves one worker. played: called with what the agent left, once it has ended."""

    def __init__(
        self,
        wire: Wire,
        run: RunContext,
        files: EpisodePaths,
        sender: Sender,
        played: Callable[[Result, Outcome, Mapping[str, bytes]], None],
    ) -> None:
        self._wire = wire
        self._run = run
        self._files = files
        self._sender = sender
        self._played = played
        self._open: dict[str, int] = {}
        self._places: Counter[tuple[str, int | None]] = Counter()
        self._lock = threading.Lock()
        self._ended = False

    def serve(self) -> None:
        """Until the worker says that this was all.

        Raises:
            WireBroken: it is gone.
            RunAborted: a file cannot be written.
        """
        try:
            while True:
                number, method, arguments = self._wire.receive()
                if method == "bye":
                    return
                if method == "enter":
                    threading.Thread(target=self._enter, args=(number, *arguments), daemon=True).start()
                else:
                    self._answer(number, method, arguments)
        finally:
            self._wire.close()
            self._end()

    def _answer(self, number: int, method: str, arguments: tuple[Any, ...]) -> None:
        try:
            value = getattr(self, f"do_{method}")(*arguments)
        except GitGoodBenchError as problem:
            if not number:
                raise
            self._wire.send((number, "raised", problem))
        else:
            if number:
                self._wire.send((number, "answered", value))

    def _end(self) -> None:
        with self._lock:
            self._ended, places = True, list(self._places.elements())
            self._places.clear()
        for address, most in places:
            connections_to(address, most).leave(limited=False, served=False)
        for descriptor in self._open.values():
            os.close(descriptor)

    def _enter(self, number: int, address: str, most: int | None) -> None:
        connections = connections_to(address, most)
        seconds = connections.enter()
        with self._lock:
            ended = self._ended
            if not ended:
                self._places[address, most] += 1
        if ended:
            connections.leave(limited=False, served=False)
            return
        with suppress(WireBroken):
            self._wire.send((number, "answered", seconds))

    def do_leave(self, address: str, most: int | None, limited: bool, served: bool) -> None:
        with self._lock:
            self._places[address, most] -= 1
        connections_to(address, most).leave(limited=limited, served=served)

    def do_ask(self, episode: str, role: str, model: str) -> str:
        return self._run.books.ledger.ask(episode, role, model)

    def do_receive(self, request: str, episode: str, role: str, exchange: Exchange) -> None:
        self._run.books.ledger.receive(request, episode, role, exchange)

    def do_report(self, episode: str, role: str, model: str | None, usage: Usage) -> None:
        self._run.books.ledger.report(episode, role, model, usage)

    def do_recall(self, whose: str, digest: str) -> bytes | None:
        cache = self._cache(whose)
        return None if cache is None else cache.get(digest)

    def do_keep(self, whose: str, digest: str, reply: bytes) -> None:
        if (cache := self._cache(whose)) is not None:
            cache.put(digest, reply)

    def do_forget(self, whose: str, digest: str) -> None:
        if (cache := self._cache(whose)) is not None:
            cache.forget(digest)

    def _cache(self, whose: str) -> Any:
        return self._run.books.agent_cache if whose == "agent" else self._run.books.judge_cache

    def do_exchanged(self, episode: str, role: str, exchange: Exchange) -> None:
        if self._run.books.witness is not None:
            self._run.books.witness.exchanged(episode, role, exchange)

    def do_called(self, episode: str, run: ToolRun) -> None:
        if self._run.books.witness is not None:
            self._run.books.witness.called(episode, run)

    def do_log(self, event: str, details: dict[str, Any]) -> None:
        self._run.log.write(event, **details)

    def do_append(self, name: str, data: bytes, sync: bool) -> None:
        """A line of a transcript, which is on disk before the worker goes on where it is to be synced."""
        assert name in _FILES
        try:
            if name not in self._open:
                self._open[name] = open_lines(self._files.folder / name)
            if os.write(self._open[name], data) != len(data):
                raise OSError(28, "only a part of a line was written")
            if sync:
                os.fsync(self._open[name])
        except OSError as problem:
            raise RunAborted(f"{self._files.folder / name} cannot be written: {problem.strerror}") from problem

    def do_played(self, result: Result, outcome: Outcome, logs: Mapping[str, bytes]) -> None:
        try:
            self._played(result, outcome, logs)
        except OSError as problem:
            raise RunAborted(f"{self._files.folder} cannot be written: {problem.strerror}") from problem

    def do_mirror(self, name: str, commits: tuple[str, ...]) -> Parcel:
        return self._sender.pack(name, commits)

    def do_piece(self, digest: str, start: int) -> bytes:
        return self._sender.piece(digest, start)
