"""Run plans in parallel, of one run or of several; they can be stopped at any moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
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
from gitgoodbench.runs.plan import PlannedEpisode, finished_result, side_by_side
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.standing import Standing
from gitgoodbench.runs.stop import EpisodeGivenUp

_Key: TypeAlias = tuple[str, str, int]


class Observer(Protocol):
    """Who watches a run: a progress bar, lines on a console, nobody. Called from the main thread."""

    def begin(self, planned: int, kept: Sequence[Standing]) -> None:
        """The run starts or carries on; `kept` are finished from before."""
        ...

    def finished(self, result: Result) -> None: ...

    def again(self, failed: Sequence[Standing]) -> None:
        """The results of these episodes, told of before, do not count: they are tried again."""
        ...

    def note(self, text: str) -> None:
        """Something the user must know, such as why the run ends early."""
        ...


@dataclass(frozen=True)
class Execution:
    """How a pass over the plan ended. standings: of the episodes that have a result, in the plan's order.
    unfinished: planned episodes without a final result.

    stopped: why no further episode was begun. aborted, broken: the same, where no other run would fare better either:
    it was refused, or the surroundings are broken.
    """

    standings: tuple[Standing, ...]
    unfinished: int
    stopped: str | None
    aborted: str | None
    interrupted: bool
    broken: str | None = None


@dataclass(frozen=True)
class Plan:
    """What a run is to play."""

    episodes: Sequence[PlannedEpisode]
    run: RunContext


class _Surroundings:
    """Whether what all runs of a command depend on still works."""

    def __init__(self, plans: Sequence[Plan], max_failures: int | None) -> None:
        self._runs = [plan.run for plan in plans]
        self._breaker = Breaker(max_failures)
        self._lock = threading.Lock()
        self.broken: str | None = None

    def enter(self, result: Result, own: Breaker) -> None:
        """Count a result, among those of all runs and among those of its own."""
        with self._lock:
            reason, own_reason = self._breaker.enter(result), own.enter(result)
            reason = reason or own_reason
            if reason is None or all(run.stop.requested for run in self._runs):
                return
            self.broken = reason
            for run in self._runs:
                if not run.stop.requested:
                    run.log.write("run_broken", reason=reason)
                    run.stop.finish_running(reason)

    def doubts(self, episode: PlannedEpisode) -> bool:
        """Whether episodes of other samples should show first what is broken."""
        with self._lock:
            return self._breaker.doubts(episode.sample.id)

    def end_others(self, run: RunContext, reason: str) -> None:
        """A run was refused: what the others have begun may end."""
        for other in self._runs:
            if other is not run:
                other.stop.finish_running(f"another run was stopped: {reason}")


class _Pass:
    """One run's pass over its plan. todo: what has no final result yet; waiting: what of it is only to be judged."""

    def __init__(self, plan: Plan, surroundings: _Surroundings, max_failures: int | None) -> None:
        self.planned, self.run = plan.episodes, plan.run
        self._surroundings = surroundings
        self._breaker = Breaker(max_failures)
        self._lock = threading.Lock()
        self.aborted: str | None = None
        run = plan.run
        assert isinstance(run.books, Books)  # those of the run, not of an episode elsewhere
        self._ledger = run.books.ledger
        results = (finished_result(episode, run.paths) for episode in plan.episodes)
        before = {result.key: Standing.of(result) for result in results if result is not None}
        self.waiting = {key for key, standing in before.items() if run.panel is not None and standing.awaits_judge}
        self.kept = {key: standing for key, standing in before.items() if key not in self.waiting}
        self.todo = [episode for episode in plan.episodes if episode.key not in self.kept]
        self.standings = dict(self.kept)
        self._check_money()

    def work(self, episode: PlannedEpisode) -> Result | None:
        """Play or judge an episode; None where the run ends before it could."""
        run = self.run
        if run.stop.requested:
            return None
        try:
            saved = finished_result(episode, run.paths) if episode.key in self.waiting else None
            result = run_episode(episode, run) if saved is None else judge_saved(saved, episode, run)
        except EpisodeGivenUp:
            run.log.write("episode_given_up", episode=episode.id)
            return None
        except CostLimitReached:
            run.log.write("episode_given_up", episode=episode.id)
            self._check_money()
            return None
        except RunAborted as problem:
            run.log.write("run_aborted", episode=episode.id, reason=str(problem))
            self._abort(str(problem))
            return None
        self._check_money()
        self._surroundings.enter(result, self._breaker)
        return result

    def _abort(self, reason: str) -> None:
        with self._lock:
            self.aborted = self.aborted or reason
        self.run.stop.give_up(reason)
        self._surroundings.end_others(self.run, reason)

    def _check_money(self) -> None:
        """Begin nothing more once the money is spent; whoever asks a model then is refused by the ledger."""
        ledger = self._ledger
        reason = ledger.limit_reached
        with self._lock:
            if reason is not None and not self.run.stop.requested:
                spent = ledger.account.total().cost_usd
                self.run.log.write("cost_limit_reached", spent_usd=spent, max_cost_usd=ledger.limit_usd)
                self.run.stop.finish_running(reason)

    def end(self) -> Execution:
        """Say how it ended, in the log too."""
        stop, standings = self.run.stop, self.standings
        unfinished = sum(1 for e in self.planned if e.key not in standings or standings[e.key].is_unfinished)
        self.run.log.write("session_ended", unfinished=unfinished, reason=stop.reason)
        ordered = tuple(standings[episode.key] for episode in self.planned if episode.key in standings)
        broken = self._surroundings.broken
        return Execution(ordered, unfinished, stop.reason, self.aborted, stop.interrupted, broken)


