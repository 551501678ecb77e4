"""One run: take what hooks saw, catch up, and follow what was rewritten. One process at a time in a repository."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.feedback.contract import SOURCES, Source
from gitgoodbench.feedback.queue import waiting
from gitgoodbench.feedback.recording import CommittedBy, catch_up, record_range, take_events
from gitgoodbench.feedback.repository import Repository, open_repository
from gitgoodbench.feedback.rewriting import follow_lost, mark_copies
from gitgoodbench.feedback.settings import Settings, read_settings
from gitgoodbench.feedback.store import Store, folder_of
from gitgoodbench.files import locked, make_durably, write_atomically
from gitgoodbench.plugins import plugins
from gitgoodbench.text import one_line

_LOCK: Final = "lock"
_LAST: Final = "last-run.json"


class Busy(GitGoodBenchError):
    """Another process works on this repository's feedback."""


@dataclass(frozen=True)
class Run:
    """What a run did. commits: those that were new. problem: why it ended early; None where it did not."""

    started: float
    ended: float
    commits: int = 0
    caught_up: int = 0
    problem: str | None = None


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
            _save_last(common, Run(now, now, problem=one_line(f"{type(problem).__name__}: {problem}")))
            return


def run(
    repository: Repository,
    settings: Settings,
    ranges: Sequence[str] = (),
    *,
    again: bool = False,
    when_held: Callable[[str], None] = lambda _: None,
) -> Run:
    """Bring everything up to date. ranges: commits of the past to record. again: try events that failed too often.

    Raises:
        UserError: a range names no commit, or something that is configured cannot be used.
    """
    folder = folder_of(repository.common)
    make_durably(folder)
    with locked(folder / _LOCK, when_held), Store(repository.common) as store:
        started = time.time()
        committed_by = committer_among(_sources(settings.source_names))
        new = take_events(store, repository.git, waiting(repository.common, aside=again), committed_by)
        caught = []
        if settings.installed is not None:
            caught = catch_up(store, repository, settings.installed, committed_by)
        named = record_range(store, repository.git, ranges, committed_by)
        mark_copies(store, repository.git, [*new, *caught, *named])
        follow_lost(store, repository.git)
        done = Run(started, time.time(), len(new), len(caught))
    _save_last(repository.common, done)
    return done


def last_run(common: Path) -> Run | None:
    """How the last run ended; None where there was none."""
    try:
        return Run(**json.loads((folder_of(common) / _LAST).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def committer_among(sources: Iterable[Source]) -> CommittedBy:
    """Tells the source whose assistant made a commit."""
    known = list(sources)

    def committed_by(hints: Mapping[str, str]) -> str | None:
        return next((source.name for source in known if source.committer(hints) is not None), None)

    return committed_by


def _sources(names: Iterable[str]) -> list[Source]:
    return [plugins(SOURCES)[name].object for name in names if name in plugins(SOURCES)]


def _give_up(holder: str) -> None:
    raise Busy(holder)


def _save_last(common: Path, done: Run) -> None:
    with contextlib.suppress(OSError):
        write_atomically(folder_of(common) / _LAST, json.dumps(asdict(done)).encode())
