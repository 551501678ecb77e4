"""Delivery: what is sent, when, how often, and what a kill at any moment leaves."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Item, Place, Refused, Unsure, Withheld
from gitgoodbench.feedback.outbox import (
    AT_ONCE,
    CHANGED,
    GRACE,
    MAX_ATTEMPTS,
    TAKEN_BACK,
    Delivered,
    deliver,
    enqueue,
    enqueue_new,
    requeue_refused,
    settle_minutes,
)
from gitgoodbench.feedback.records import Commit, CommitResult
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import save_commit
from gitgoodbench.feedback.store.outbox import Entry, count_entries, entries_of, entry_of
from gitgoodbench.feedback.store.results import save_result

C1, C2 = "1" * 40, "2" * 40


@dataclass
class Other:
    """A sink whose other end is a dictionary. answers: what to raise for a key, one after the other."""

    remote: bool = True
    loses: int = 0
    wanted: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    stored: list[tuple[str, Mapping[str, Any] | None]] = field(default_factory=list)
    raises: dict[str, list[Exception]] = field(default_factory=dict)
    unreadable: Exception | None = None
    looks: int = 0
    name: str = "other"
    title: str = "Another"

    def check(self, place: Place) -> str:  # noqa: ARG002
        return "fine"

    def items(self, result: CommitResult, place: Place) -> Iterable[Item]:  # noqa: ARG002
        return [Item(key, payload) for key, payload in self.wanted.get(result.commit.id, {}).items()]

    def send(self, item: Item, place: Place, *, dry: bool = False) -> str:  # noqa: ARG002
        pending = self.raises.get(item.key, [])
        if pending and pending[0] is not TAKEN:
            raise pending.pop(0)
        if dry:
            return "dry"
        if self.loses:
            self.loses -= 1
        else:
            self.stored.append((item.key, item.payload))
        if pending:
            pending.pop(0)
            raise Unsure("the connection broke")
        return f"id-{len(self.stored)}"

    def confirm(self, item: Item, reference: str, place: Place) -> bool:  # noqa: ARG002
        self.looks += 1
        if self.unreadable is not None:
            raise self.unreadable
        return (item.key, item.payload) in self.stored


TAKEN = Exception("taken, and then the connection breaks")


@dataclass
class World:
    """A store, a sink and a clock."""

    store: Store
    place: Place
    sink: Other = field(default_factory=Other)
    now: float = 1000.0
    settled: set[str] = field(default_factory=lambda: {C1, C2})
    minutes: list[float] = field(default_factory=list)

    def want(self, commit: str, **payloads: Mapping[str, Any]) -> None:
        self.sink.wanted[commit] = dict(payloads)
        made = Commit(id=commit, parents=(), time=0, author="A", email="a@example.org")
        enqueue(self.store, self.sink, CommitResult(made, (), (), rule="1"), self.place, clock=lambda: self.now)

    def deliver(self, *, dry: bool = False) -> Delivered:
        def settled(commit: str, minutes: float) -> bool:
            self.minutes.append(minutes)
            return commit in self.settled

        (delivered,) = deliver(
            self.store,
            [(self.sink, self.place)],
            settled=settled,
            dry=dry,
            clock=lambda: self.now,
            sleep=lambda _: None,
        )
        return delivered

    def entry(self, key: str) -> Entry:
        found = entry_of(self.store, "other", key)
        assert found is not None
        return found


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Store(tmp_path) as store:
        yield World(store, Place((tmp_path,), tmp_path, tmp_path, options={"settle": "5"}))


def test_an_item_is_sent_once_and_confirmed_by_reading_it_back(world: World) -> None:
    world.want(C1, a={"value": 0.5})
    assert world.deliver() == Delivered("other", sent=1, confirmed=1)
    assert world.deliver() == Delivered("other")
    world.want(C1, a={"value": 0.5})
    assert world.deliver() == Delivered("other")
    assert world.sink.stored == [("a", {"value": 0.5})]
    assert (world.entry("a").state, world.entry("a").reference) == ("confirmed", "id-1")
    assert count_entries(world.store) == {("other", "confirmed"): 1}


def test_what_has_not_settled_waits(world: World) -> None:
    world.settled = {C2}
    world.want(C1, a={"value": 1})
    world.want(C2, b={"value": 2})
    assert world.deliver() == Delivered("other", waiting=1, sent=1, confirmed=1)
    assert set(world.minutes) == {5.0}
    world.settled.add(C1)
    assert world.deliver() == Delivered("other", sent=1, confirmed=1)


def test_a_sink_on_this_machine_waits_for_nothing_and_gets_one_at_a_time(world: World) -> None:
    world.sink.remote, world.settled = False, set()
    together: list[int] = []
    busy = threading.Lock()
    send = world.sink.send

    def alone(item: Item, place: Place, *, dry: bool = False) -> str:
        together.append(int(not busy.acquire(blocking=False)))
        try:
            return send(item, place, dry=dry)
        finally:
            busy.release()

    world.sink.send = alone  # type: ignore[method-assign]
    world.want(C1, **{f"k{number}": {"value": number} for number in range(20)})
    assert world.deliver().confirmed == 20
    assert together == [0] * 20


def test_a_remote_sink_gets_several_at_a_time_and_never_more_than_the_limit(world: World) -> None:
    together = threading.Barrier(AT_ONCE, timeout=10)
    running: list[int] = []
    counting = threading.Lock()
    most = 0

    def send(item: Item, place: Place, *, dry: bool = False) -> str:  # noqa: ARG001
        nonlocal most
        assert not dry
        with counting:
            running.append(1)
            most = max(most, len(running))
        together.wait()
        with counting:
            running.pop()
        return "id"

    world.sink.send = send  # type: ignore[method-assign]
    world.want(C1, **{f"k{number}": {"value": number} for number in range(2 * AT_ONCE)})
    assert world.deliver().sent == 2 * AT_ONCE
    assert most == AT_ONCE


def test_nobody_answers_then_the_rest_is_not_tried_and_all_of_it_is_sent_next_time(world: World) -> None:
    world.sink.remote = False
    world.want(C1, a={"value": 1}, b={"value": 2}, c={"value": 3})
    world.sink.raises["b"] = [ConnectionRefusedError("refused")]
    assert world.deliver() == Delivered("other", sent=1, unconfirmed=1, queued=2, problems=("other: refused",))
    assert (world.entry("b").state, world.entry("b").attempts) == ("queued", 0)
    assert world.deliver() == Delivered("other", sent=2, confirmed=3)
    assert [key for key, _ in world.sink.stored] == ["a", "b", "c"]


def test_a_wrong_configuration_refuses_nothing(world: World) -> None:
    world.want(C1, a={"value": 1})
    world.sink.raises["a"] = [UserError("no such metric: add it")]
    assert world.deliver() == Delivered("other", queued=1, problems=("other: no such metric: add it",))
    assert world.deliver().confirmed == 1


def test_a_refused_item_is_tried_again_only_when_told_to_or_when_it_differs(world: World) -> None:
    world.want(C1, a={"value": 1}, b={"value": 2})
    world.sink.raises = {"a": [Refused("too large\nby far")], "b": [Refused("no such inference")]}
    refused = world.deliver()
    assert (refused.refused, refused.confirmed) == (2, 0)
    assert set(refused.problems) == {"other: too large by far", "other: no such inference"}
    assert (world.entry("a").state, world.entry("a").problem) == ("refused", "too large by far")
    world.want(C1, a={"value": 1}, b={"value": 3})
    assert world.deliver().confirmed == 1
    assert world.sink.stored == [("b", {"value": 3})]
    assert requeue_refused(world.store, "other") == 1
    assert world.deliver().confirmed == 1


def test_what_a_sink_withholds_is_no_problem_and_is_not_tried_again(world: World) -> None:
    world.want(C1, a={"value": 1})
    world.sink.raises["a"] = [Withheld("it holds a secret")]
    assert world.deliver() == Delivered("other", withheld=1)
    assert (world.entry("a").state, world.entry("a").problem) == ("withheld", "it holds a secret")
    assert requeue_refused(world.store, "other") == 0
    assert world.deliver() == Delivered("other")
    world.want(C1, a={"value": 2})
    assert world.deliver().confirmed == 1


def test_taken_and_not_stored_is_sent_again_after_a_while_and_given_up_in_the_end(world: World) -> None:
    world.sink.loses = MAX_ATTEMPTS
    world.want(C1, a={"value": 1})
    assert world.deliver() == Delivered("other", sent=1, unconfirmed=1)
    for attempt in range(2, MAX_ATTEMPTS + 1):
        world.now += GRACE - 1
        assert world.deliver() == Delivered("other", unconfirmed=1)
        world.now += 1
        assert world.deliver() == Delivered("other", sent=1, unconfirmed=1)
        assert world.entry("a").attempts == attempt
    world.now += GRACE
    lost = world.deliver()
    assert lost == Delivered("other", refused=1, problems=("other: was taken, and is not there",))
    assert world.entry("a").problem == f"given up after {MAX_ATTEMPTS} attempts: was taken, and is not there"
    assert world.sink.stored == []


def test_a_connection_that_broke_is_looked_into_before_anything_is_sent_again(world: World) -> None:
    world.want(C1, arrived={"value": 1}, lost={"value": 2})
    world.sink.raises = {"arrived": [TAKEN], "lost": [Unsure("the connection broke")]}
    first = world.deliver()
    assert (first.sent, first.unconfirmed, first.problems) == (0, 2, ("other: the connection broke",))
    assert world.deliver() == Delivered("other", confirmed=1, unconfirmed=1)
    world.now += GRACE
    assert world.deliver() == Delivered("other", sent=1, confirmed=1)
    assert sorted(key for key, _ in world.sink.stored) == ["arrived", "lost"]


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("arrives", [True, False])
def test_a_kill_between_sending_and_writing_it_down_doubles_nothing_and_loses_nothing(
    world: World, arrives: bool
) -> None:
    send = world.sink.send

    def killed(item: Item, place: Place, *, dry: bool = False) -> str:
        if arrives:
            send(item, place, dry=dry)
        raise Killed

    world.sink.send = killed  # type: ignore[method-assign]
    world.want(C1, a={"value": 1})
    with pytest.raises(Killed):
        world.deliver()
    assert (world.entry("a").state, world.entry("a").reference) == ("sent", None)
    world.sink.send = send  # type: ignore[method-assign]
    world.now += GRACE
    world.deliver()
    world.deliver()
    assert world.sink.stored == [("a", {"value": 1})]
    assert world.entry("a").state == "confirmed"


def test_an_other_end_that_cannot_be_read_gives_nothing_back(world: World) -> None:
    world.want(C1, a={"value": 1}, b={"value": 2})
    world.sink.unreadable = ConnectionResetError("reset")
    assert world.deliver() == Delivered("other", sent=2, unconfirmed=2, problems=("other: reset",))
    world.now += 10 * GRACE
    assert world.deliver() == Delivered("other", unconfirmed=2, problems=("other: reset",))
    world.sink.unreadable = None
    assert world.deliver() == Delivered("other", confirmed=2)


def test_a_fault_of_a_sink_ends_neither_the_run_nor_the_item(world: World) -> None:
    world.want(C1, a={"value": 1}, b={"value": 2})
    world.sink.raises["a"] = [KeyError("x")]
    result = world.deliver()
    assert (result.confirmed, result.unconfirmed, result.problems) == (1, 1, ("other: KeyError: 'x'",))
    world.now += GRACE
    assert world.deliver().confirmed == 1


def test_a_dry_run_asks_for_everything_and_changes_nothing(world: World) -> None:
    world.settled = set()
    world.want(C1, a={"value": 1}, b={"value": 2})
    world.sink.raises["b"] = [Refused("no")]
    before = entries_of(world.store, "other")
    assert world.deliver(dry=True) == Delivered("other", waiting=2, sent=1, refused=1, problems=("other: no",))
    assert entries_of(world.store, "other") == before
    assert world.sink.stored == []


def test_a_remote_sink_keeps_what_it_was_sent_and_gets_the_same_item_of_a_rewritten_commit_never_twice(
    world: World,
) -> None:
    world.want(C1, a={"value": 1}, b={"value": 2})
    world.deliver()
    world.want(C1)
    assert {entry.problem for entry in entries_of(world.store, "other")} == {TAKEN_BACK}
    world.want(C2, a={"value": 1}, b={"value": 3})
    assert (world.entry("a").commit, world.entry("a").problem) == (C2, None)
    assert (world.entry("b").commit, world.entry("b").problem) == (C2, CHANGED)
    world.deliver()
    assert sorted(world.sink.stored) == [("a", {"value": 1}), ("b", {"value": 2})]


@pytest.mark.parametrize("new_first", [True, False])
def test_an_amended_commit_that_was_not_sent_yet_is_sent_as_what_it_became(world: World, new_first: bool) -> None:
    world.want(C1, a={"value": 1}, gone={"value": 9})
    if not new_first:
        world.want(C1)
    world.want(C2, a={"value": 2})
    world.want(C1)
    assert [(entry.key, entry.commit) for entry in entries_of(world.store, "other")] == [("a", C2)]
    world.deliver()
    assert world.sink.stored == [("a", {"value": 2})]


def test_a_sink_on_this_machine_gets_what_differs_and_is_told_to_take_back_the_rest(world: World) -> None:
    world.sink.remote = False
    world.want(C1, a={"value": 1}, b={"value": 2})
    world.deliver()
    world.want(C1, a={"value": 3})
    assert world.deliver() == Delivered("other", sent=2, confirmed=2)
    assert world.sink.stored[2:] == [("b", None), ("a", {"value": 3})] or world.sink.stored[2:] == [
        ("a", {"value": 3}),
        ("b", None),
    ]
    assert [entry.key for entry in entries_of(world.store, "other")] == ["a"]


def test_results_of_a_run_that_was_killed_before_it_queued_them_are_queued_by_the_next(world: World) -> None:
    for commit in (C1, C2):
        made = Commit(id=commit, parents=(), time=0, author="A", email="a@example.org")
        save_commit(world.store, made)
        save_result(world.store, CommitResult(made, (), (), rule="1"))
    world.sink.wanted = {C1: {"a": {"value": 1}}, C2: {"b": {"value": 2}}}
    assert enqueue_new(world.store, [(world.sink, world.place)]) == ()
    assert enqueue_new(world.store, [(world.sink, world.place)]) == ()
    assert [entry.key for entry in entries_of(world.store, "other")] == ["a", "b"]


def test_what_a_sink_cannot_make_items_of_is_queued_once_it_can(world: World) -> None:
    made = Commit(id=C1, parents=(), time=0, author="A", email="a@example.org")
    save_commit(world.store, made)
    save_result(world.store, CommitResult(made, (), (), rule="1"))
    other = Other(name="broken")
    targets = [(other, world.place), (world.sink, world.place)]
    other.wanted, world.sink.wanted = {C1: {"a": {"value": 1}}}, {C1: {"b": {"value": 2}}}
    items = other.items
    for problem in (UserError("no such option"), KeyError("x")):

        def failing(result: CommitResult, place: Place, *, problem: Exception = problem) -> Iterable[Item]:  # noqa: ARG001
            raise problem

        other.items = failing  # type: ignore[method-assign]
        (said,) = enqueue_new(world.store, targets)
        assert said in ("broken: no such option", "broken: KeyError: 'x'")
    other.items = items  # type: ignore[method-assign]
    assert enqueue_new(world.store, targets) == ()
    assert [entry.key for name in ("broken", "other") for entry in entries_of(world.store, name)] == ["a", "b"]


def test_settling_takes_an_hour_unless_told_otherwise() -> None:
    assert settle_minutes({}) == 60.0
    assert settle_minutes({"settle": "0"}) == 0.0
    for wrong in ("-1", "soon", "nan"):
        with pytest.raises(UserError, match=f"option settle={wrong}: give a number of minutes"):
            settle_minutes({"settle": wrong})
