"""Deliver results to sinks: nothing is lost when the process is killed, and nothing is sent twice that can be seen.

An item goes from `queued` to `sent` to `confirmed`. `sent` is written before the item leaves, since only then is an
item known that was on its way when the process was killed. What is `sent` is read back at the other end, and is sent
again only if it is not found there for a while: another end may say that it has taken something and lose it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Final, Literal, assert_never

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Item, Place, Refused, Sink, Unsure, Withheld
from gitgoodbench.feedback.records import CommitResult
from gitgoodbench.feedback.settling import Settled
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.outbox import (
    Entry,
    entries_of,
    entries_of_commit,
    entry_of,
    remove_entry,
    save_entry,
)
from gitgoodbench.feedback.store.results import note_told, untold_results
from gitgoodbench.text import one_line

SETTLE: Final = "settle"
"""The option of every remote sink: the minutes after which a commit that is not pushed has settled."""
SETTLE_MINUTES: Final = 60.0

AT_ONCE: Final = 8
"""Items of one remote sink that are on their way at the same time. A sink on this machine gets one at a time."""
GRACE: Final = 60.0
"""Seconds in which something that was sent may still appear at the other end."""
MAX_ATTEMPTS: Final = 3
"""How often an item is sent that the other end says it has taken, and does not have."""
LOOKS: Final = (0.0, 0.2, 1.0)
"""Seconds before each look for what was sent in the same run."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Delivered:
    """What came of a delivery to one sink.

    waiting: items of commits that have not settled. sent: in this run; in a dry one, those that would be taken.
    confirmed: found at the other end in this run. unconfirmed: not found yet, and not given up. queued: settled, and to
    be sent next time. refused: in this run. withheld: by the sink itself, in this run. problems: each different one
    once.
    """

    sink: str
    waiting: int = 0
    sent: int = 0
    confirmed: int = 0
    unconfirmed: int = 0
    queued: int = 0
    refused: int = 0
    withheld: int = 0
    problems: tuple[str, ...] = ()


def enqueue_new(store: Store, targets: Sequence[tuple[Sink, Place]], *, clock: Clock = time.time) -> tuple[str, ...]:
    """Queue, for each sink, all results that are new, also those of a run that was killed before it came to this.

    targets: the sinks, each with its own options. What a sink cannot make items of is tried again next time; gives why.
    """
    problems: dict[str, None] = {}
    for result in untold_results(store):
        failed = False
        for sink, place in targets:
            try:
                enqueue(store, sink, result, place, clock=clock)
            except Exception as problem:  # of a sink that anybody may have written
                said = (
                    str(problem) if isinstance(problem, UserError | OSError) else f"{type(problem).__name__}: {problem}"
                )
                problems[one_line(f"{sink.name}: {said}")] = None
                failed = True
        if not failed:
            note_told(store, result.commit.id)
    return tuple(problems)


def enqueue(store: Store, sink: Sink, result: CommitResult, place: Place, *, clock: Clock = time.time) -> None:
    """Queue what a sink is to have of a commit's results, in place of what was queued of it before.

    What a remote sink has already is not sent again, whatever the results are now. A sink on this machine gets what
    differs, and is told to take back what the commit does not bring any more.
    """
    items = list(sink.items(result, place))
    with store.writing():
        for entry in entries_of_commit(store, sink.name, result.commit.id):
            if entry.payload is not None and all(item.key != entry.key for item in items):
                _take_back(store, sink, entry, clock())
        for item in items:
            _queue(store, sink, item, result.commit.id, clock())


def _queue(store: Store, sink: Sink, item: Item, commit: str, now: float) -> None:
    fresh = Entry(sink.name, item.key, commit, item.payload, "queued", None, 0, now, None)
    known = entry_of(store, sink.name, item.key)
    if known is None:
        if item.payload is not None:
            save_entry(store, fresh)
    elif known.payload == item.payload:
        problem = None if known.problem in (CHANGED, TAKEN_BACK) else known.problem
        save_entry(store, replace(known, commit=commit, problem=problem))
    elif sink.remote and known.state in ("sent", "confirmed"):
        save_entry(store, replace(known, commit=commit, problem=CHANGED))
    else:
        save_entry(store, fresh)


