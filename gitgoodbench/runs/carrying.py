"""Carry out created runs: one, or several whose episodes of one sample are played next to each other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from gitgoodbench.clusters.backends import Backend, Workers, check_workers
from gitgoodbench.contained.client import start
from gitgoodbench.runs.bookkeeping import Books, open_books
from gitgoodbench.runs.context import Elsewhere, RunContext
from gitgoodbench.runs.events import EventLog, Listener
from gitgoodbench.runs.execute import Execution, Observer, Plan, execute_together
from gitgoodbench.runs.order import Order
from gitgoodbench.runs.session import PreparedRun
from gitgoodbench.runs.settings import SharedSettings
from gitgoodbench.runs.spares import Spares
from gitgoodbench.runs.stop import Stop, stopping_on_signals
from gitgoodbench.runs.witness import Witness
from gitgoodbench.workspace.room import keep_at_most


@dataclass(frozen=True)
class Followed:
    """A run, and who follows it. listeners: hear the events of run.log, too. witness: of requests and calls as well."""

    run: PreparedRun
    listeners: Sequence[Listener] = ()
    witness: Witness | None = None

    @property
    def hearing(self) -> Sequence[Listener]:
        return self.listeners if self.witness is None else (*self.listeners, self.witness.hear)


def in_groups(runs: Sequence[PreparedRun]) -> list[list[PreparedRun]]:
    """The runs in their order, those together that are carried out together."""
    return [list(group) for _, group in itertools.groupby(runs, key=_manner)]


def _manner(run: PreparedRun) -> Hashable:
    """The same for runs that can be carried out together. Workers of a cluster belong to one run."""
    config = run.config
    if config.order is not Order.SAMPLE or config.backend is not Backend.THREADING:
        return run.paths
    return config.jobs, config.max_failures, config.retry_failed, config.cache_size


def carry_out(run: Followed, observer: Observer, announce: Callable[[], None], last_words: str) -> Execution:
    """Run the unfinished episodes of one created run; see `carry_out_together`."""
    (execution,) = carry_out_together([run], observer, announce, last_words)
    return execution


def carry_out_together(
    runs: Sequence[Followed], observer: Observer, announce: Callable[[], None], last_words: str
) -> list[Execution]:
    """Run the unfinished episodes of created runs of one group. For the main thread: it listens to signals.

    Each run keeps its own folder, lock, ledger and limits; samples that were read, and sandboxes that wait, are shared.

    Args:
        announce, last_words: what is said when the user interrupts; see `stopping_on_signals`.

    Raises:
        UserError: another process works on one of the runs; none has begun.
    """
    config = runs[0].run.config
    with ExitStack() as opened:
        contexts: list[RunContext] = []
        for followed in runs:
            opened.enter_context(followed.run.paths.held())
            log = opened.enter_context(EventLog(followed.run.paths.log, followed.hearing))
            contexts.append(_context(followed, log, contexts))
        keep_at_most(config.cache_size)
        try:
            with ExitStack() as working:
                plans = []
                for followed, context in zip(runs, contexts, strict=True):
                    elsewhere = working.enter_context(_elsewhere(followed.run, context))
                    plans.append(Plan(followed.run.inputs.planned, replace(context, elsewhere=elsewhere)))
                working.enter_context(stopping_on_signals([each.stop for each in contexts], announce, last_words))
                if any(plan.run.elsewhere is None for plan in plans):
                    start()  # scoring is loaded while the first agents work
                return execute_together(
                    plans,
                    jobs=config.jobs,
                    observer=observer,
                    max_failures=config.max_failures,
                    retry_failed=config.retry_failed,
                )
        finally:
            for context in contexts:
                for problem in context.spares.close():
                    context.log.write("sandbox_not_removed", error=problem)


def _context(followed: Followed, log: EventLog, others: Sequence[RunContext]) -> RunContext:
    """What the episodes of a run share; with other runs of the same sandboxes and tools, what these have as well."""
    run = followed.run
    options = run.config.options
    alike = [other for other in others if other.store is run.store and other.options == options]
    same_rooms = [other for other in alike if other.provider is run.provider]
    return RunContext(
        run_id=run.manifest.run_id,
        paths=run.paths,
        scenarios=run.inputs.scenarios,
        store=run.store,
        provider=run.provider,
        agents=run.agents,
        budget=run.config.budget,
        options=options,
        log=log,
        books=open_books(run.paths, run.config, followed.witness),
        stop=Stop(),
        panel=run.panel,
        rules=run.manifest.scoring.rules,
        common_settings=alike[0].settings if alike else SharedSettings(run.store, options),
        common_spares=same_rooms[0].spares if same_rooms else Spares(options.tool_set),
    )


@contextmanager
def _elsewhere(run: PreparedRun, context: RunContext) -> Iterator[Elsewhere | None]:
    """Who plays the episodes where that is not this process.

    Raises:
        UserError: its backend is not to be had, or the agent is an object of this process.
    """
    config = run.config
    if config.backend is Backend.THREADING:
        check_workers(Workers(config.backend, config.jobs, config.cluster))
        yield None
        return
    from gitgoodbench.runs.cluster.driver import open_cluster

    assert isinstance(context.books, Books)
    with open_cluster(
        config, run.manifest, run.inputs.scenarios, run.store, context.books, own_agent=run.own_agent
    ) as cluster:
        yield cluster
