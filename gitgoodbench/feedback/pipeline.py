"""One run: take what hooks saw, catch up, follow what was rewritten, read logs, link, score, deliver.

One process at a time works on a repository. Whatever a run has done is in the database, so one that is killed is
carried on by the next.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.feedback.capture import Awaited, capture
from gitgoodbench.feedback.contract import Place, Source
from gitgoodbench.feedback.outbox import Delivered, deliver, enqueue_new, requeue_refused
from gitgoodbench.feedback.queue import waiting
from gitgoodbench.feedback.recording import CommittedBy, catch_up, record_range, roots_of, take_events
from gitgoodbench.feedback.records import Key
from gitgoodbench.feedback.registry import load_sinks, load_sources
from gitgoodbench.feedback.repository import Repository, open_repository
from gitgoodbench.feedback.rewriting import follow_lost, mark_copies
from gitgoodbench.feedback.settings import Settings, read_settings
from gitgoodbench.feedback.settling import settled_in
from gitgoodbench.feedback.store import Store, folder_of
from gitgoodbench.feedback.store.commits import commit_of, links_of
from gitgoodbench.feedback.store.readings import unlinked_times
from gitgoodbench.feedback.store.results import save_survival
from gitgoodbench.files import locked, make_durably, write_atomically
from gitgoodbench.text import one_line

_LOCK: Final = "lock"
_LAST: Final = "last-run.json"
_PATIENCE: Final = 15.0
_RECENT: Final = 600.0
"""Seconds after which nobody waits any more for the log of a commit."""
_FOLLOW_AGAIN: Final = 3600.0
"""Seconds after which the worker looks again at what still stands."""
_BEFORE: Final = 7 * 86_400.0
"""Seconds before the first commit of interest from which on logs are read."""


class Busy(GitGoodBenchError):
    """Another process works on this repository's feedback."""


@dataclass(frozen=True)
class Run:
    """What a run did.

    commits: those that hooks told of. caught_up: those that were found in the reflogs. scored: commits whose results
    are new. failed: those that could not be scored. delivered: in words, by sink. followed: when it was last looked at
    what still stands. lost: commits with edits that nothing leads to any more, which all others were searched for.
    problems: what else went wrong, one line each.
    """

    started: float
    ended: float
    commits: int = 0
    caught_up: int = 0
    scored: int = 0
    failed: int = 0
    delivered: Mapping[str, str] = field(default_factory=dict)
    followed: float | None = None
    lost: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def work(common: Path) -> None:
    """Run until no event is waiting, unless another process does: it then sees what is in the queue before it ends."""
    tried: set[Path] = set()
    while fresh := set(waiting(common)) - tried:
        tried |= fresh
        try:
            repository = open_repository(common)
            run(repository, read_settings(common), when_held=_give_up)
        except Busy:
            return
        except Exception as problem:  # nobody looks at a worker; `status` tells
            now = time.time()
            _save_last(common, Run(now, now, problems=(one_line(f"{type(problem).__name__}: {problem}"),)))
            return


def run(
    repository: Repository,
    settings: Settings,
    ranges: Sequence[str] = (),
    *,
    again: bool = False,
    dry: bool = False,
    patience: float = _PATIENCE,
    when_held: Callable[[str], None] = lambda _: None,
) -> Run:
    """Bring everything up to date.

    Args:
        ranges: commits of the past to record.
        again: try events that failed too often, and what a sink refused.
        dry: have sinks check what they would be sent, and send nothing.
        patience: seconds to wait for the log of an assistant that made a commit.
        when_held: is called where another process is at it; it may raise. Then this waits.

    Raises:
        UserError: a range names no commit, or something that is configured cannot be used.
    """
    folder = folder_of(repository.common)
    make_durably(folder)
    with locked(folder / _LOCK, when_held), Store(repository.common) as store:
        done = _Running(store, repository, settings).run(ranges, again=again, dry=dry, patience=patience)
    _save_last(repository.common, done)
    return done


