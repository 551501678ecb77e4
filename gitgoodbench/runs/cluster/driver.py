"""The side of the process that was started: it sends errands to workers, serves them, and keeps what they bring.

A worker that dies costs its episode only: what was saved of it by then stays, and the rest is done again by another
worker, `TRIES` times in all. After that the episode has failed for a reason of infrastructure.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from gitgoodbench.clusters.backends import Workers
from gitgoodbench.clusters.hub import Hub, Seat, read_address
from gitgoodbench.clusters.pools import LOOPBACK, Pool, open_pool
from gitgoodbench.clusters.wire import Wire, WireBroken
from gitgoodbench.errors import CostLimitReached, InfrastructureFailed, RunAborted, UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.runs.bookkeeping import Books
from gitgoodbench.runs.cluster.errand import Done, Errand, RunOrder, keys_of
from gitgoodbench.runs.cluster.mirrors import Sender
from gitgoodbench.runs.cluster.service import Service
from gitgoodbench.runs.cluster.worker import work
from gitgoodbench.runs.config import RunConfig
from gitgoodbench.runs.context import Attempts, RunContext, Saved
from gitgoodbench.runs.episode import (
    KEPT_ATTEMPTS,
    failed_to_settle,
    keep_settled,
    make_room,
    save_played,
    saved_episode,
)
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.play import not_played
from gitgoodbench.runs.result import Result, write_result
from gitgoodbench.runs.stop import GRACE_S, EpisodeGivenUp
from gitgoodbench.scenario import Outcome, Scenario
from gitgoodbench.workspace.store import RepositoryStore

TRIES: Final = 3


@contextmanager
def open_cluster(
    config: RunConfig,
    manifest: Manifest,
    scenarios: Mapping[str, Scenario],
    store: RepositoryStore,
    books: Books,
    *,
    own_agent: bool,
) -> Iterator[Cluster]:
    """The workers that `config` names, for one session of a run.

    Raises:
        UserError: they are not to be had, or cannot have the run's agent.
    """
    if own_agent:
        raise UserError(f"--backend {config.backend}: this agent lives in this process; leave --backend out")
    order = RunOrder(
        name=secrets.token_hex(8),
        config=config.model_copy(update={"jobs": 1}),
        manifest=manifest,
        scenarios=tuple(scenarios),
        keys=keys_of(os.environ),
        witnessed=books.witness is not None,
        agent_cache=books.agent_cache is not None,
        judge_cache=books.judge_cache is not None,
    )
    with open_pool(Workers(config.backend, config.jobs, config.cluster)) as pool:
        hub, sender = _open_hub(config, pool), Sender(store)
        try:
            yield Cluster(pool, hub, order, sender)
        finally:
            hub.close()
            sender.close()


def _open_hub(config: RunConfig, pool: Pool) -> Hub:
    if config.driver_address is not None:
        return Hub(*read_address(config.driver_address), everywhere=True)
    return Hub(pool.host, everywhere=pool.host != LOOPBACK)


@dataclass
class _Task:
    """An errand that is under way, to be closed by whoever stops the run. over: set once its sandbox is gone."""

    seat: Seat
    wire: Wire | None = None
    withdraw: Callable[[], None] = field(default=lambda: None)
    over: threading.Event = field(default_factory=threading.Event)

    def close(self) -> None:
        """End it, and wait until its worker has closed its sandbox: workers may be killed with the run."""
        if self.wire is None:
            self.withdraw()
            self.seat.tell("lost", "it was withdrawn")
            return
        self.stop()
        self.over.wait(GRACE_S)

    def stop(self) -> None:
        if self.wire is not None:
            with suppress(WireBroken):
                self.wire.send((0, "stop", "the run ends"))


class _WorkerLost(Exception):
    """Nothing will come back of an errand."""


class Cluster:
    """See `context.Elsewhere`. Used by as many threads as episodes are played at a time."""

    def __init__(self, pool: Pool, hub: Hub, order: RunOrder, sender: Sender) -> None:
        self._pool = pool
        self._hub = hub
        self._order = order
        self._sender = sender

    def carry_out(self, planned: PlannedEpisode, run: RunContext, saved: Saved | None, attempts: Attempts) -> Result:
        """See `context.Elsewhere`."""
        files = planned.paths(run.paths)
        reason = ""
        for _ in range(TRIES):
            if saved is None:
                make_room(files)
            try:
                done = self._errand(planned, run, files, saved, attempts)
            except _WorkerLost as problem:
                reason = str(problem)
                run.log.write("worker_lost", episode=planned.id, reason=reason)
                saved = saved_episode(planned, files, attempts)
                if saved is None:
                    lost = not_played(planned, run, _lost(reason), attempts)
                    attempts = (*attempts, lost.attempt)[-KEPT_ATTEMPTS:]
                continue
            return _keep(files, done)
        failure = _lost(reason)
        if saved is None:
            result = not_played(planned, run, failure, attempts[:-1])
        else:
            result = failed_to_settle(saved[0], failure)
        write_result(files.result, result)
        return result

    def settle(self, saved: Saved, planned: PlannedEpisode, run: RunContext) -> Result:
        """See `context.Elsewhere`."""
        files = planned.paths(run.paths)
        reason = ""
        for _ in range(TRIES):
            try:
                done = self._errand(planned, run, files, saved, saved[0].attempts)
            except _WorkerLost as problem:
                reason = str(problem)
                run.log.write("worker_lost", episode=planned.id, reason=reason)
                continue
            assert done.result is not None
            if not done.is_settled:
                raise InfrastructureFailed(done.result.error.message if done.result.error else "it cannot be settled")
            _keep_files(files, done)
            return done.result
        raise _lost(reason)

    def _errand(
        self, planned: PlannedEpisode, run: RunContext, files: EpisodePaths, saved: Saved | None, attempts: Attempts
    ) -> Done:
        """Have one worker do it.

        Raises:
            _WorkerLost: it died, or none could be started.
            RunAborted, CostLimitReached, EpisodeGivenUp: as a local episode.
        """
        seat = self._hub.seat()
        task = run.stop.opened(lambda: _Task(seat))
        try:
            errand = Errand(seat.ticket, self._order, planned, saved, attempts)
            task.withdraw = self._pool.submit(work, errand, seat.tell)
            done = self._follow(task, planned, run, files)
        except _WorkerLost as problem:
            task.withdraw()
            if run.stop.giving_up:
                raise EpisodeGivenUp(run.stop.reason or "the run ends") from problem
            raise
        finally:
            self._hub.leave(seat)
            task.over.set()
            run.stop.closed(task)
        return _checked(done, self._hub)

    def _follow(self, task: _Task, planned: PlannedEpisode, run: RunContext, files: EpisodePaths) -> Done:
        def played(result: Result, outcome: Outcome, logs: Mapping[str, bytes]) -> None:
            save_played(files, result, outcome, logs)
            run.log.write("outcome_saved", episode=planned.id)
            task.over.set()
            run.stop.closed(task)  # its sandbox is gone; a run that ends does not wait for scores

        while True:
            kind, news = task.seat.news.get()
            if kind == "done":
                assert isinstance(news, Done)
                return news
            if kind == "lost":
                raise _WorkerLost(str(news))
            self._serve(task, news, run, Service(news, run, files, self._sender, played))

    def _serve(self, task: _Task, wire: Wire, run: RunContext, service: Service) -> None:
        task.wire = wire
        if run.stop.giving_up:
            task.stop()
        try:
            service.serve()
        except WireBroken as problem:
            raise _WorkerLost(f"its worker died, or cannot be reached any more ({problem})") from problem


def _checked(done: Done, hub: Hub) -> Done:
    """An errand that has a result.

    Raises:
        RunAborted, CostLimitReached, EpisodeGivenUp: the worker had reason to raise it.
    """
    if done.problem == "cost":
        raise CostLimitReached(done.reason)
    if done.problem == "given_up":
        raise EpisodeGivenUp(done.reason)
    if done.problem == "unreachable":
        raise RunAborted(
            f"{done.reason}: workers must reach this process; name an address of this machine that they reach with "
            f"--driver-address (now {hub.address[0]}:{hub.address[1]})"
        )
    if done.problem is not None:
        raise RunAborted(done.reason)
    return done


def _keep(files: EpisodePaths, done: Done) -> Result:
    assert done.result is not None
    _keep_files(files, done)
    save_played(files, done.result, None, done.logs)
    return keep_settled(files, done.result, is_settled=done.is_settled)


def _keep_files(files: EpisodePaths, done: Done) -> None:
    for name, data in done.files.items():
        if name == files.judge_prompts.name:
            write_atomically(files.judge_prompts, data)


def _lost(reason: str) -> InfrastructureFailed:
    return InfrastructureFailed(f"the worker was lost {TRIES} times: {reason}")