_Attempt: TypeAlias = tuple[_Pass, PlannedEpisode]


def execute(
    planned: Sequence[PlannedEpisode],
    run: RunContext,
    *,
    jobs: int,
    observer: Observer,
    max_failures: int | None = None,
    retry_failed: int = 0,
) -> Execution:
    """Run every planned episode of one run; see `execute_together`."""
    (execution,) = execute_together(
        [Plan(planned, run)], jobs=jobs, observer=observer, max_failures=max_failures, retry_failed=retry_failed
    )
    return execution


def execute_together(
    plans: Sequence[Plan],
    *,
    jobs: int,
    observer: Observer,
    max_failures: int | None = None,
    retry_failed: int = 0,
) -> list[Execution]:
    """Run every planned episode that has no final result yet, `jobs` at a time. Several runs: see `side_by_side`.

    An episode that only awaits its judge is only judged. When a ledger's limit is reached, no further request of its
    run is sent: episodes that would send one are given up, so the run costs at most `jobs` answers more.

    Args:
        max_failures: failures of infrastructure in a row, of one cause, that stop scheduling; None: none do.
        retry_failed: how often episodes that failed so are tried again at the end.
    """
    surroundings = _Surroundings(plans, max_failures)
    passes = [_Pass(plan, surroundings, max_failures) for plan in plans]
    for each in passes:
        each.run.log.write("session_started", planned=len(each.planned), kept=len(each.kept), jobs=jobs)
    observer.begin(sum(len(each.planned) for each in passes), [kept for each in passes for kept in each.kept.values()])
    for note in (note for each in passes for note in _notes_of_damage(each.todo, each.run)):
        observer.note(note)

    def work_through(attempts: Sequence[_Attempt]) -> None:
        following = Following(_results_of(attempts, surroundings, jobs))
        for each in passes:
            each.run.stop.leaving = following.leave
        for one, result in following:
            one.standings[result.key] = Standing.of(result)
            observer.finished(result)

    todo = _in_order(passes)
    work_through(todo)
    for _ in range(retry_failed):
        for group in _failed(todo):
            _try_again(group, work_through, observer)
    for note in _why_stopped(passes, surroundings.broken):
        observer.note(note)
    return [each.end() for each in passes]


def _in_order(passes: Sequence[_Pass]) -> list[_Attempt]:
    if len(passes) == 1:
        return [(passes[0], episode) for episode in passes[0].todo]
    every = [(passes[number], episode) for number, episode in side_by_side([each.planned for each in passes])]
    return [(one, episode) for one, episode in every if episode.key not in one.kept]


def _why_stopped(passes: Sequence[_Pass], broken: str | None) -> list[str]:
    """Why runs ended early, where nobody else says so. What broke all of them is said once."""
    if any(each.aborted for each in passes):
        return []
    stopped = [each.run for each in passes if each.run.stop.reason and not each.run.stop.interrupted]
    reasons = [(run.run_id, str(run.stop.reason)) for run in stopped]
    alone = len(passes) == 1
    return list(dict.fromkeys(why if alone or why == broken else f"{run_id}: {why}" for run_id, why in reasons))


def _notes_of_damage(todo: Sequence[PlannedEpisode], run: RunContext) -> Iterator[str]:
    for episode in todo:
        files = episode.paths(run.paths)
        damage = find_damage(files, episode.key)
        if damage is not None:
            again = "scored again from" if unscored_of(files) else "played again, without"
            yield f"{damage}: {episode.id} is {again} what its agent left"


def _failed(todo: Sequence[_Attempt]) -> list[list[_Attempt]]:
    """The episodes in which infrastructure failed, by its cause."""
    groups: dict[str, list[_Attempt]] = {}
    for one, episode in todo:
        if episode.key in one.standings and (cause := cause_of(one.standings[episode.key])) is not None:
            groups.setdefault(cause, []).append((one, episode))
    return list(groups.values())


def _try_again(
    group: Sequence[_Attempt], work_through: Callable[[Sequence[_Attempt]], None], observer: Observer
) -> None:
    """Try one of the episodes that failed for one cause, and the others where that cause is gone."""
    group = [(one, episode) for one, episode in group if not one.run.stop.requested]
    if not group:
        return
    first, episode = group[0]
    before = cause_of(first.standings[episode.key])
    for attempts in (group[:1], group[1:]):
        attempts = [attempt for attempt in attempts if not attempt[0].run.stop.requested]
        if not attempts:
            return
        observer.again([one.standings[episode.key] for one, episode in attempts])
        work_through(attempts)
        if cause_of(first.standings[episode.key]) == before:
            return


def _results_of(attempts: Sequence[_Attempt], surroundings: _Surroundings, jobs: int) -> Iterator[tuple[_Pass, Result]]:
    """Results as they come. Threads are enough: an episode waits for Git, a container or a model's server."""

    def work(one: _Pass, episode: PlannedEpisode) -> tuple[_Pass, Result] | None:
        result = one.work(episode)
        return None if result is None else (one, result)

    def until_stopped() -> Iterator[_Attempt]:
        later: list[_Attempt] = []
        for one, episode in attempts:
            if one.run.stop.requested:
                continue
            if surroundings.doubts(episode):
                later.append((one, episode))
                continue
            yield one, episode
        yield from (attempt for attempt in later if not attempt[0].run.stop.requested)

    parallel = Parallel(
        n_jobs=jobs, backend="threading", return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs"
    )
    for found in parallel(delayed(work)(*attempt) for attempt in until_stopped()):
        if found is not None:
            yield found
