"""Run a plan in parallel; it can be stopped at any moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from joblib import Parallel, delayed

from gitgoodbench.errors import CostLimitReached, RunAborted
from gitgoodbench.following import Following
from gitgoodbench.runs.bookkeeping import Books
from gitgoodbench.runs.breaker import Breaker, cause_of
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.damage import find_damage, unscored_of
from gitgoodbench.runs.episode import judge_saved, run_episode
from gitgoodbench.runs.plan import PlannedEpisode, finished_result
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.stop import EpisodeGivenUp, Stop

_Key: TypeAlias = tuple[str, str, int]


class Observer(Protocol):
    """Who watches a run: a progress bar, lines on a console, nobody. Called from the main thread."""

    def begin(self, planned: int, kept: Sequence[Result]) -> None:
        """The run starts or carries on, with `kept` results from before."""
        ...

    def finished(self, result: Result) -> None: ...

    def again(self, failed: Sequence[Result]) -> None:
        """These results, told of before, do not count: their episodes are tried again."""
        ...

    def note(self, text: str) -> None:
        """Something the user must know, such as why the run ends early."""
        ...


@dataclass(frozen=True)
class Execution:
    """How a pass over the plan ended. unfinished: planned episodes without a final result.

    stopped: why no further episode was begun. aborted, broken: the same, where no other run would fare better either:
    it was refused, or the surroundings are broken.
    """

    results: tuple[Result, ...]
    unfinished: int
    stopped: str | None
    aborted: str | None
    interrupted: bool
    broken: str | None = None


class _Watch:
    """Whether the run may go on."""

    def __init__(self, run: RunContext, max_failures: int | None) -> None:
        self._run = run
        assert isinstance(run.books, Books)  # those of the run, not of an episode elsewhere
        self._ledger = run.books.ledger
        self._breaker = Breaker(max_failures)
        self._lock = threading.Lock()
        self.aborted: str | None = None
        self.broken: str | None = None
        self.check_money()

    def enter(self, result: Result) -> None:
        self.check_money()
        with self._lock:
            reason = self._breaker.enter(result)
            if reason is not None and not self._run.stop.requested:
                self.broken = reason
                self._run.log.write("run_broken", reason=reason)
                self._run.stop.finish_running(reason)

    def abort(self, reason: str) -> None:
        with self._lock:
            self.aborted = self.aborted or reason
        self._run.stop.give_up(reason)

    def check_money(self) -> None:
        """Begin nothing more once the money is spent; whoever asks a model then is refused by the ledger."""
        ledger = self._ledger
        reason = ledger.limit_reached
        with self._lock:
            if reason is not None and not self._run.stop.requested:
                spent = ledger.account.total().cost_usd
                self._run.log.write("cost_limit_reached", spent_usd=spent, max_cost_usd=ledger.limit_usd)
                self._run.stop.finish_running(reason)


def execute(
    planned: Sequence[PlannedEpisode],
    run: RunContext,
    *,
    jobs: int,
    observer: Observer,
    max_failures: int | None = None,
    retry_failed: int = 0,
) -> Execution:
    """Run every planned episode that has no final result yet, `jobs` at a time.

    An episode that only awaits its judge is only judged. When the ledger's limit is reached, no further request is
    sent: episodes that would send one are given up, so the run costs at most `jobs` answers more.

    Args:
        max_failures: failures of infrastructure in a row, of one cause, that stop scheduling; None: none do.
        retry_failed: how often episodes that failed so are tried again at the end.
    """
    before = {episode.key: result for episode in planned if (result := finished_result(episode, run.paths))}
    waiting = {key: result for key, result in before.items() if run.panel is not None and result.awaits_judge}
    kept = {key: result for key, result in before.items() if key not in waiting}
    todo = [episode for episode in planned if episode.key not in kept]
    results = dict(kept)
    watch = _Watch(run, max_failures)
    run.log.write("session_started", planned=len(planned), kept=len(kept), jobs=jobs)
    observer.begin(len(planned), tuple(kept.values()))
    for note in _notes_of_damage(todo, run):
        observer.note(note)
    stop = run.stop

    def work_through(episodes: Sequence[PlannedEpisode]) -> None:
        following = Following(_results_of(episodes, waiting, run, watch, jobs))
        stop.leaving = following.leave
        for result in following:
            results[result.key] = result
            observer.finished(result)

    work_through(todo)
    for _ in range(retry_failed):
        for group in _failed(todo, results):
            _try_again(group, results, work_through, observer, stop)
    if stop.reason and not stop.interrupted and not watch.aborted:
        observer.note(stop.reason)
    unfinished = sum(1 for e in planned if e.key not in results or results[e.key].is_unfinished)
    run.log.write("session_ended", unfinished=unfinished, reason=stop.reason)
    ordered = tuple(results[episode.key] for episode in planned if episode.key in results)
    return Execution(ordered, unfinished, stop.reason, watch.aborted, stop.interrupted, watch.broken)


def _notes_of_damage(todo: Sequence[PlannedEpisode], run: RunContext) -> Iterator[str]:
    for episode in todo:
        files = episode.paths(run.paths)
        damage = find_damage(files, episode.key)
        if damage is not None:
            again = "scored again from" if unscored_of(files) else "played again, without"
            yield f"{damage}: {episode.id} is {again} what its agent left"


def _failed(todo: Sequence[PlannedEpisode], results: Mapping[_Key, Result]) -> list[list[PlannedEpisode]]:
    """The episodes in which infrastructure failed, by its cause."""
    groups: dict[str, list[PlannedEpisode]] = {}
    for episode in todo:
        if episode.key in results and (cause := cause_of(results[episode.key])) is not None:
            groups.setdefault(cause, []).append(episode)
    return list(groups.values())


def _try_again(
    group: Sequence[PlannedEpisode],
    results: Mapping[_Key, Result],
    work_through: Callable[[Sequence[PlannedEpisode]], None],
    observer: Observer,
    stop: Stop,
) -> None:
    """Try one of the episodes that failed for one cause, and the others where that cause is gone."""
    before = cause_of(results[group[0].key])
    for episodes in (group[:1], group[1:]):
        if stop.requested or not episodes:
            return
        observer.again([results[episode.key] for episode in episodes])
        work_through(episodes)
        if cause_of(results[group[0].key]) == before:
            return


def _results_of(
    todo: Sequence[PlannedEpisode],
    waiting: Mapping[_Key, Result],
    run: RunContext,
    watch: _Watch,
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
        except CostLimitReached:
            run.log.write("episode_given_up", episode=episode.id)
            watch.check_money()
            return None
        except RunAborted as problem:
            run.log.write("run_aborted", episode=episode.id, reason=str(problem))
            watch.abort(str(problem))
            return None
        watch.enter(result)
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
