"""Copy what assistants' logs say into the database, early: some programs delete their logs after a month."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Log, Place, Source
from gitgoodbench.feedback.records import Edit, Reading
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.readings import copied, edits_since, read_log, save_readings
from gitgoodbench.text import one_line

_PAUSE: Final = 0.2
"""Seconds between two looks at a log that lags behind; more where reading it takes long."""


@dataclass(frozen=True)
class Awaited:
    """A commit whose session may not be in its log yet. hints: what the hook saw. time: the commit's, in seconds."""

    hints: Mapping[str, str]
    time: float


@dataclass(frozen=True)
class Captured:
    """How it went. read, unchanged: numbers of logs. late: sources whose log still lags behind a commit.

    problems: one line each.
    """

    read: int = 0
    unchanged: int = 0
    late: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass
class _Tally:
    read: int = 0
    unchanged: int = 0
    problems: dict[str, None] = field(default_factory=dict)


def capture(
    store: Store,
    place: Place,
    sources: Sequence[Source],
    *,
    options: Mapping[str, Mapping[str, str]] | None = None,
    wait_for: Iterable[Awaited] = (),
    until: float | None = None,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> Captured:
    """Read each log that is new or has grown, and keep what it says.

    options: of each source, by its name. wait_for: commits made by assistants; their logs are read again until they
    reach the commit, but not longer than `until` (seconds since 1970; None: do not wait).
    """
    places = {
        source.name: dataclasses.replace(place, options=(options or {}).get(source.name, {})) for source in sources
    }
    tally = _Tally()
    _read_all(store, places, sources, tally, clock)
    waiting = [(source, one) for one in wait_for for source in sources if _may_know(source, one)]
    while waiting := [(source, one) for source, one in waiting if not _reaches(store, source, one)]:
        began = clock()
        if until is None or began >= until:
            break
        sleep(min(_PAUSE, until - began))
        late = list({source.name: source for source, _ in waiting}.values())
        _read_all(store, places, late, tally, clock)
        took = clock() - began - _PAUSE
        sleep(min(max(took, 0.0), max(until - clock(), 0.0)))  # a log of 200 MB is not read all the time
    late_names = tuple(dict.fromkeys(source.name for source, _ in waiting))
    return Captured(tally.read, tally.unchanged, late_names, tuple(tally.problems))


def _read_all(
    store: Store, places: Mapping[str, Place], sources: Iterable[Source], tally: _Tally, clock: Callable[[], float]
) -> None:
    for source in sources:
        try:
            for log in source.logs(places[source.name]):
                known = read_log(store, source.name, log.name)
                if known is not None and known.fingerprint == log.fingerprint:
                    tally.unchanged += 1
                else:
                    _read(store, places[source.name], source, log, tally, clock())
        except UserError as problem:
            tally.problems[one_line(f"{source.name}: {problem}")] = None
        except Exception as problem:  # of a source that anybody may have written: the others are still read
            tally.problems[one_line(f"{source.name}: its logs cannot be listed: {_said(problem)}")] = None


def _read(store: Store, place: Place, source: Source, log: Log, tally: _Tally, now: float) -> None:
    try:
        readings = [_without_copies(store, reading) for reading in source.read(log, place)]
    except FileNotFoundError:
        return  # deleted between listing and reading
    except Exception as problem:  # of a source that anybody may have written: the other logs are still read
        tally.problems[one_line(f"{source.name}: {log.name} cannot be read: {_said(problem)}")] = None
        return
    save_readings(store, source.name, log, readings, now)
    tally.read += 1


def _said(problem: Exception) -> str:
    """An error in a few words: that of the system as it is, of others only the kind, since they may quote contents."""
    return str(problem) if isinstance(problem, OSError) else type(problem).__name__


def _without_copies(store: Store, reading: Reading) -> Reading:
    """Leave out what an earlier session has already: when a session is resumed, some programs copy it to a new log."""
    edits, messages = copied(store, reading)
    if not edits and not messages:
        return reading
    return dataclasses.replace(
        reading,
        edits=tuple(edit for edit in reading.edits if edit.key.edit not in edits),
        messages=tuple(message for message in reading.messages if message.id not in messages),
    )


def _may_know(source: Source, awaited: Awaited) -> bool:
    try:
        return source.committer(awaited.hints) is not None
    except Exception:  # of a source that anybody may have written
        return False


def _reaches(store: Store, source: Source, awaited: Awaited) -> bool:
    """Whether the log of the session that made the commit says what came after it."""
    committer = source.committer(awaited.hints)
    session = None if committer is None else committer.session
    found = edits_since(store, source.name, awaited.time)
    return any(_is_after(edit, awaited.time) for edit in found if session in (None, edit.key.session))


def _is_after(edit: Edit, commit: float) -> bool:
    """Whether an edit tells that the commit is over: the command that made it has a result, or a later second came."""
    finished = edit.kind == "indirect" and edit.outcome != "unknown"
    return finished or (edit.time or 0.0) >= commit + 1.0