def _take_back(store: Store, sink: Sink, entry: Entry, now: float) -> None:
    if entry.state in ("queued", "refused", "withheld") and (sink.remote or entry.attempts == 0):
        remove_entry(store, sink.name, entry.key)
    elif sink.remote:
        save_entry(store, replace(entry, problem=TAKEN_BACK))
    else:
        save_entry(store, replace(entry, payload=None, state="queued", attempts=0, changed_at=now, problem=None))


CHANGED: Final = "was sent; what it would be now differs"
TAKEN_BACK: Final = "was sent; the commit does not bring it any more"


def deliver(
    store: Store,
    targets: Iterable[tuple[Sink, Place]],
    *,
    settled: Settled,
    dry: bool = False,
    clock: Clock = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Delivered]:
    """Deliver what is queued and has settled, and look for what was sent before.

    targets: the sinks, each with its own options. dry: have all that is queued checked at the other end, whether it has
    settled or not; nothing is stored anywhere.

    Raises:
        UserError: an option is wrong.
    """
    return [_Delivery(store, sink, place, settled, dry, clock, sleep).run() for sink, place in targets]


def requeue_refused(store: Store, sink: str, *, clock: Clock = time.time) -> int:
    """Queue again what the other end refused, after what it complained about was put right. Gives their number."""
    refused = entries_of(store, sink, "refused")
    with store.writing():
        for entry in refused:
            save_entry(store, replace(entry, state="queued", attempts=0, changed_at=clock(), problem=None))
    return len(refused)


def settle_minutes(options: Mapping[str, str]) -> float:
    """The minutes after which a commit that is not pushed has settled.

    Raises:
        UserError: the option is no number of minutes.
    """
    given = options.get(SETTLE, "")
    try:
        minutes = float(given) if given else SETTLE_MINUTES
    except ValueError:
        minutes = -1.0
    if not minutes >= 0:
        raise UserError(f"option {SETTLE}={given}: give a number of minutes, 0 or more")
    return minutes


_Answer = tuple[Literal["taken", "refused", "withheld", "unreachable", "misconfigured", "unsure", "faulty"], str]


