"""The real TensorZero gateway (2026.6.0) on a real Postgres: `make test-tensorzero`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import requests

from gitgoodbench.feedback.contract import Item, Place
from gitgoodbench.feedback.outbox import GRACE, MAX_ATTEMPTS, Delivered, deliver, enqueue, requeue_refused
from gitgoodbench.feedback.sinks.tensorzero import TensorZero
from gitgoodbench.feedback.sources import tensorzero as source
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.outbox import Entry, entries_of
from tests.feedback.support_tensorzero import COMMIT, piece, place_of, result_of, scored
from tests.feedback.support_tensorzero_story import Story
from tests.support.tensorzero_rows import GIVEN, LISTED, Target, version7
from tests.tensorzero.conftest import Real

pytestmark = pytest.mark.tensorzero

VALUES = "SELECT target_id, value FROM tensorzero.float_metric_feedback WHERE metric_name = 'ted_reward'"


def eventually(ask: object, wanted: object) -> None:
    """What is stored after the answer is there soon."""
    assert callable(ask)
    for _ in range(100):
        if ask() == wanted:
            return
        time.sleep(0.05)
    assert ask() == wanted


def test_every_row_of_the_validation_table(real: Real) -> None:
    target = real.infer("x = 1\n", tags={"n": "1"})
    for row in GIVEN:
        response = requests.post(f"{real.url}{row.path}", json=row.body(target), timeout=60)
        assert response.status_code == row.status, (row.name, response.text)
        assert row.says in response.text.replace('\\"', '"'), (row.name, response.text)
    eventually(
        lambda: [float(value) for _, value in real.rows(f"{VALUES} AND target_id = '{target.inference}' ORDER BY id")],
        [0.75, 0.5, 1, -3.5, 0.25, 0.125],
    )
    demonstrations = f"SELECT count(*) FROM tensorzero.demonstration_feedback WHERE inference_id = '{target.inference}'"
    eventually(lambda: real.rows(demonstrations), [["5"]])
    for row in LISTED:
        response = requests.post(f"{real.url}{row.path}", json=row.body(target), timeout=60)
        assert response.status_code == row.status, (row.name, response.text)
        assert row.says in response.text.replace('\\"', '"'), (row.name, response.text)
        if row.finds is not None:
            ids = [one["inference_id"] for one in response.json()["inferences"]]
            assert (target.inference in ids) == row.finds, row.name


def test_an_unknown_inference_is_waited_for_the_longer_the_fresher_it_would_be(real: Real) -> None:
    waited = []
    for age in (0.0, 3600.0):
        began = time.monotonic()
        body = {"inference_id": version7(age), "metric_name": "ted_reward", "value": 1}
        response = requests.post(f"{real.url}/feedback", json=body, timeout=60)
        waited.append(time.monotonic() - began)
        assert response.status_code == 400
        assert response.json()["error"] == f"Inference ID: {body['inference_id']} does not exist"
    assert waited[0] > 5 > waited[1] > 1
    print(f"unknown inference: refused after {waited[0]:.1f} s where it would be fresh, {waited[1]:.1f} s where old")


class Delivery:
    """What is delivered to the real gateway of one commit."""

    def __init__(self, store: Store, real: Real, folder: Path) -> None:
        self.store, self.real, self.sink = store, real, TensorZero()
        self.place = place_of(real.url, folder)
        self.now = 1000.0

    def enqueue(self, *inferences: Target, reward: float = 0.8) -> None:
        pieces = (piece("x = 1\n", "x = 2\n", 10, 2),)
        edits = [scored(one.inference, pieces=pieces, reward=reward) for one in inferences]
        enqueue(self.store, self.sink, result_of(*edits), self.place, clock=lambda: self.now)

    def deliver(self, *, dry: bool = False) -> Delivered:
        (delivered,) = deliver(
            self.store, [(self.sink, self.place)], settled=lambda *_: True, dry=dry, clock=lambda: self.now
        )
        return delivered

    def rewards(self, *inferences: Target) -> list[int]:
        """How many rewards the database holds of each."""
        counted = Counter(target for target, _ in self.real.rows(VALUES))
        return [counted[one.inference] for one in inferences]

    def demonstrations(self, *inferences: Target) -> list[int]:
        """How many demonstrations the database holds of each."""
        rows = self.real.rows("SELECT inference_id FROM tensorzero.demonstration_feedback")
        counted = Counter(target for (target,) in rows)
        return [counted[one.inference] for one in inferences]

    @property
    def entries(self) -> list[Entry]:
        return entries_of(self.store, "tensorzero")


@pytest.fixture
def delivery(real: Real, tmp_path: Path) -> Iterator[Delivery]:
    with Store(tmp_path) as store:
        yield Delivery(store, real, tmp_path)


def test_the_check_says_whether_the_metrics_are_there(real: Real, delivery: Delivery) -> None:
    assert delivery.sink.check(delivery.place) == f"{real.url} answers, and has the metric ted_reward"
    for metric, problem in (
        ("nope", "Invalid metric name: nope"),
        ("kept", "Metric `kept` is not a float metric"),
        ("episode_reward", "Correct ID was not provided"),
    ):
        with pytest.raises(Exception, match=problem):
            delivery.sink.check(replace(delivery.place, options={"url": real.url, "metric": metric}))


def test_a_reward_and_a_demonstration_are_stored_once_and_confirmed(real: Real, delivery: Delivery) -> None:
    target = real.infer("x = 1\n")
    delivery.enqueue(target)
    assert delivery.deliver(dry=True) == Delivered("tensorzero", sent=2, queued=2)
    assert delivery.deliver() == Delivered("tensorzero", sent=2, confirmed=2)
    delivery.enqueue(target)
    assert delivery.deliver() == Delivered("tensorzero")
    query = f"SELECT value, tags FROM tensorzero.float_metric_feedback WHERE target_id = '{target.inference}'"
    ((value, tags),) = real.rows(query)
    assert float(value) == 0.8
    assert (json.loads(tags)["commit"], json.loads(tags)["kept"]) == (COMMIT, "0.4")
    query = f"SELECT value FROM tensorzero.demonstration_feedback WHERE inference_id = '{target.inference}'"
    (((shown),),) = real.rows(query)
    (block,) = json.loads(shown)
    assert (block["name"], block["arguments"]) == ("write_file", {"path": "src/a.py", "content": "x = 2\n"})


def test_text_is_demonstrated_as_text(real: Real, delivery: Delivery) -> None:
    target = real.infer(said="So:\n```python\nx = 1\n```\n")
    delivery.enqueue(target)
    assert delivery.deliver().confirmed == 2
    query = f"SELECT value FROM tensorzero.demonstration_feedback WHERE inference_id = '{target.inference}'"
    (((shown),),) = real.rows(query)
    assert json.loads(shown) == [{"type": "text", "text": "So:\n```python\nx = 2\n```\n"}]


def test_a_tool_that_was_not_offered_is_not_demonstrated(real: Real, delivery: Delivery) -> None:
    target = real.infer("x = 1\n", additional_tools=[])
    delivery.enqueue(target)
    assert delivery.deliver().confirmed == 1
    assert delivery.entries[1].problem == "no demonstration: the inference's tools do not offer 'write_file'"


def test_a_row_that_the_database_refuses_is_noticed_though_the_gateway_says_200(real: Real, delivery: Delivery) -> None:
    target = real.infer("x = 1\n")
    delivery.place = replace(delivery.place, options={"url": real.url, "demonstrations": "false"})
    real.rows("ALTER TABLE tensorzero.float_metric_feedback ADD CONSTRAINT never CHECK (value <> 0.625) NOT VALID")
    try:
        delivery.enqueue(target, reward=0.625)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            assert delivery.deliver() == Delivered("tensorzero", sent=1, unconfirmed=1)
            assert (delivery.entries[0].attempts, delivery.rewards(target)) == (attempt, [0])
            assert delivery.entries[0].reference
            delivery.now += GRACE
        assert delivery.deliver().refused == 1
        assert delivery.entries[0].problem == "given up after 3 attempts: was taken, and is not there"
    finally:
        real.rows("ALTER TABLE tensorzero.float_metric_feedback DROP CONSTRAINT never")
    assert requeue_refused(delivery.store, "tensorzero") == 1
    assert delivery.deliver() == Delivered("tensorzero", sent=1, confirmed=1)
    assert delivery.rewards(target) == [1]


def test_a_gateway_that_is_killed_in_mid_delivery_loses_nothing(real: Real, delivery: Delivery) -> None:
    targets = [real.infer("x = 1\n") for _ in range(40)]
    delivery.enqueue(*targets)
    sink, taken = delivery.sink, []
    send = sink.send

    def killing(item: Item, place: Place, *, dry: bool = False) -> str:
        said = send(item, place, dry=dry)
        taken.append(said)
        if len(taken) == 20:
            real.gateway.kill()
        return said

    sink.send = killing  # type: ignore[method-assign]
    first = delivery.deliver()
    sink.send = send  # type: ignore[method-assign]
    stored = [sum(delivery.rewards(*targets)), sum(delivery.demonstrations(*targets))]
    real.gateway.start()
    print(f"killed after {len(taken)} answers of 200: {stored} rewards and demonstrations stored; {first.problems}")
    assert first.queued > 0
    rounds = 0
    while any(entry.state != "confirmed" for entry in delivery.entries):
        rounds += 1
        assert rounds < 5, [(entry.state, entry.problem) for entry in delivery.entries]
        delivery.now += GRACE
        delivery.deliver()
    assert delivery.rewards(*targets) == [1] * len(targets)
    assert delivery.demonstrations(*targets) == [1] * len(targets)
    print(f"after {rounds} more deliveries: {len(targets)} rewards and as many demonstrations, each once")


def test_a_gateway_is_a_source_of_inferences(real: Real, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PAGE", 2)
    root = tmp_path / "shop"
    root.mkdir()
    place = Place((root,), root / ".git", tmp_path, options={"url": real.url, "function": "coder"})
    made = [real.infer("x = 1\n", tags={"cwd": str(root), "model": "m"}) for _ in range(5)]
    real.infer("x = 1\n", tags={"cwd": str(tmp_path)})
    again = real.infer(said="```python\n# a.py\ny = 1\n```\n", tags={"cwd": str(root)}, episode_id=made[0].episode)
    reader = source.TensorZero()
    (log,) = reader.logs(place)
    readings = {reading.session.id: reading for reading in reader.read(log, place)}
    assert list(readings) == [one.episode for one in made]
    reading = readings[made[0].episode]
    assert [message.id for message in reading.messages] == [made[0].inference, again.inference]
    assert all(message.latency is not None and message.time is not None for message in reading.messages)
    assert (reading.session.variant, reading.session.tags) == ("base", (("function", "coder"), ("model", "m")))
    assert [(edit.kind, edit.path, edit.parts[0].after) for edit in reading.edits] == [
        ("edit", str(root / "src/a.py"), b"x = 1\n"),
        ("answer", str(root / "a.py"), b"# a.py\ny = 1\n"),
    ]
    (unchanged,) = reader.logs(place)
    assert unchanged == log


def test_what_a_person_kept_of_an_inference_comes_back_to_it(real: Real, tmp_path: Path) -> None:
    story = Story(tmp_path / "shop", real.url)
    written = "def price(number):\n    return number * 2\n\n\ndef total(prices):\n    return sum(prices)\n"
    target = real.infer(written, tags={"cwd": str(story.root)})
    commit = story.commit("src/a.py", written.replace("* 2", "* 3"))
    (edit,) = story.score(commit).edits
    assert edit.reward is not None
    assert 0.9 < edit.reward < 1
    assert story.deliver() == Delivered("tensorzero", waiting=2)
    story.push()
    assert story.deliver() == Delivered("tensorzero", sent=2, confirmed=2)
    ((value, tags),) = real.rows(
        f"SELECT value, tags FROM tensorzero.float_metric_feedback WHERE target_id = '{target.inference}'"
    )
    assert float(value) == round(edit.reward, 6)
    assert json.loads(tags)["commit"] == commit.id
    story.store.close()


def test_the_commands_bring_a_commit_to_the_gateway(real: Real, tmp_path: Path) -> None:
    root = tmp_path / "desk"
    (root / "src").mkdir(parents=True)
    name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"]

    def run(*command: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    feedback = (sys.executable, "-m", "gitgoodbench", "feedback")
    run("git", "init", "--quiet")
    run(*feedback, "install", "--source", f"tensorzero:url={real.url}", "--sink", f"tensorzero:url={real.url}")
    run(*feedback, "install", "--sink", "tensorzero:settle=0")
    assert f"{real.url} answers" in run(*feedback, "status", "--check")
    target = real.infer("def price(number):\n    return number * 2\n", tags={"repository": "desk"})
    (root / "src/a.py").write_text("def price(number):\n    return number * 3\n")
    run("git", "add", "--all")
    run("git", *name, "commit", "--quiet", "--message=Price")
    run(*feedback, "run")
    run(*feedback, "run")
    query = f"SELECT value, tags FROM tensorzero.float_metric_feedback WHERE target_id = '{target.inference}'"
    ((value, tags),) = real.rows(query)
    assert 0.8 < float(value) < 1
    assert json.loads(tags)["commit"] == run("git", "rev-parse", "HEAD").strip()
    query = f"SELECT value FROM tensorzero.demonstration_feedback WHERE inference_id = '{target.inference}'"
    (((shown),),) = real.rows(query)
    assert json.loads(shown)[0]["arguments"]["content"] == "def price(number):\n    return number * 3\n"
    print(run(*feedback, "status"))
