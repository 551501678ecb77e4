"""Every request to a model is told to whoever keeps books, whatever comes of it, before the answer is used."""

from __future__ import annotations

import json

import pytest

from gitgoodbench.agents.openai import OpenAIAgent
from gitgoodbench.errors import CostLimitReached, RunAborted, Status
from gitgoodbench.models.meter import Budget, Tokens
from gitgoodbench.models.pricing import Price
from gitgoodbench.models.recording import Exchange, Fate, Request, recording
from tests.support.fake_episode import FakeEpisode
from tests.support.listening import Listener
from tests.support.model_agent import KEY, play
from tests.support.scripted_llm import ScriptedServer, calls, fault, says

LINES = [calls("write_line", text=text) for text in "abc"]
PRICE = Price(input=1000.0, cached_input=500.0, output=2000.0)


def test_answers_errors_and_silence_are_told_in_order() -> None:
    listener = Listener()
    script = [
        fault.status(503),
        LINES[0],
        fault.drop(),
        fault.html(),
        LINES[1],
        fault.status(400, "'temperature' is unsupported"),
        LINES[2],
    ]
    with recording(listener):
        played = play(script, price=PRICE)
    assert played.trajectory.status is Status.COMPLETED
    told = [(each.fate, each.status, each.attempt, each.cause and each.cause.split(" (")[0]) for each in listener.told]
    assert told == [
        (Fate.REFUSED, 503, 1, "HTTP 503: status 503"),
        (Fate.ANSWERED, 200, 2, None),
        (Fate.LOST, None, 1, "the connection failed"),
        (Fate.UNREADABLE, 200, 2, "the reply is not what the API promises: Expecting value: line 1 column 1"),
        (Fate.ANSWERED, 200, 3, None),
        (Fate.REFUSED, 400, 1, "HTTP 400: 'temperature' is unsupported"),
        (Fate.ANSWERED, 200, 1, None),
    ]  # fmt: skip
    assert listener.asked == 7
    assert [list(each.request.messages) for each in listener.told] == [request.messages for request in played.requests]
    assert [each.request.parameters for each in listener.told[-2:]] == [{"temperature": 0.0}, {}]
    assert (
        listener.told[-1].request.digest()
        == Request(
            "gpt-4o", listener.told[-1].request.messages, listener.told[-1].request.tools, {"temperature": 0.0}
        ).digest()
    )
    first = listener.told[1]
    assert (first.body, first.tokens) == (LINES[0].body, Tokens(prompt=100, cached=40, completion=10))
    assert first.cost_usd == pytest.approx((60 * 1000 + 40 * 500 + 10 * 2000) / 1e6)
    assert (first.response_id, first.model, first.finish_reason) == ("chatcmpl-1", "scripted", "tool_calls")
    assert all(each.seconds >= 0 and each.started.endswith("+00:00") for each in listener.told)


def test_a_reply_that_cannot_be_read_is_told_with_what_it_says_it_used() -> None:
    listener = Listener()
    strange = json.loads(says("x").body) | {"choices": []}
    with recording(listener):
        play([fault.answer(strange), *LINES], price=PRICE)
    assert (listener.told[0].fate, listener.told[0].tokens.prompt) == (Fate.UNREADABLE, 100)
    assert listener.told[0].cost_usd == pytest.approx(0.1)


def test_half_an_answer_is_told_as_far_as_it_arrived() -> None:
    listener = Listener()
    with recording(listener):
        play([fault.drop_mid_body(), *LINES])
    whole = says("this is never heard").body
    lost = listener.told[0]
    assert lost.fate is Fate.LOST
    assert json.loads(whole)["object"].encode() in lost.body
    assert len(lost.body) == len(whole) // 2


def test_a_server_that_cannot_be_reached_has_billed_nothing() -> None:
    listener = Listener()
    with ScriptedServer([]) as server:
        url = server.url
    agent = OpenAIAgent("m", base_url=url, api_key="none", sleep=lambda _: None)
    with recording(listener):
        assert agent.run(FakeEpisode(), Budget()).status is Status.INFRASTRUCTURE_FAILED
    assert {each.fate for each in listener.told} == {Fate.REFUSED}


def test_prompts_and_results_of_tools_are_told_as_they_are_said() -> None:
    listener = Listener()
    with recording(listener):
        trajectory = play([says("hm"), *LINES]).trajectory
    assert listener.heard == [message for message in trajectory.messages if message["role"] != "assistant"]


def test_an_answer_is_told_before_anything_is_done_with_it() -> None:
    episode = FakeEpisode()
    lines: list[int] = []

    class Counting(Listener):
        def received(self, exchange: Exchange) -> None:  # noqa: ARG002
            lines.append(len(episode.lines))

    with recording(Counting()):
        play(LINES, episode=episode)
    assert lines == [0, 1, 2]


def test_a_paid_answer_that_ends_the_run_is_told_too() -> None:
    listener = Listener()
    with recording(listener), pytest.raises(RunAborted):
        play([says('<tool_call>{"name": "read_file"}</tool_call>')])
    assert [each.tokens.prompt for each in listener.told] == [100]


def test_nothing_is_sent_once_a_recorder_refuses() -> None:
    listener = Listener(allowed=2)
    served = LINES * 2
    with recording(listener), pytest.raises(CostLimitReached):
        play(served)
    assert len(listener.told) == 2


def test_a_known_answer_is_used_without_asking_and_costs_nothing() -> None:
    listener = Listener(known={0: LINES[0].body, 1: b"<html>"})
    with recording(listener):
        played = play(LINES[1:], price=PRICE)
    assert played.trajectory.status is Status.COMPLETED
    assert (len(played.requests), listener.asked) == (2, 2)
    assert [each.fate for each in listener.told] == [Fate.CACHED, Fate.ANSWERED, Fate.ANSWERED]
    assert listener.told[0].body == LINES[0].body
    assert played.trajectory.usage.prompt_tokens == 300
    assert played.trajectory.usage.cost_usd == pytest.approx(2 * 0.1)
    assert "answers that were known are used again" in played.trajectory.notes


def test_the_innermost_recorder_hears_and_the_key_is_not_told() -> None:
    outer, inner = Listener(), Listener()
    with recording(outer):
        with recording(inner):
            play([says(f"the key is {KEY}"), *LINES], budget=Budget())
        play(LINES)
    assert (len(inner.told), len(outer.told)) == (4, 3)
    assert json.loads(inner.told[0].body)["choices"][0]["message"]["content"] == "the key is [API key]"
    assert KEY not in repr(inner.told)
