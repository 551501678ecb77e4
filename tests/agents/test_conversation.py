"""A scripted model works on an episode through the real openai client."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from gitgoodbench.agents.openai import OpenAIAgent
from gitgoodbench.errors import AgentFailed, Status
from gitgoodbench.models.meter import Budget, Usage
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.models.pricing import Price
from gitgoodbench.sandbox.base import SandboxDied
from gitgoodbench.tools import Tool
from tests.support.fake_episode import FakeEpisode
from tests.support.model_agent import KEY, play
from tests.support.scripted_llm import (
    Call,
    Reply,
    ScriptedServer,
    calls,
    calls_all,
    calls_raw,
    each_episode,
    fault,
    replies,
    says,
)

THREE_LINES = [calls("write_line", text="a"), calls("write_line", text="b"), calls("write_line", text="c")]


def test_an_episode_is_completed_and_everything_said_is_kept() -> None:
    episode = FakeEpisode()
    played = play(
        [replies("Let me look.", [Call.of("read_file")]), calls_all(*(Call.of("write_line", text=t) for t in "abc"))],
        episode=episode,
    )
    trajectory = played.trajectory
    assert trajectory.status is Status.COMPLETED
    assert trajectory.error is None
    assert trajectory.notes == ()
    assert trajectory.turns == 2
    assert episode.lines == ["a", "b", "c"]
    ids = [call["id"] for message in trajectory.messages for call in message.get("tool_calls", ())]
    assert len(set(ids)) == 4
    assert list(trajectory.messages) == [
        *episode.prompt,
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [_call(ids[0], "read_file", "{}")],
        },
        {"role": "tool", "tool_call_id": ids[0], "content": "the file"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [_call(ids[i], "write_line", f'{{"text": "{text}"}}') for i, text in enumerate("abc", 1)],
        },
        {"role": "tool", "tool_call_id": ids[1], "content": "1 of 3 lines written"},
        {"role": "tool", "tool_call_id": ids[2], "content": "2 of 3 lines written"},
        {"role": "tool", "tool_call_id": ids[3], "content": "3 of 3 lines written"},
    ]


def test_a_request_holds_model_messages_tools_and_temperature() -> None:
    episode = FakeEpisode()
    played = play(THREE_LINES, episode=episode, parameters=Parameters(temperature=0.0, seed=7))
    first = played.requests[0]
    assert first.path == "/v1/chat/completions"
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert first.body == {
        "model": "gpt-4o",
        "messages": list(episode.prompt),
        "tools": [tool.schema for tool in episode.tools],
        "temperature": 0.0,
        "seed": 7,
    }
    assert played.requests[2].messages == list(played.trajectory.messages[:-2])


def test_temperature_and_seed_can_be_left_to_the_server() -> None:
    body = play(THREE_LINES, parameters=Parameters()).requests[0].body
    assert set(body) == {"model", "messages", "tools"}


def test_no_request_is_sent_for_an_episode_that_is_finished() -> None:
    episode = FakeEpisode()
    episode.message = "done before"
    played = play([], episode=episode)
    assert played.trajectory.status is Status.COMPLETED
    assert played.trajectory.usage == Usage(0, 0, 0, 0, 0.0)
    assert played.requests == []


def test_calls_after_the_one_that_finished_the_work_are_answered_but_not_run() -> None:
    episode = FakeEpisode()
    played = play(
        [calls_all(Call.of("finish", message="all done"), Call.of("write_line", text="late"))], episode=episode
    )
    assert played.trajectory.status is Status.COMPLETED
    assert played.results == ["done", "error: not run: an earlier call of this answer finished the work"]
    assert episode.lines == []


def test_calls_after_one_that_failed_are_not_run_and_say_so() -> None:
    episode = FakeEpisode()
    answer = [Call.of("write_line", text="a"), Call.of("write_line", text=""), Call.of("finish", message="done")]
    played = play([calls_all(*answer), *THREE_LINES[:2]], episode=episode)
    assert played.trajectory.status is Status.COMPLETED
    assert played.results[1:3] == [
        "error: an empty line is no line",
        "error: not run: an earlier call of this answer failed. "
        "Mend that one first, then send this one again if it still fits.",
    ]
    assert episode.lines == ["a", "a", "b"]
    assert episode.message is None


def test_what_was_read_as_what_is_in_the_notes() -> None:
    class Counting(FakeEpisode):
        def __init__(self) -> None:
            super().__init__()
            self.tools = (*self.tools, Tool.of(self.skip))

        def skip(self, count: int) -> str:
            """Skip lines.

            Args:
                count: how many.
            """
            self.lines += ["-"] * count
            return "skipped"

    played = play([calls("skip", count="3")], episode=Counting())
    assert played.trajectory.status is Status.COMPLETED
    assert played.trajectory.notes == ('answer 1, skip: count: "3" read as 3',)


@pytest.mark.parametrize(
    ("wrong", "result"),
    [
        (
            calls("multi_tool_use.parallel", x=1),
            "error: there is no tool 'multi_tool_use.parallel'; the tools are: write_line, read_file, finish",
        ),
        (calls("", x=1), "error: there is no tool ''; the tools are: write_line, read_file, finish"),
        (
            calls_raw("write_line", '{"text": "a"'),
            "error: the arguments are not valid JSON: Expecting ',' delimiter: line 1 column 13 (char 12)",
        ),
        (calls_raw("write_line", '["a"]'), "error: the arguments must be a JSON object, not list"),
        (calls_raw("write_line", '{"text": NaN}'), "error: the arguments are not valid JSON: NaN is no JSON value"),
        (calls_raw("write_line", "[" * 100_000), "error: the arguments are nested too deep"),
        (calls("write_line"), "error: write_line: argument text: it is required"),
        (calls_raw("write_line", ""), "error: write_line: argument text: it is required"),
        (calls("write_line", text="a", line=1), "error: write_line: argument line: there is no such argument"),
        (calls("write_line", text=5), "error: write_line: argument text: Input should be a valid string"),
        (calls("write_line", text=""), "error: an empty line is no line"),
    ],
)
def test_what_the_model_gets_wrong_goes_back_to_it(wrong: Reply, result: str) -> None:
    played = play([wrong, *THREE_LINES])
    assert played.trajectory.status is Status.COMPLETED
    assert played.results == [result, "1 of 3 lines written", "2 of 3 lines written", "3 of 3 lines written"]
    assert played.requests[1].last == result


def test_the_record_of_a_bad_call_is_one_that_every_server_accepts() -> None:
    bad = [calls_raw("multi_tool_use.parallel", '{"text": "a'), calls_raw("x" * 100, ""), calls_raw("", "[1]")]
    played = play([*bad, *THREE_LINES])
    functions = [message["tool_calls"][0]["function"] for message in played.requests[3].messages[2::2]]
    assert functions == [
        {"name": "multi_tool_use_parallel", "arguments": '{"unreadable_arguments": "{\\"text\\": \\"a"}'},
        {"name": "x" * 64, "arguments": "{}"},
        {"name": "_", "arguments": '{"unreadable_arguments": "[1]"}'},
    ]


def test_one_reminder_then_the_model_gave_up() -> None:
    played = play([says("Here is a plan."), says("I am done.")])
    assert played.trajectory.status is Status.GAVE_UP
    assert played.trajectory.error == "answered twice in a row without calling a tool"
    assert [(m["role"], m["content"]) for m in played.trajectory.messages[2:]] == [
        ("assistant", "Here is a plan."),
        ("user", "Call a tool: there is work left."),
        ("assistant", "I am done."),
    ]
    assert played.trajectory.turns == 2


def test_a_tool_call_earns_another_reminder() -> None:
    played = play([says("a"), THREE_LINES[0], says("b"), THREE_LINES[1], says("c"), THREE_LINES[2]])
    assert played.trajectory.status is Status.COMPLETED
    assert [m["content"] for m in played.trajectory.messages[2:] if m["role"] == "user"] == [FakeEpisode.reminder] * 3


def test_an_answer_without_content_or_calls_is_one_without_a_tool_call() -> None:
    played = play([says(None), says(None, refusal="I will not.")])
    assert played.trajectory.status is Status.GAVE_UP
    assert played.requests[1].messages[2] == {"role": "assistant", "content": ""}
    assert played.trajectory.messages[-1] == {"role": "assistant", "content": "I will not."}


def test_an_empty_answer_cut_off_at_the_length_limit_is_a_limit() -> None:
    played = play([says("", finish_reason="length")])
    assert played.trajectory.status is Status.LIMIT_REACHED
    assert played.trajectory.error == "context limit: the answer was cut off before it said anything"
    assert played.trajectory.usage.completion_tokens == 10


def test_text_cut_off_at_the_length_limit_is_an_answer() -> None:
    played = play([says("so many words", finish_reason="length"), *THREE_LINES])
    assert played.trajectory.status is Status.COMPLETED


def test_a_call_cut_off_at_the_length_limit_goes_back_as_bad_json() -> None:
    cut = replies(None, [Call("write_line", '{"text": "aaa')], finish_reason="length")
    played = play([cut, *THREE_LINES])
    assert played.results[0].startswith("error: the arguments are not valid JSON: Unterminated string")


def test_what_a_content_filter_stops_is_given_up() -> None:
    for reply in [
        says("I", finish_reason="content_filter"),
        fault.status(400, "flagged", code="content_filter"),
        fault.status(400, "flagged as potentially violating our usage policy", code="invalid_prompt"),
    ]:
        played = play([reply])
        assert played.trajectory.status is Status.GAVE_UP
        assert "content filter" in (played.trajectory.error or "")
        assert len(played.requests) == 1


def test_reasoning_goes_back_under_the_name_it_came_with_and_other_extras_do_not() -> None:
    first = replies("x", [Call.of("read_file")], reasoning_content="I think", annotations=[], audio=None)
    played = play([first, *THREE_LINES])
    sent = played.requests[1].messages[2]
    assert sent["reasoning_content"] == "I think"
    assert set(sent) == {"role", "content", "tool_calls", "reasoning_content"}


def test_a_providers_mark_on_a_call_goes_back_with_it() -> None:
    mark = {"google": {"thought_signature": "abc"}}
    call = {"id": "1", "function": {"name": "read_file", "arguments": "{}"}, "extra_content": mark, "index": 0}
    played = play([fault.message({"role": "assistant", "tool_calls": [call]}), *THREE_LINES])
    assert played.requests[1].messages[2]["tool_calls"] == [
        {
            "extra_content": mark,
            "id": "1",
            "type": "function",
            "function": {"name": "read_file", "arguments": "{}"},
        }
    ]


def test_usage_is_summed_over_answers_with_cached_tokens_at_their_price() -> None:
    played = play(THREE_LINES, price=Price(input=2.0, cached_input=1.0, output=10.0))
    usage = played.trajectory.usage
    assert (usage.requests, usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (3, 300, 120, 30)
    assert usage.cost_usd == pytest.approx(3 * (60 * 2.0 + 40 * 1.0 + 10 * 10.0) / 1e6, rel=1e-12)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage(3)),
        ("many", Usage(3)),
        ({"prompt_tokens": 5}, Usage(3, prompt_tokens=205)),
        ({"prompt_tokens": True, "completion_tokens": -1}, Usage(3)),
        (
            {"prompt_tokens": 5, "completion_tokens": 1},
            Usage(3, prompt_tokens=205, completion_tokens=21, cost_usd=(200 + 20 + 5 + 1) / 1e6),
        ),
    ],
)
def test_what_one_reply_does_not_report_is_unknown_for_the_episode(usage: Any, expected: Usage) -> None:
    script = [THREE_LINES[0], replies(None, [Call.of("write_line", text="b")], usage=usage), THREE_LINES[2]]
    found = play(script, price=Price(1.0, 1.0, 1.0)).trajectory.usage
    assert found.cost_usd == (None if expected.cost_usd is None else pytest.approx(expected.cost_usd, rel=1e-12))
    known = (found.requests, found.prompt_tokens, found.cached_tokens, found.completion_tokens)
    assert known == (3, expected.prompt_tokens, expected.cached_tokens, expected.completion_tokens)


def test_an_error_of_a_tool_that_ends_the_episode_keeps_its_status_and_the_conversation() -> None:
    class Breaking(FakeEpisode):
        def read_file(self) -> str:
            """Break."""
            raise AgentFailed("the repository is gone")

    played = play([calls("read_file")], episode=Breaking())
    assert played.trajectory.status is Status.AGENT_FAILED
    assert played.trajectory.error == "the repository is gone"
    assert played.trajectory.messages[-1]["role"] == "assistant"


def test_a_dead_sandbox_is_passed_on() -> None:
    class Dying(FakeEpisode):
        def read_file(self) -> str:
            """Die."""
            raise SandboxDied("killed")

    with pytest.raises(SandboxDied):
        play([calls("read_file")], episode=Dying())


def test_many_threads_share_one_agent() -> None:
    steps = [calls("read_file"), *THREE_LINES]
    together = threading.Barrier(8)
    with ScriptedServer(each_episode(steps)) as server:
        agent = OpenAIAgent("m", base_url=server.url, api_key=KEY)

        def work(number: int) -> tuple[Status, list[str], str]:
            episode = FakeEpisode(text_of_file=f"file {number}", name=f"episode {number}")
            together.wait(timeout=240)
            trajectory = agent.run(episode, Budget())
            return trajectory.status, episode.lines, trajectory.messages[3]["content"]

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(8))) == [
                (Status.COMPLETED, ["a", "b", "c"], f"file {number}") for number in range(8)
            ]
        assert len(server.requests) == 32


def test_trajectories_survive_a_round_trip_through_json() -> None:
    messages = list(play([calls("read_file"), *THREE_LINES]).trajectory.messages)
    assert json.loads(json.dumps(messages, ensure_ascii=False).encode("utf-8")) == messages


def _call(number: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}
