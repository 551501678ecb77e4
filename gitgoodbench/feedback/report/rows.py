"""One row for each edit: what became of it, in which commit, whose it is, what it cost, and what still stands of it."""

from __future__ import annotations

import datetime
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.feedback.records import Commit, EditResult, Evidence, Key, Session, State, Survival
from gitgoodbench.feedback.report.usage import NOTHING_KNOWN, Usage, shared_usage
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import commits
from gitgoodbench.feedback.store.readings import edit_times, messages_of, sessions
from gitgoodbench.feedback.store.results import edit_results, survivals

UNKNOWN: Final = "unknown"


@dataclass(frozen=True)
class EditRow:
    """An edit.

    commit: None where it is in none. committed_by: the assistant that made the commit; None for a person. variant:
    what an experiment chose for the session, and randomised whether by lot. week: of the commit, else of the edit
    (`2026-W48`, UTC). folder: the first one of the path, `.` for files that are in none. survival: the share of its
    lines that still stood `survival_day` days after the commit. usage: see `report.usage`.
    """

    key: Key
    commit: str | None
    path: str | None
    language: str | None
    model: str | None
    state: State
    reward: float | None
    kept: float | None
    evidence: tuple[Evidence, ...]
    committed_by: str | None
    normalised: float | None = None
    size: int | None = None
    measure: str | None = None
    reason: str | None = None
    variant: str | None = None
    randomised: bool = False
    time: float | None = None
    week: str | None = None
    folder: str | None = None
    person: str | None = None
    survival: float | None = None
    survival_day: int | None = None
    usage: Usage = NOTHING_KNOWN

    @property
    def counts(self) -> bool:
        """Whether it is compared: it has a reward, and a person made the commit."""
        return self.state == "scored" and self.reward is not None and self.committed_by is None


@dataclass(frozen=True)
class Filter:
    """Which edits are wanted. since, until: seconds since 1970, of the commit, else of the edit. None: all."""

    since: float | None = None
    until: float | None = None
    commits: Collection[str] | None = None
    states: Collection[State] = ()

    def takes(self, row: EditRow) -> bool:
        """Whether an edit is wanted."""
        return (not self.states or row.state in self.states) and self.takes_commit(row.commit, row.time)

    def takes_commit(self, commit: str | None, time: float | None) -> bool:
        """Whether edits of a commit and a time are wanted. What has no time is in no span of time."""
        if self.commits is not None and commit not in self.commits:
            return False
        if self.since is None and self.until is None:
            return True
        after = -float("inf") if self.since is None else self.since
        before = float("inf") if self.until is None else self.until
        return time is not None and after <= time < before


def read_rows(store: Store, *, days: int, user: str | None = None, roots: Iterable[Path] = ()) -> list[EditRow]:
    """All edits, by source, session and edit.

    Args:
        days: after how many of them survival is asked for.
        user: whose results they are, where that is configured; else the author of the commit.
        roots: the working trees, for edits whose path is absolute.
    """
    results = list(edit_results(store))
    reader = _Reader(
        {one.id: one for one in commits(store)},
        {(one.source, one.id): one for one in sessions(store)},
        edit_times(store),
        after_days(survivals(store), days),
        _usages(store, results),
        user,
        [os.fspath(root) for root in roots],
    )
    return [reader.row(one) for one in results]


def after_days(survivals: Iterable[Survival], days: int) -> dict[Key, Survival]:
    """The first look at each edit that was so many days after its commit, or later."""
    found: dict[Key, Survival] = {}
    for one in survivals:
        if one.day >= days and one.standing is not None and one.lines:
            before = found.get(one.key)
            if before is None or one.day < before.day:
                found[one.key] = one
    return found


@dataclass(frozen=True)
class _Reader:
    """All that a row is made of."""

    commits: Mapping[str, Commit]
    sessions: Mapping[tuple[str, str], Session]
    times: Mapping[Key, float | None]
    standing: Mapping[Key, Survival]
    usages: Mapping[Key, Usage]
    user: str | None
    roots: list[str]

    def row(self, one: EditResult) -> EditRow:
        commit = None if one.commit is None else self.commits.get(one.commit)
        session = self.sessions.get((one.key.source, one.key.session))
        time = self.times.get(one.key) if commit is None else float(commit.time)
        stands = self.standing.get(one.key)
        if stands is not None and stands.commit != one.commit:
            stands = None  # it was seen in a commit whose place another took
        path = _within(one.path, self.roots)
        return EditRow(
            one.key, one.commit, path, one.language, one.model, one.state, one.reward, one.kept, one.evidence,
            None if commit is None else commit.committed_by,
            normalised=one.normalised, size=one.size, measure=one.measure, reason=one.reason,
            variant=None if session is None else session.variant,
            randomised=session is not None and session.randomised,
            time=time, week=_week(time), folder=_folder(path),
            person=self.user or (None if commit is None else commit.author),
            survival=None if stands is None else (stands.standing or 0) / stands.lines,
            survival_day=None if stands is None else stands.day,
            usage=self.usages.get(one.key, NOTHING_KNOWN),
        )  # fmt: skip


def _usages(store: Store, results: Iterable[EditResult]) -> dict[Key, Usage]:
    by_session: dict[tuple[str, str], dict[Key, str | None]] = {}
    for one in results:
        by_session.setdefault((one.key.source, one.key.session), {})[one.key] = one.message
    found: dict[Key, Usage] = {}
    for name, edits in by_session.items():
        found |= shared_usage(messages_of(store, *name), edits)
    return found


def _within(path: str | None, roots: Iterable[str]) -> str | None:
    """A path in the working tree that it is in; as it is where it is in none."""
    if path is not None and path.startswith("/"):
        inside: Iterator[str] = (path[len(root) + 1 :] for root in roots if path.startswith(f"{root}/"))
        return next(inside, path)
    return path


def _folder(path: str | None) -> str | None:
    if path is None or path.startswith("/"):
        return None
    first, slash, _ = path.partition("/")
    return first if slash else "."


def _week(time: float | None) -> str | None:
    if time is None:
        return None
    try:
        year, week, _ = datetime.datetime.fromtimestamp(time, datetime.UTC).isocalendar()
    except (ValueError, OverflowError, OSError):
        return None  # a clock of another world
    return f"{year}-W{week:02}"
