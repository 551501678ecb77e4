"""The source for TensorZero: which inferences are about a repository, and what is read of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.capture import capture
from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.records import Key, Message, Part, Reading
from gitgoodbench.feedback.sources import tensorzero
from gitgoodbench.feedback.sources.tensorzero import TensorZero
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.readings import edits_of, sessions
from tests.support.tensorzero_server import TensorZeroServer, new_id

NOW = 1_800_000_000.0


@pytest.fixture
def gateway() -> Iterator[TensorZeroServer]:
    with TensorZeroServer() as gateway:
        yield gateway


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    return folder


@pytest.fixture
def place(gateway: TensorZeroServer, root: Path) -> Place:
    return Place((root,), root / ".git", root.parent, options={"url": gateway.url})


def read(place: Place) -> list[Reading]:
    source = TensorZero()
    return [reading for log in source.logs(place) for reading in source.read(log, place)]


def call(tool: str, identity: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": identity, "name": tool, "raw_name": tool, "arguments": arguments}


def test_an_episode_is_a_session_and_each_inference_a_message_with_its_edits(
    gateway: TensorZeroServer, place: Place, root: Path
) -> None:
    episode = new_id(int(NOW * 1000))
    tags = {"cwd": str(root / "src"), "model": "m-1", "team": "a", "tensorzero::x": "y"}
    first = gateway.add_inference(
        "coder",
        [
            {"type": "thought", "text": "hm"},
            {"type": "text", "text": "So:\n```python\n# b.py\ny = 2\n```\n"},
            call("write_file", path="a.py", content="x = 1\n"),
            call("bash", "c2", command="make"),
            call("read_file", "c3", path="a.py"),
        ],
        tags=tags,
        episode=episode,
        at=NOW,
        milliseconds=1500,
    )
    second = gateway.add_inference(
        "coder",
        [call("edit", "c4", file_path=str(root / "a.py"), old_string="x = 1", new_string="x = 3")],
        tags=tags,
        episode=episode,
        at=NOW + 60,
        milliseconds=None,
    )
    (reading,) = read(place)
    session = reading.session
    assert (session.source, session.id, session.folder) == ("tensorzero", episode, str(root / "src"))
    assert (session.started, session.variant, session.randomised) == (NOW, "base", False)
    assert session.tags == (("function", "coder"), ("model", "m-1"), ("team", "a"))
    assert reading.messages == (
        Message(first, time=NOW, model="m-1", latency=1.5),
        Message(second, time=NOW + 60, model="m-1"),
    )
    assert [(edit.key.edit, edit.kind, edit.tool, edit.path, edit.message) for edit in reading.edits] == [
        (f"{first}:1#0", "answer", "text", str(root / "src/b.py"), first),
        (f"{first}:2", "edit", "write_file", str(root / "src/a.py"), first),
        (f"{first}:3", "indirect", "bash", None, first),
        (f"{second}:0", "edit", "edit", str(root / "a.py"), second),
    ]
    assert reading.edits[1].parts == (Part(None, b"x = 1\n", 1),)
    assert reading.edits[3].parts == (Part(b"x = 1", b"x = 3"),)
    assert (reading.understood, reading.not_understood) == (2, 0)


def test_results_in_later_inputs_say_what_became_of_a_call(gateway: TensorZeroServer, place: Place, root: Path) -> None:
    episode = new_id(int(NOW * 1000))
    names = ("ok", "denied", "failed", "open")
    gateway.add_inference(
        "coder",
        [call("write_file", name, path=f"{name}.py", content="x\n") for name in names],
        tags={"cwd": str(root)},
        episode=episode,
        at=NOW,
    )
    gateway.add_inference("coder", [], tags={"cwd": str(root)}, episode=episode, at=NOW + 1)
    said = {"ok": "written", "denied": "The user rejected this edit", "failed": "Error: read-only"}
    results = [{"type": "tool_result", "id": name, "name": "write_file", "result": text} for name, text in said.items()]
    gateway.inferences[1]["input"] = {"messages": [{"role": "user", "content": results}]}
    (reading,) = read(place)
    assert {Path(edit.path or "").stem: edit.outcome for edit in reading.edits} == {
        "ok": "applied",
        "denied": "denied",
        "failed": "failed",
        "open": "unknown",
    }


def test_only_inferences_about_the_repository_are_read(gateway: TensorZeroServer, place: Place, root: Path) -> None:
    ours = [{"cwd": str(root)}, {"repository": "shop"}, {"repository": str(root / "src")}]
    others = [{"cwd": str(root.parent / "other")}, {"repository": "shopping"}, {}, {"team": "shop"}]
    episodes = [new_id(int(NOW * 1000) + number) for number in range(len(ours + others))]
    for number, tags in enumerate(ours + others):
        output = [call("write_file", path="a.py", content="x\n")]
        gateway.add_inference("coder", output, tags=tags, episode=episodes[number], at=NOW + number)
    readings = read(place)
    assert [reading.session.id for reading in readings] == episodes[:3]
    assert readings[0].not_understood == 2
    assert readings[0].problems == ("an inference that names no repository",)
    place = replace(place, options={**place.options, "tag": "team=shop"})
    assert [reading.session.id for reading in read(place)] == [episodes[-1]]


def test_functions_and_times_are_asked_for(gateway: TensorZeroServer, place: Place, root: Path) -> None:
    tags = {"cwd": str(root)}
    for function, at in (("coder", NOW - 5), ("coder", NOW + 5), ("other", NOW + 6)):
        gateway.add_inference(function, [{"type": "text", "text": function}], tags=tags, at=at)
    assert len(read(place)) == 3
    assert len(read(replace(place, since=NOW))) == 2
    place = replace(place, since=NOW, options={**place.options, "function": "coder"})
    (reading,) = read(place)
    assert reading.messages[0].time == NOW + 5


def test_an_episode_of_several_variants_names_them(gateway: TensorZeroServer, place: Place, root: Path) -> None:
    episode = new_id(int(NOW * 1000))
    for number, variant in enumerate(("terse", "long", "terse")):
        gateway.add_inference("coder", [], tags={"cwd": str(root)}, episode=episode, variant=variant, at=NOW + number)
    (reading,) = read(replace(place, options={**place.options, "randomised": "true"}))
    assert (reading.session.variant, reading.session.randomised) == ("long + terse", True)


def test_all_pages_are_read(
    gateway: TensorZeroServer, place: Place, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensorzero, "PAGE", 3)
    for number in range(7):
        gateway.add_inference("coder", [], tags={"cwd": str(root)}, at=NOW + number)
    assert [reading.messages[0].time for reading in read(place)] == [NOW + number for number in range(7)]


def test_a_gateway_without_news_is_not_read_again(gateway: TensorZeroServer, place: Place, root: Path) -> None:
    tags = {"cwd": str(root)}
    first = gateway.add_inference("coder", [call("write_file", path="a.py", content="x\n")], tags=tags)
    with Store(root / ".git") as store:

        def captured() -> tuple[int, int]:
            found = capture(store, place, [TensorZero()], options={"tensorzero": place.options})
            assert found.problems == ()
            return found.read, found.unchanged

        assert [captured(), captured()] == [(1, 0), (0, 1)]
        time.sleep(0.002)
        gateway.add_inference("coder", [], tags=tags)
        assert captured() == (1, 0)
        assert len(list(sessions(store))) == 2
        (edit,) = edits_of(store, "tensorzero", gateway.inferences[0]["episode_id"])
        assert edit.key == Key("tensorzero", gateway.inferences[0]["episode_id"], f"{first}:0")


def test_without_an_address_there_is_nothing_to_read(root: Path) -> None:
    assert list(TensorZero().logs(Place((root,), root / ".git", root.parent))) == []


def test_odd_inferences_are_counted_not_raised(gateway: TensorZeroServer, place: Place, root: Path) -> None:
    tags = {"cwd": str(root)}
    for output in (
        [call("write_file", path=7, content=["x"]), 5, {"type": "tool_call"}, {"type": "text", "text": None}],
        [{"type": "tool_call", "id": None, "name": None, "raw_name": "write_file", "raw_arguments": "{not json"}],
    ):
        gateway.add_inference("coder", [], tags=tags)
        gateway.inferences[-1]["output"] = output
    gateway.add_inference("coder", [], tags=tags)
    gateway.inferences[-1]["output"] = {"raw": "{}", "parsed": {}}
    gateway.add_inference("coder", [], tags=tags)
    gateway.inferences[-1]["episode_id"] = 7
    readings = read(place)
    assert sum(reading.understood for reading in readings) == 2
    assert {problem for reading in readings for problem in reading.problems} == {
        "an inference without its episode",
        "an output that is no list of blocks",
    }


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"tag": "shop"}, "option tag=shop: give tag=KEY=VALUE"),
        ({"functions": "coder"}, "no option 'functions': did you mean function"),
        ({"randomised": "yes"}, "option randomised=yes: true or false"),
        ({"function": "nope"}, "Unknown function: nope"),
        ({"url": "gateway"}, "give url=http://HOST:PORT"),
    ],
)
def test_wrong_options_are_said(place: Place, options: dict[str, str], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        list(TensorZero().logs(replace(place, options={**place.options, **options})))
