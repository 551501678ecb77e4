"""The sink for TensorZero: what is sent of a commit's results, and what becomes of it at a gateway."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Item, Refused, Unsure
from gitgoodbench.feedback.outbox import AT_ONCE, GRACE, Delivered, deliver, enqueue
from gitgoodbench.feedback.sinks.tensorzero import TensorZero
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.outbox import entries_of
from tests.feedback.support_tensorzero import COMMIT, piece, place_of, result_of, scored
from tests.support import tensorzero_server as server
from tests.support.tensorzero_rows import TOOL, version7
from tests.support.tensorzero_server import TensorZeroServer


@pytest.fixture
def gateway() -> Iterator[TensorZeroServer]:
    with TensorZeroServer() as gateway:
        yield gateway


@pytest.fixture
def sink(monkeypatch: pytest.MonkeyPatch) -> TensorZero:
    monkeypatch.setattr("gitgoodbench.feedback.tensorzero_client.PAUSES", (0.0, 0.0))
    return TensorZero()


def write(content: str) -> dict[str, object]:
    arguments = {"path": "src/a.py", "content": content}
    return {"type": "tool_call", "id": "7", "name": "write_file", "raw_name": "write_file", "arguments": arguments}


def payloads(items: Iterator[Item] | list[Item]) -> dict[str, dict[str, object]]:
    return {item.key.partition("/")[0]: dict(item.payload or {}) for item in items}


def test_one_reward_per_inference_is_the_formula_over_all_its_snippets(sink: TensorZero, tmp_path: Path) -> None:
    one, other = version7(9), version7(0)
    result = result_of(
        scored(one, 0, reward=0.9, size=90, kept=0.8),
        scored(one, 1, reward=0.0, size=10, kept=0.0, path="b.py"),
        scored(one, 2, reward=0.1, size=50, measure="lines", path="c.txt", language=None),
        scored(other, 0, reward=0.25, size=4, measure="lines"),
    )
    items = list(sink.items(result, place_of("http://gateway", tmp_path)))
    assert [item.key.rpartition("/")[0] for item in items] == [f"ted_reward/{one}", f"ted_reward/{other}"]
    first, second = (item.payload for item in items)
    assert first is not None
    assert second is not None
    assert (first["value"], second["value"]) == (0.81, 0.25)  # lines count only where nothing is a tree
    assert first["tags"] == {
        "commit": COMMIT,
        "path": "src/a.py, b.py, c.txt",
        "language": "python",
        "source": "tensorzero",
        "state": "scored",
        "edits": "3",
        "edit": ", ".join(f"tensorzero/episode/{one}:{part}" for part in range(3)),
        "size": "150",
        "measure": "tree, lines",
        "committed_by": "person",
        "rule": "rule 1",
        "kept": "0.72",
        "normalised": "0.6",
        "delivery": items[0].key.rpartition("/")[2],
    }
    assert not any(key.startswith("tensorzero::") for key in first["tags"])


def test_only_scored_edits_of_inferences_are_sent(sink: TensorZero, tmp_path: Path) -> None:
    known = version7(0)
    edits = (
        scored(known, 0, state="superseded", reward=None),
        scored(known, 1, state="not_applied"),
        scored("msg_123", 0),
        scored("f47ac10b-58cc-4372-a567-0e02b2c3d479", 0),
        scored(version7(0), 0, source="claude-code"),
    )
    assert list(sink.items(result_of(*edits), place_of("http://gateway", tmp_path))) == []


def test_messages_of_another_source_are_inferences_where_the_user_says_so(sink: TensorZero, tmp_path: Path) -> None:
    known = version7(0)
    place = place_of("http://gateway", tmp_path, sources="tensorzero, openai-jsonl")
    (item,) = sink.items(result_of(scored(known, source="openai-jsonl")), place)
    assert item.payload is not None
    assert (item.payload["inference"], item.payload["tags"]["source"]) == (known, "openai-jsonl")


def test_an_item_is_known_by_the_edits_it_is_about_not_by_the_commit(sink: TensorZero, tmp_path: Path) -> None:
    known, place = version7(0), place_of("http://gateway", tmp_path)
    keys = [
        [item.key for item in sink.items(result, place)]
        for result in (
            result_of(scored(known, 0)),
            result_of(scored(known, 0, reward=0.1), committed_by="claude-code"),
            result_of(scored(known, 1)),
        )
    ]
    assert keys[0] == keys[1] != keys[2]


def test_further_numbers_are_metrics_where_the_user_names_one(sink: TensorZero, tmp_path: Path) -> None:
    place = place_of("http://gateway", tmp_path, metric="acceptance", kept="acceptance_kept")
    items = payloads(list(sink.items(result_of(scored(version7(0))), place)))
    assert {name: payload["value"] for name, payload in items.items()} == {"acceptance": 0.5, "acceptance_kept": 0.4}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"uri": "x"}, "TensorZero has no option 'uri': did you mean url"),
        ({"demonstrations": "maybe"}, "option demonstrations=maybe: true or false"),
        ({"settle": "later"}, "option settle=later: give a number of minutes"),
    ],
)
def test_a_wrong_option_is_said(sink: TensorZero, tmp_path: Path, options: dict[str, str], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        list(sink.items(result_of(scored(version7(0))), place_of("http://gateway", tmp_path, **options)))


def test_a_gateway_without_address_is_said(sink: TensorZero, tmp_path: Path) -> None:
    for url in ("", "localhost:3000", "ftp://x", "http://"):
        with pytest.raises(UserError, match=r"give url=http://HOST:PORT"):
            sink.check(place_of(url, tmp_path))


def test_the_check_asks_for_the_metrics_and_stores_nothing(
    sink: TensorZero, gateway: TensorZeroServer, tmp_path: Path
) -> None:
    said = sink.check(place_of(gateway.url, tmp_path))
    assert said == f"{gateway.url} answers, and has the metric ted_reward"
    assert gateway.feedback == []
    for metric, problem in (
        ("nope", "Invalid metric name: nope"),
        ("kept", "Metric `kept` is not a float metric"),
        ("episode_reward", "Correct ID was not provided for feedback level"),
    ):
        with pytest.raises(UserError, match=problem):
            sink.check(place_of(gateway.url, tmp_path, metric=metric))


def test_a_gateway_that_asks_for_a_key_gets_it_from_the_environment(
    sink: TensorZero, gateway: TensorZeroServer, tmp_path: Path
) -> None:
    gateway.key = "sk-t0-x"
    place = place_of(gateway.url, tmp_path)
    with pytest.raises(UserError, match="set TENSORZERO_API_KEY"):
        sink.check(place)
    assert "answers" in sink.check(replace(place, environment={"TENSORZERO_API_KEY": "sk-t0-x"}))


def test_what_is_no_gateway_is_said(sink: TensorZero, tmp_path: Path) -> None:
    with TensorZeroServer() as gateway:
        with pytest.raises(UserError, match="is this the address of a TensorZero gateway"):
            sink.check(place_of(f"{gateway.url}/elsewhere", tmp_path))
        url = gateway.url
    with pytest.raises(OSError, match="cannot be reached: is the gateway running"):
        sink.check(place_of(url, tmp_path))


class World:
    """A gateway with one inference, and what is delivered to it of a commit."""

    def __init__(self, store: Store, sink: TensorZero, gateway: TensorZeroServer, folder: Path) -> None:
        self.store, self.sink, self.gateway = store, sink, gateway
        self.place = place_of(gateway.url, folder)
        self.now = 1000.0
        self.inference = gateway.add_inference("coder", [write("x = 1\ny = 2\n")], tools=[TOOL])

    def enqueue(self) -> None:
        edit = scored(self.inference, pieces=(piece("x = 1\ny = 2\n", "x = 1\nz = 3\n", 10, 2),), reward=0.8)
        enqueue(self.store, self.sink, result_of(edit), self.place, clock=lambda: self.now)

    def deliver(self, *, dry: bool = False) -> Delivered:
        (delivered,) = deliver(
            self.store,
            [(self.sink, self.place)],
            settled=lambda *_: True,
            dry=dry,
            clock=lambda: self.now,
            sleep=lambda _: None,
        )
        return delivered

    @property
    def states(self) -> list[str]:
        return [entry.state for entry in entries_of(self.store, "tensorzero")]


@pytest.fixture
def world(tmp_path: Path, sink: TensorZero, gateway: TensorZeroServer) -> Iterator[World]:
    with Store(tmp_path) as store:
        yield World(store, sink, gateway, tmp_path)


DEMONSTRATION = [
    {
        "type": "tool_call",
        "id": "7",
        "name": "write_file",
        "arguments": {"path": "src/a.py", "content": "x = 1\nz = 3\n"},
    }
]


@pytest.mark.parametrize(
    ("store", "internal"), [("postgres", False), ("postgres", True), ("clickhouse", False), ("clickhouse", True)]
)
def test_a_reward_and_a_demonstration_are_stored_once_and_confirmed(world: World, store: str, internal: bool) -> None:
    world.gateway.store = "postgres" if store == "postgres" else "clickhouse"
    world.gateway.internal = internal
    for _ in range(3):
        world.enqueue()
        world.deliver()
    assert world.states == ["confirmed", "confirmed"]
    assert world.gateway.stored("ted_reward") == [0.8]
    assert world.gateway.stored("demonstration") == [DEMONSTRATION]
    assert {one["tags"]["commit"] for one in world.gateway.feedback} == {COMMIT}


def test_the_dry_run_is_the_gateways_own_and_stores_nothing(world: World) -> None:
    world.enqueue()
    assert world.deliver(dry=True) == Delivered("tensorzero", sent=2, queued=2)
    sent = [body for path, body in world.gateway.requests if path == "/feedback"]
    assert [body["dryrun"] for body in sent] == [True, True]
    assert (world.gateway.feedback, world.states) == ([], ["queued", "queued"])


@pytest.mark.parametrize("internal", [False, True])
def test_200_that_was_not_stored_is_noticed_and_sent_again(world: World, internal: bool) -> None:
    world.gateway.internal = internal
    world.gateway.faults += [server.lose, server.lose]
    world.enqueue()
    assert world.deliver() == Delivered("tensorzero", sent=2, unconfirmed=2)
    world.now += GRACE
    assert world.deliver() == Delivered("tensorzero", sent=2, confirmed=2)
    assert (world.gateway.stored("ted_reward"), world.gateway.stored("demonstration")) == ([0.8], [DEMONSTRATION])


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("stored", [True, False])
def test_a_gateway_that_dies_before_it_answers_is_asked_what_it_stored(
    world: World, stored: bool, internal: bool
) -> None:
    world.gateway.internal = internal
    world.gateway.faults += [server.hang_up(after_storing=stored)] * 2
    world.enqueue()
    first = world.deliver()
    assert (first.sent, first.unconfirmed) == (0, 2)
    assert set(first.problems) == {f"tensorzero: {world.gateway.url}: the connection broke"}
    for _ in range(2):
        world.now += GRACE
        world.deliver()
    assert world.states == ["confirmed", "confirmed"]
    assert (world.gateway.stored("ted_reward"), world.gateway.stored("demonstration")) == ([0.8], [DEMONSTRATION])


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_gateway_is_asked_again_at_once_and_later(world: World, code: int) -> None:
    world.place = place_of(world.gateway.url, world.place.home, demonstrations="false")
    world.gateway.faults += [server.status(code)] * 2
    world.enqueue()
    assert world.deliver() == Delivered("tensorzero", sent=1, confirmed=1)
    other = World(world.store, world.sink, world.gateway, world.place.home)
    other.place = world.place
    other.gateway.faults += [server.status(code, "busy")] * 3
    other.enqueue()
    failed = other.deliver()
    assert failed == Delivered(
        "tensorzero", queued=1, problems=(f"tensorzero: {world.gateway.url} answers {code}: busy",)
    )
    assert other.deliver() == Delivered("tensorzero", sent=1, confirmed=1)
    assert world.gateway.stored("ted_reward") == [0.8, 0.8]


def test_a_gateway_that_does_not_answer_is_not_waited_for_item_by_item(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitgoodbench.feedback.tensorzero_client.TIMEOUTS", (5.0, 0.2))
    world.place = place_of(world.gateway.url, world.place.home, demonstrations="false")
    inferences = [world.gateway.add_inference("coder", []) for _ in range(3 * AT_ONCE)]
    enqueue(world.store, world.sink, result_of(*(scored(one) for one in inferences)), world.place, clock=lambda: 1000)
    world.gateway.faults += [server.stall] * (3 * AT_ONCE)
    stalled = world.deliver()
    assert (stalled.sent, stalled.unconfirmed, stalled.queued) == (0, AT_ONCE, 2 * AT_ONCE)
    assert stalled.problems == (f"tensorzero: {world.gateway.url} does not answer within 0 s",)
    world.gateway.faults.clear()
    for _ in range(2):
        world.now += GRACE
        world.deliver()
    assert world.states == ["confirmed"] * (3 * AT_ONCE)
    assert len(world.gateway.stored("ted_reward")) == 3 * AT_ONCE


def test_a_broken_proxy_may_have_let_it_through(world: World) -> None:
    world.gateway.faults.append(server.status(502))
    body = {"inference_id": world.inference, "metric_name": "ted_reward", "value": 1.0}
    with pytest.raises(Unsure, match="answers 502"):
        world.sink._gateway(world.place).feedback(body)


def test_an_inference_that_is_not_there_is_refused_with_the_gateways_words(world: World) -> None:
    world.inference = version7(0)
    world.enqueue()
    assert world.deliver().refused == 2
    problems = [entry.problem for entry in entries_of(world.store, "tensorzero")]
    assert problems == [
        f"Inference ID: {world.inference} does not exist",
        f"there is no inference {world.inference}",
    ]


def test_a_metric_that_is_not_configured_refuses_nothing(world: World) -> None:
    del world.gateway.metrics["ted_reward"]
    world.enqueue()
    delivered = world.deliver()
    assert f"tensorzero: {world.gateway.url} answers: Unknown metric: ted_reward" in delivered.problems
    assert "refused" not in world.states
    world.gateway.metrics["ted_reward"] = ("float", "inference")
    world.deliver()
    world.deliver()
    assert world.states == ["confirmed", "confirmed"]


def test_nothing_can_be_taken_back(world: World) -> None:
    with pytest.raises(Refused, match="cannot be taken back"):
        world.sink.send(Item("x", None), world.place)


def test_a_demonstration_with_a_secret_stays_here(world: World) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    edit = scored(world.inference, pieces=(piece("x = 1\ny = 2\n", f"token = '{token}'\n", 10, 2),), reward=0.8)
    enqueue(world.store, world.sink, result_of(edit), world.place)
    world.deliver()
    entries = {entry.key.partition("/")[0]: entry for entry in entries_of(world.store, "tensorzero")}
    assert entries["ted_reward"].state == "confirmed"
    assert entries["demonstration"].state == "withheld"
    assert entries["demonstration"].problem == "no demonstration: there is a secret or an e-mail address in it"
    assert world.gateway.stored("demonstration") == []
    assert not any(token in str(request) for request in world.gateway.requests)


def test_what_was_committed_in_another_encoding_is_not_demonstrated(world: World) -> None:
    odd = replace(piece("x = 1\ny = 2\n", "", 10, 2), matched=b"x = '\xe9'\n")
    enqueue(world.store, world.sink, result_of(scored(world.inference, pieces=(odd,))), world.place)
    world.deliver()
    problems = [entry.problem for entry in entries_of(world.store, "tensorzero")]
    assert problems == [None, "no demonstration: what was committed is not UTF-8"]
