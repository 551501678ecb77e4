"""Every request to a model is told to whoever keeps books, whatever comes of it, before the answer is used."""

from __future__ import annotations

import json

import pytest

from gitgoodbench.errors import RunAborted, Status
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.recording import Exchange, recording
from tests.support.fake_episode import FakeEpisode
from tests.support.model_agent import KEY, play
from tests.support.scripted_llm import calls, fault, says

LINES = [calls("write_line", text=text) for text in "abc"]


def test_answers_errors_and_silence_are_told_in_order() -> None:
    told: list[Exchange] = []
    script = [
        fault.status(503),
        LINES[0],
        fault.drop(),
        fault.html(),
        LINES[1],
        fault.status(400, "'temperature' is unsupported"),
        LINES[2],
    ]
    with recording(told.append):
        played = play(script)
    assert played.trajectory.status is Status.COMPLETED
    assert [(each.status, each.attempt, each.problem and each.problem.split(" (")[0]) for each in told] == [
        (503, 1, "HTTP 503: status 503"),
        (200, 2, None),
        (None, 1, "the connection failed"),
        (200, 2, "the reply is not what the API promises: Expecting value: line 1 column 1"),
        (200, 3, None),
        (400, 1, "HTTP 400: 'temperature' is unsupported"),
        (200, 1, None),
    ]
    assert [each.request for each in told] == [request.body for request in played.requests]
    assert [each.reply for each in told if each.problem is None] == [reply.body for reply in LINES]
    assert [each.glance.tokens for each in told][:2] == [Tokens(), Tokens(prompt=100, cached=40, completion=10)]
    assert (told[1].glance.response_id, told[1].glance.model, told[1].glance.finish_reason) == (
        "chatcmpl-1", "scripted", "tool_calls",
    )  # fmt: skip
    assert {(each.api, each.model) for each in told} == {("chat", "gpt-4o")}
    assert all(each.seconds >= 0 and each.started.endswith("+00:00") for each in told)


def test_an_answer_is_told_before_anything_is_done_with_it() -> None:
    episode = FakeEpisode()
    lines: list[int] = []
    with recording(lambda _: lines.append(len(episode.lines))):
        play(LINES, episode=episode)
    assert lines == [0, 1, 2]


def test_a_paid_answer_that_ends_the_run_is_told_too() -> None:
    told: list[Exchange] = []
    with recording(told.append), pytest.raises(RunAborted):
        play([says('<tool_call>{"name": "read_file"}</tool_call>')])
    assert [each.glance.tokens.prompt for each in told] == [100]


def test_recorders_nest_and_the_key_is_not_told() -> None:
    outer: list[Exchange] = []
    inner: list[Exchange] = []
    with recording(outer.append):
        with recording(inner.append):
            play([says(f"the key is {KEY}"), *LINES])
        play(LINES)
    assert (len(inner), len(outer)) == (4, 7)
    assert json.loads(outer[0].reply or b"")["choices"][0]["message"]["content"] == "the key is [API key]"
    assert KEY not in repr(outer)