class _Running:
    """One run, with what all of its steps need."""

    def __init__(self, store: Store, repository: Repository, settings: Settings) -> None:
        self.store, self.repository, self.settings = store, repository, settings
        self.git = repository.git
        self.sources = load_sources(settings.source_names)
        self.sinks = load_sinks(settings.sinks)
        self.problems = [*self.sources.problems, *self.sinks.problems]
        self.started = time.time()

    def run(self, ranges: Sequence[str], *, again: bool, dry: bool, patience: float) -> Run:
        committed_by = committer_among(self.sources.found)
        new = take_events(self.store, self.git, waiting(self.repository.common, aside=again), committed_by)
        caught: list[str] = []
        if self.settings.installed is not None:
            caught = catch_up(self.store, self.repository, self.settings.installed, committed_by)
        named = record_range(self.store, self.git, ranges, committed_by)
        mark_copies(self.store, self.git, [*new, *caught, *named])
        lost = follow_lost(self.store, self.git)
        before = unlinked_times(self.store)
        self._capture(new, patience, self._place(named))
        from gitgoodbench.feedback.evaluation import evaluate  # brings the engine, which takes a while to load

        since = min([*_times_of_new(self.store, before), *self._times_of_lost(lost)], default=None)
        evaluated = evaluate(self.store, self.git, self._roots(), lost, since, read_since=self.started)
        delivered = self._deliver(again=again, dry=dry)
        counting = [one.commit.moved_to is None and one.commit.copy_of is None for one in evaluated.results]
        return Run(
            self.started, time.time(), len(new), len(caught),
            scored=sum(counting), failed=len(evaluated.failed),
            delivered=delivered, followed=self._follow(at_once=again), lost=tuple(sorted(self._with_edits(lost))),
            problems=tuple(self.problems),
        )  # fmt: skip

    def _with_edits(self, lost: Iterable[str]) -> set[str]:
        return {commit for commit in lost if links_of(self.store, commit)}

    def _times_of_lost(self, lost: Iterable[str]) -> list[float]:
        """The times of commits that are lost only now: what they held may be in one that was scored before.

        A branch that was merged with --squash and then deleted is such a case.
        """
        last = last_run(self.repository.common)
        fresh = self._with_edits(lost).difference(() if last is None else last.lost)
        return [found.time for one in fresh if (found := commit_of(self.store, one)) is not None]

    def _roots(self) -> tuple[Path, ...]:
        return roots_of(self.store, self.repository)

    def _place(self, named: Iterable[str]) -> Place:
        """Logs are read from some days before feedback was installed, or before the oldest commit that is named."""
        times = [found.time for one in named if (found := commit_of(self.store, one)) is not None]
        begins = [*times, *([] if self.settings.installed is None else [self.settings.installed])]
        return Place(
            self._roots(),
            self.repository.common,
            Path.home(),
            environment=dict(os.environ),
            since=min(begins) - _BEFORE if begins else None,
        )

    def _capture(self, new: Iterable[str], patience: float, place: Place) -> None:
        fresh = [found for one in new if (found := commit_of(self.store, one)) is not None]
        awaited = [
            Awaited(dict(one.hints), one.time)
            for one in fresh
            if one.committed_by is not None and self.started - one.time < _RECENT
        ]
        captured = capture(
            self.store, place, self.sources.found,
            options=self.settings.options_of("source"), wait_for=awaited, until=self.started + patience,
        )  # fmt: skip
        self.problems += captured.problems
        self.problems += [
            f"{name}: its log does not reach the commit yet; the next run reads on" for name in captured.late
        ]

    def _deliver(self, *, again: bool, dry: bool) -> dict[str, str]:
        place = self._place(())
        options = self.settings.options_of("sink")
        targets = [(sink, replace(place, options=options.get(sink.name, {}))) for sink in self.sinks.found]
        for sink in self.sinks.found if again else ():
            requeue_refused(self.store, sink.name)
        self.problems += enqueue_new(self.store, targets)
        settled = settled_in(self.store, self.git, time.time())
        done = {}
        for one in deliver(self.store, targets, settled=settled, dry=dry):
            self.problems += one.problems
            done[one.sink] = _in_words(one, dry)
        return done

    def _follow(self, *, at_once: bool) -> float | None:
        """Look at what still stands of earlier commits, but not after each of many commits; gives when that was."""
        last = last_run(self.repository.common)
        before = None if last is None else last.followed
        if not at_once and before is not None and self.started - before < _FOLLOW_AGAIN:
            return before
        from gitgoodbench.feedback.survival import follow

        try:
            save_survival(self.store, follow(self.store, self.git, days=self.settings.follow_days, now=self.started))
        except (GitGoodBenchError, OSError, ValueError) as problem:
            self.problems.append(one_line(f"what still stands of edits is not known: {problem}"))
        return self.started


def _in_words(done: Delivered, dry: bool) -> str:
    """What came of a delivery, on one line."""
    numbers = {
        "would be taken" if dry else "sent": done.sent,
        "confirmed": done.confirmed,
        "not confirmed yet": done.unconfirmed,
        "waiting until their commits have settled": done.waiting,
        "queued": done.queued,
        "refused": done.refused,
        "withheld": done.withheld,
    }
    return ", ".join(f"{number} {name}" for name, number in numbers.items() if number) or "nothing to deliver"


def last_run(common: Path) -> Run | None:
    """How the last run ended; None where there was none."""
    try:
        found = json.loads((folder_of(common) / _LAST).read_bytes())
        return Run(**{**found, "lost": tuple(found.get("lost", ())), "problems": tuple(found["problems"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def committer_among(sources: Iterable[Source]) -> CommittedBy:
    """Tells the source whose assistant made a commit."""
    known = list(sources)

    def committed_by(hints: Mapping[str, str]) -> str | None:
        return next((source.name for source in known if _committed(source, hints)), None)

    return committed_by


def _committed(source: Source, hints: Mapping[str, str]) -> bool:
    try:
        return source.committer(hints) is not None
    except Exception:  # of a source that anybody may have written
        return False


def _times_of_new(store: Store, before: Container[Key]) -> list[float]:
    """The times of edits that became known only now."""
    return [time for key, time in unlinked_times(store).items() if key not in before and time is not None]


def _give_up(holder: str) -> None:
    raise Busy(holder)


def _save_last(common: Path, done: Run) -> None:
    with contextlib.suppress(OSError):
        write_atomically(folder_of(common) / _LAST, json.dumps(asdict(done)).encode())
