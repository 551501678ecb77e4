"""Run a plan in parallel; it can be stopped at any moment."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from joblib import Parallel, delayed

from gitgoodbench.errors import RunAborted
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.episode import judge_saved, run_episode
from gitgoodbench.runs.plan import PlannedEpisode, finished_result
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.stop import EpisodeGivenUp


class Observer(Protocol):
    """Who watches a run: a progress bar, lines on a console, nobody. Called from the main thread."""

    def begin(self, planned: int, kept: Sequence[Result]) -> None:
        """The run starts or carries on, with `kept` results from before."""
        ...

    def finished(self, result: Result) -> None: ...

    def note(self, text: str) -> None:
        """Something the user must know, such as why the run ends early."""
        ...


@dataclass(frozen=True)
class Execution:
    """How a pass over the plan ended. unfinished: planned episodes without a final result."""

    results: tuple[Result, ...]
    unfinished: int
    stopped: str | None
    aborted: str | None
    interrupted: bool


class _Ledger:
    """What the run has spent, over all its sessions, and whether it may go on."""

    def __init__(self, run: RunContext, max_cost: float | None, kept: Sequence[Result]) -> None:
        self._run = run
        self._max_cost = max_cost
        self._spent = sum(result.spent_usd for result in kept)
        self._lock = threading.Lock()
        self.aborted: str | None = None
        self._check()

    def enter(self, result: Result) -> None:
        with self._lock:
            self._spent += result.spent_usd
            self._check()

    def abort(self, reason: str) -> None:
        with self._lock:
            self.aborted = self.aborted or reason
        self._run.stop.give_up(reason)

    def _check(self) -> None:
        if self._max_cost is not None and self._spent >= self._max_cost and not self._run.stop.requested:
            reason = f"the cost limit is reached: ${self._spent:.2f} spent of --max-cost {self._max_cost:g}"
            self._run.log.write("cost_limit_reached", spent_usd=self._spent, max_cost_usd=self._max_cost)
            self._run.stop.finish_running(reason)


def execute(
    planned: Sequence[PlannedEpisode], run: RunContext, *, jobs: int, max_cost: float | None, observer: Observer
) -> Execution:
    """Run every planned episode that has no final result yet, `jobs` at a time.

    An episode that only awaits its judge is only judged. `max_cost` (US dollars, over all sessions of the run) stops
    scheduling. Episodes that are running then may end, so the run can cost up to `jobs` episodes more.
    """
    before = {episode.key: result for episode in planned if (result := finished_result(episode, run.paths))}
    waiting = {key: result for key, result in before.items() if run.panel is not None and result.awaits_judge}
    kept = {key: result for key, result in before.items() if key not in waiting}
    todo = [episode for episode in planned if episode.key not in kept]
    results = dict(kept)
    ledger = _Ledger(run, max_cost, list(kept.values()))
    run.log.write("session_started", planned=len(planned), kept=len(kept), jobs=jobs)
    observer.begin(len(planned), tuple(kept.values()))
    for result in _results_of(todo, waiting, run, ledger, jobs):
        results[result.key] = result
        observer.finished(result)
    stop = run.stop
    if stop.reason and not stop.interrupted and not ledger.aborted:
        observer.note(stop.reason)
    unfinished = sum(1 for e in planned if e.key not in results or results[e.key].is_unfinished)
    run.log.write("session_ended", unfinished=unfinished, reason=stop.reason)
    ordered = tuple(results[episode.key] for episode in planned if episode.key in results)
    return Execution(ordered, unfinished, stop.reason, ledger.aborted, stop.interrupted)


def _results_of(
    todo: Sequence[PlannedEpisode],
    waiting: Mapping[tuple[str, str, int], Result],
    run: RunContext,
    ledger: _Ledger,
    jobs: int,
) -> Iterator[Result]:
    """Results as they come. Threads are enough: an episode waits for Git, a container or a model's server."""

    def work(episode: PlannedEpisode) -> Result | None:
        if run.stop.requested:
            return None
        try:
            result = (
                judge_saved(waiting[episode.key], episode, run) if episode.key in waiting else run_episode(episode, run)
            )
        except EpisodeGivenUp:
            run.log.write("episode_given_up", episode=episode.id)
            return None
        except RunAborted as problem:
            run.log.write("run_aborted", episode=episode.id, reason=str(problem))
            ledger.abort(str(problem))
            return None
        ledger.enter(result)
        return result

    def until_stopped() -> Iterator[PlannedEpisode]:
        for episode in todo:
            if run.stop.requested:
                return
            yield episode

    parallel = Parallel(
        n_jobs=jobs, backend="threading", return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs"
    )
    for result in parallel(delayed(work)(episode) for episode in until_stopped()):
        if result is not None:
            yield result
