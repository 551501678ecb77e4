"""From an inference to its feedback, through a real repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.feedback.outbox import Delivered
from tests.feedback.support_tensorzero_story import Story
from tests.support.tensorzero_rows import TOOL
from tests.support.tensorzero_server import TensorZeroServer

WRITTEN = "def price(number):\n    return number * 2\n\n\ndef total(prices):\n    return sum(prices)\n"
COMMITTED = "def price(number):\n    return number * 3\n\n\ndef total(prices):\n    return sum(prices)\n"


@pytest.fixture
def gateway() -> Iterator[TensorZeroServer]:
    with TensorZeroServer() as gateway:
        yield gateway


@pytest.fixture
def story(gateway: TensorZeroServer, tmp_path: Path) -> Iterator[Story]:
    story = Story(tmp_path / "shop", gateway.url)
    yield story
    story.store.close()


def ask(gateway: TensorZeroServer, story: Story) -> str:
    """An inference that writes src/shop.py."""
    arguments = {"path": "src/shop.py", "content": WRITTEN}
    call = {"type": "tool_call", "id": "1", "name": "write_file", "raw_name": "write_file", "arguments": arguments}
    return gateway.add_inference("coder", [call], tools=[TOOL], tags={"cwd": str(story.root)})


def test_what_a_person_kept_of_an_inference_comes_back_to_it(gateway: TensorZeroServer, story: Story) -> None:
    inference = ask(gateway, story)
    commit = story.commit("src/shop.py", COMMITTED)
    (edit,) = story.score(commit).edits
    assert (edit.state, edit.message, edit.path) == ("scored", inference, "src/shop.py")
    assert edit.reward is not None
    assert 0.9 < edit.reward < 1
    assert story.deliver() == Delivered("tensorzero", waiting=2)
    story.push()
    assert story.deliver() == Delivered("tensorzero", sent=2, confirmed=2)
    assert gateway.stored("ted_reward") == [round(edit.reward, 6)]
    ((block,),) = gateway.stored("demonstration")
    assert block["arguments"] == {"path": "src/shop.py", "content": COMMITTED}
    assert {one["inference_id"] for one in gateway.feedback} == {inference}
    assert {one["tags"]["commit"] for one in gateway.feedback} == {commit.id}
    assert {one["tags"]["path"] for one in gateway.feedback} == {"src/shop.py"}


def test_an_amended_commit_is_told_once_as_what_it_became(gateway: TensorZeroServer, story: Story) -> None:
    ask(gateway, story)
    old = story.commit("src/shop.py", WRITTEN)
    assert story.score(old).edits[0].reward == 1.0
    new = story.amend(old, "src/shop.py", COMMITTED)
    assert story.deliver(later=7200) == Delivered("tensorzero")
    story.rescore(new)
    assert story.deliver(later=7200) == Delivered("tensorzero", sent=2, confirmed=2)
    assert [one["tags"]["commit"] for one in gateway.feedback] == [new.id, new.id]
    (reward,) = gateway.stored("ted_reward")
    assert 0.9 < reward < 1


def test_code_in_text_is_told_too(gateway: TensorZeroServer, story: Story) -> None:
    text = f"Put this into src/shop.py:\n\n```python\n{WRITTEN}```\n\nThen run the tests.\n"
    gateway.add_inference("coder", [{"type": "text", "text": text}], tags={"repository": "shop"})
    story.score(story.commit("src/shop.py", COMMITTED))
    story.push()
    assert story.deliver() == Delivered("tensorzero", sent=2, confirmed=2)
    ((block,),) = gateway.stored("demonstration")
    assert block == {"type": "text", "text": text.replace(WRITTEN, COMMITTED)}