class _Delivery:
    """One delivery to one sink. Threads talk to the sink; only this one writes to the database."""

    def __init__(
        self,
        store: Store,
        sink: Sink,
        place: Place,
        settled: Settled,
        dry: bool,
        clock: Clock,
        sleep: Callable[[float], None],
    ) -> None:
        self.store, self.sink, self.place = store, sink, place
        self.settled, self.dry, self.clock, self.sleep = settled, dry, clock, sleep
        self.minutes = settle_minutes(place.options) if sink.remote else 0.0
        self.sent = self.confirmed = self.refused = self.withheld = 0
        self.stopped = False
        self.problems: dict[str, None] = {}

    def run(self) -> Delivered:
        if not self.dry:
            self._confirm(entries_of(self.store, self.sink.name, "sent"))
        queued = entries_of(self.store, self.sink.name, "queued")
        ready = [entry for entry in queued if self._may_go(entry)]
        if not self.stopped:
            self._send_all(queued if self.dry else ready)
        if not self.dry and self.sent:
            for pause in LOOKS:
                missing = [one for one in entries_of(self.store, self.sink.name, "sent") if one.reference is not None]
                if self.stopped or not missing:
                    break
                self.sleep(pause)
                self._confirm(missing)
        left = len(entries_of(self.store, self.sink.name, "queued"))
        waiting = len(queued) - len(ready)
        return Delivered(
            self.sink.name,
            waiting=waiting,
            sent=self.sent,
            confirmed=self.confirmed,
            unconfirmed=len(entries_of(self.store, self.sink.name, "sent")),
            queued=left - waiting,
            refused=self.refused,
            withheld=self.withheld,
            problems=tuple(self.problems),
        )

    def _may_go(self, entry: Entry) -> bool:
        return not self.sink.remote or self.settled(entry.commit, self.minutes)

    def _send_all(self, entries: list[Entry]) -> None:
        todo = iter(entries)
        limit = AT_ONCE if self.sink.remote else 1
        with ThreadPoolExecutor(limit) as pool:
            running: dict[Future[_Answer], Entry] = {}
            while True:
                while not self.stopped and len(running) < limit and (entry := next(todo, None)) is not None:
                    leaving = replace(
                        entry, state="sent", reference=None, attempts=entry.attempts + 1, changed_at=self.clock()
                    )
                    if not self.dry:
                        save_entry(self.store, leaving)
                    running[pool.submit(self._send, leaving)] = leaving
                if not running:
                    return
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    self._note(running.pop(done), done.result())

    def _send(self, entry: Entry) -> _Answer:
        try:
            return "taken", self.sink.send(Item(entry.key, entry.payload), self.place, dry=self.dry)
        except Withheld as problem:
            return "withheld", str(problem)
        except Refused as problem:
            return "refused", str(problem)
        except Unsure as problem:
            return "unsure", str(problem)
        except OSError as problem:
            return "unreachable", str(problem)
        except UserError as problem:
            return "misconfigured", str(problem)
        except Exception as problem:  # a fault of the sink, which others can bring: it may have sent the item or not
            return "faulty", f"{type(problem).__name__}: {problem}"

    def _note(self, entry: Entry, answer: _Answer) -> None:
        """Write down what came of sending an item."""
        kind, text = answer
        now, said = self.clock(), one_line(text)
        match kind:
            case "taken":
                self.sent += 1
                after = replace(entry, reference=text, changed_at=now, problem=None)
            case "refused":
                self.refused += 1
                after = replace(entry, state="refused", changed_at=now, problem=said)
            case "withheld":
                self.withheld += 1
                after = replace(entry, state="withheld", changed_at=now, problem=said)
            case "unsure" | "faulty":
                self.stopped |= kind == "unsure"  # each of the others might wait as long
                after = replace(entry, changed_at=now, problem=said)
            case "unreachable" | "misconfigured":
                self.stopped = True
                after = replace(entry, state="queued", attempts=entry.attempts - 1, changed_at=now, problem=said)
            case _:
                assert_never(kind)
        if kind not in ("taken", "withheld"):
            self.problems[f"{self.sink.name}: {said}"] = None
        if not self.dry:
            save_entry(self.store, after)

    def _confirm(self, entries: list[Entry]) -> None:
        """Look for what was sent; queue again what is not there after a while."""
        with ThreadPoolExecutor(AT_ONCE if self.sink.remote else 1) as pool:
            for entry, found in zip(entries, pool.map(self._look, entries), strict=True):
                if isinstance(found, str):
                    self.stopped = True
                    self.problems[f"{self.sink.name}: {one_line(found)}"] = None
                elif found:
                    self._note_confirmed(entry)
                elif found is not None and self.clock() - entry.changed_at >= GRACE:
                    self._give_back(entry)

    def _note_confirmed(self, entry: Entry) -> None:
        self.confirmed += 1
        if entry.payload is None:
            remove_entry(self.store, self.sink.name, entry.key)
        else:
            save_entry(self.store, replace(entry, state="confirmed", changed_at=self.clock(), problem=None))

    def _look(self, entry: Entry) -> bool | str | None:
        """Whether an item is there, or why that cannot be said; None where it was not looked for."""
        if self.stopped:
            return None
        try:
            return self.sink.confirm(Item(entry.key, entry.payload), entry.reference or "", self.place)
        except (OSError, UserError) as problem:
            return str(problem)
        except Exception as problem:  # a fault of the sink
            return f"{type(problem).__name__}: {problem}"

    def _give_back(self, entry: Entry) -> None:
        """Queue an item again that was sent and is not there, or refuse it after some attempts."""
        lost = "was taken, and is not there" if entry.reference else entry.problem or "may not have been taken"
        if entry.attempts < MAX_ATTEMPTS:
            save_entry(self.store, replace(entry, state="queued", changed_at=self.clock(), problem=lost))
            return
        self.refused += 1
        self.problems[f"{self.sink.name}: {lost}"] = None
        reason = f"given up after {entry.attempts} attempts: {lost}"
        save_entry(self.store, replace(entry, state="refused", changed_at=self.clock(), problem=reason))
