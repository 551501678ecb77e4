from __future__ import annotations

import json
from typing import Any

import pytest

from gitgoodbench.agents.reference import NoopAgent, ReferenceAgent
from gitgoodbench.errors import AgentFailed, Status, UserError
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Budget, Usage
from gitgoodbench.models.recording import recording
from gitgoodbench.scenario import Call
from tests.support.fake_episode import FakeEpisode
from tests.support.listening import Listener


def write_three(_: Any, call: Call) -> None:
    for number in range(3):
        assert call("write_line", text=f"é{number}") == f"{number + 1} of 3 lines written"


def test_a_policy_plays_through_the_tools_and_is_recorded_like_a_model() -> None:
    episode = FakeEpisode()
    trajectory = ReferenceAgent("writer", {"fake": write_three}).run(episode, Budget())
    assert trajectory.status is Status.COMPLETED
    assert trajectory.turns == 3
    assert trajectory.usage == Usage(0, 0, 0, 0, 0.0)
    assert episode.lines == ["é0", "é1", "é2"]
    assert list(trajectory.messages[:4]) == [
        *episode.prompt,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "write_line", "arguments": '{"text": "\\u00e90"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "1 of 3 lines written"},
    ]
    assert len(trajectory.messages) == 8


def test_errors_of_tools_come_back_as_text() -> None:
    heard: list[str] = []

    def policy(_: Any, call: Call) -> None:
        heard.extend([call("nothing"), call("write_line"), call("write_line", text=""), call("read_file")])

    trajectory = ReferenceAgent("p", {"fake": policy}).run(FakeEpisode(), Budget())
    assert heard == [
        "error: there is no tool 'nothing'; the tools are: write_line, read_file, finish",
        "error: write_line: argument text: it is required",
        "error: an empty line is no line",
        "the file",
    ]
    assert [message["content"] for message in trajectory.messages if message["role"] == "tool"] == heard


def test_a_policy_that_stops_early_gave_up() -> None:
    trajectory = ReferenceAgent("lazy", {"fake": lambda _, __: None}).run(FakeEpisode(), Budget())
    assert trajectory.status is Status.GAVE_UP
    assert trajectory.error == "lazy stopped with work left"


def test_noop_does_nothing_and_gave_up() -> None:
    episode = FakeEpisode()
    trajectory = NoopAgent().for_scenario("whatever").run(episode, Budget())
    assert trajectory.status is Status.GAVE_UP
    assert trajectory.error == "noop stopped with work left"
    assert list(trajectory.messages) == list(episode.prompt)
    assert trajectory.turns == 0


def test_noop_completes_an_episode_that_needs_nothing() -> None:
    episode = FakeEpisode()
    episode.message = "done before"
    assert NoopAgent().run(episode, Budget()).status is Status.COMPLETED


def test_the_policy_hears_all_of_a_result_and_the_record_holds_a_clean_capped_one() -> None:
    heard: list[str] = []
    text = "\udce9" + "x" * 200_000
    agent = ReferenceAgent("p", {"fake": lambda _, call: heard.append(call("read_file"))})
    trajectory = agent.run(FakeEpisode(text_of_file=text), Budget())
    assert heard == [text]
    content = trajectory.messages[-1]["content"]
    assert content.startswith("\\udce9xxx")
    assert content.endswith("[cut: only the first 100000 of 200006 bytes are shown]")


def test_arguments_that_stand_for_bytes_reach_the_tool_and_the_record_is_utf8() -> None:
    episode = FakeEpisode()

    def policy(_: Any, call: Call) -> None:
        call("write_line", text="caf\udce9")

    trajectory = ReferenceAgent("p", {"fake": policy}).run(episode, Budget())
    assert episode.lines == ["caf\udce9"]
    assert b"caf" in json.dumps(trajectory.messages, ensure_ascii=False).encode("utf-8")


def test_an_error_that_ends_the_episode_is_its_status() -> None:
    def policy(_: Any, call: Call) -> None:
        call("read_file")
        raise AgentFailed("broken")

    trajectory = ReferenceAgent("p", {"fake": policy}).run(FakeEpisode(), Budget())
    assert (trajectory.status, trajectory.error, trajectory.turns) == (Status.AGENT_FAILED, "broken", 1)


def test_only_the_wall_time_binds_a_policy() -> None:
    agent = ReferenceAgent("p", {"fake": write_three})
    assert agent.run(FakeEpisode(), Budget(max_turns=1, max_tokens=1, max_cost_usd=0.0)).status is Status.COMPLETED
    trajectory = agent.run(FakeEpisode(), Budget(timeout_s=0.0))
    assert trajectory.status is Status.LIMIT_REACHED
    assert trajectory.error == "time limit: 0 s"


def test_each_scenario_has_its_own_policy() -> None:
    agent = ReferenceAgent("both", {"one": write_three, "two": lambda _, __: None})
    assert agent.for_scenario("one").run(FakeEpisode(), Budget()).status is Status.COMPLETED
    assert agent.for_scenario("two").run(FakeEpisode(), Budget()).status is Status.GAVE_UP
    with pytest.raises(UserError, match="'both' does not play the scenario 'three', only: one, two"):
        agent.for_scenario("three")
    with pytest.raises(ValueError, match="choose one with for_scenario"):
        agent.run(FakeEpisode(), Budget())


def test_what_a_policy_does_is_on_record_as_it_happens() -> None:
    heard: list[tuple[int, str]] = []
    episode = FakeEpisode()

    class Hearing(Listener):
        def said(self, message: Message) -> None:
            heard.append((len(episode.lines), message["role"]))

    with recording(Hearing()):
        ReferenceAgent("writer", {"fake": write_three}).run(episode, Budget())
    assert heard[:6] == [(0, "system"), (0, "user"), (0, "assistant"), (1, "tool"), (1, "assistant"), (2, "tool")]
