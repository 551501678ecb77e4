"""What is asked of a report, and the rows that answer it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.recording import commits_in, roots_of
from gitgoodbench.feedback.records import CommitResult, State
from gitgoodbench.feedback.report.rows import EditRow, Filter, read_rows
from gitgoodbench.feedback.repository import Repository
from gitgoodbench.feedback.settings import Settings
from gitgoodbench.feedback.store import Store, folder_of
from gitgoodbench.feedback.store.results import commits_with_results, result_of


@dataclass(frozen=True)
class Asked:
    """since, until: days or moments in ISO 8601, UTC where they name no zone. days: see `report.rows`; None: as many
    as edits are followed."""

    since: str | None = None
    until: str | None = None
    commits: tuple[str, ...] = ()
    states: tuple[State, ...] = ()
    days: int | None = None


@dataclass(frozen=True)
class Answer:
    """rows: the edits that are asked for. days: after how many survival is given. all_edits: how many are known."""

    rows: list[EditRow]
    days: int
    all_edits: int


def answer(repository: Repository, settings: Settings, asked: Asked) -> Answer:
    """Read the edits that are asked for.

    Raises:
        UserError: there is no database, a date is none, or a commit is unknown.
    """
    wanted = filter_of(repository, asked)
    days = settings.follow_days if asked.days is None else asked.days
    with opened(repository) as store:
        rows = read_rows(store, days=days, user=settings.user, roots=roots_of(store, repository))
    return Answer([row for row in rows if wanted.takes(row)], days, len(rows))


def results_asked(repository: Repository, asked: Asked) -> list[CommitResult]:
    """The results of the commits that are asked for, the oldest first.

    Raises:
        UserError: as `answer`.
    """
    wanted = filter_of(repository, asked)
    with opened(repository) as store:
        known = [one for one in commits_with_results(store) if wanted.takes_commit(one.id, one.time)]
        return [result for one in known if (result := result_of(store, one.id)) is not None]


def filter_of(repository: Repository, asked: Asked) -> Filter:
    """Read dates and ranges.

    Raises:
        UserError: one of them is none.
    """
    since, until = _moment("--since", asked.since), _moment("--until", asked.until)
    if since is not None and until is not None and since >= until:
        raise UserError(f"--until: {asked.until} is not after {asked.since}: nothing is between them")
    commits = frozenset(commits_in(repository.git, asked.commits)) if asked.commits else None
    return Filter(since, until, commits, asked.states)


@contextmanager
def opened(repository: Repository) -> Iterator[Store]:
    """The database, where there is one.

    Raises:
        UserError: there is none.
    """
    if not (folder_of(repository.common) / "feedback.sqlite3").exists():
        raise UserError("there is no feedback here yet: run `gitgoodbench feedback install`, or `feedback run RANGE`")
    with Store(repository.common) as store:
        yield store


def _moment(flag: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise UserError(
            f"{flag}: {text!r} is no date: write a day as 2026-11-30, or a moment as 2026-11-30T14:00"
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=datetime.UTC)).timestamp()
