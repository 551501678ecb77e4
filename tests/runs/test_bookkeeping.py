"""What is said is on disk line by line; answers that are known are not asked for again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.errors import RunAborted
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.recording import Exchange, Fate, Request
from gitgoodbench.runs.account import AGENT, read_account
from gitgoodbench.runs.answers import AnswerCache
from gitgoodbench.runs.bookkeeping import Account, Bookkeeper
from gitgoodbench.runs.ledger import Ledger
from gitgoodbench.runs.transcript import PARTIAL_LIMIT, Transcript, ranges

WHO = Account("mcr/s0/1", AGENT)
GO: Message = {"role": "user", "content": "go"}
TOOLS = ({"type": "function", "function": {"name": "look"}},)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _answer(request: Request, text: str = "hello", **fields: Any) -> Exchange:
    message = {"role": "assistant", "content": text}
    chosen: dict[str, Any] = {"message": message, "finish_reason": "stop", "tokens": Tokens(100, 40, 10), **fields}
    return Exchange(request, Fate.ANSWERED, "2026-01-31T09:00:00.000Z", 1.25, b"{}", cost_usd=0.5, **chosen)


def test_every_message_and_answer_is_a_line_as_soon_as_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "trajectory.jsonl"
    transcript = Transcript(path, sample_id="s0", scenario="mcr")
    transcript.message(GO)
    request = Request("m", [GO], TOOLS, {"temperature": 0.0})
    answer = _answer(request, response_id="r1", model="m-2026", attempt=2)
    transcript.exchange(answer)
    episode, message, setting, said = _lines(path)
    assert (episode["kind"], episode["format"], episode["sample_id"]) == ("episode", 2, "s0")
    assert (message["kind"], message["number"], message["message"]) == ("message", 0, GO)
    assert setting["asked"] == {"api": "chat", "model": "m", "parameters": {"temperature": 0.0}, "tools": list(TOOLS)}
    del said["time"]
    assert said == {
        "kind": "answer", "number": 1, "message": answer.message, "conversation": None, "request": 0,
        "messages": [[0, 0]], "started": "2026-01-31T09:00:00.000Z", "seconds": 1.25, "attempt": 2, "cached": False,
        "tokens": {"prompt": 100, "cached": 40, "completion": 10}, "cost_usd": 0.5, "finish_reason": "stop",
        "response_id": "r1", "model": "m-2026",
    }  # fmt: skip


def test_a_message_is_written_once_however_often_it_is_asked_with(tmp_path: Path) -> None:
    path = tmp_path / "trajectory.jsonl"
    transcript = Transcript(path)
    messages: list[Message] = [GO]
    transcript.message(GO)
    for turn in range(3):
        request = Request("m", list(messages), TOOLS)
        answer = _answer(request, f"answer {turn}")
        transcript.exchange(answer)
        assert answer.message is not None
        result: Message = {"role": "tool", "tool_call_id": "c", "content": "the same"}
        messages += [answer.message, result]
        transcript.message(result)
    transcript.end(messages, status="completed", error=None)
    lines = _lines(path)
    assert [line["kind"] for line in lines].count("request") == 1
    assert [line["messages"] for line in lines if line["kind"] == "answer"] == [[[0, 0]], [[0, 2]], [[0, 4]]]
    assert lines[-1]["messages"] == [[0, 6]]
    numbered = {line["number"]: line["message"] for line in lines if line["kind"] in ("message", "answer")}
    assert [numbered[number] for number in range(7)] == messages


def test_another_conversation_about_the_same_prompt_refers_to_it(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    transcript = Transcript(path)
    for name in ("a", "b"):
        transcript.exchange(_answer(Request(name, [{"role": "user", "content": "go"}])), conversation=name)
    lines = _lines(path)
    assert [line["messages"] for line in lines if line["kind"] == "answer"] == [[[0, 0]], [[0, 0]]]
    assert sum(line["kind"] == "message" for line in lines) == 1


def test_a_fault_is_kept_with_its_cause_and_what_arrived_of_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "trajectory.jsonl"
    transcript = Transcript(path)
    request = Request("m", [GO])
    transcript.exchange(
        Exchange(request, Fate.LOST, "t", 2.0, b'{"choices": [{"mess\xff', cause="the connection failed", attempt=3)
    )
    transcript.exchange(Exchange(request, Fate.REFUSED, "t", 0.1, b"x" * (PARTIAL_LIMIT + 5), status=503, cause="busy"))
    lost, refused = (line for line in _lines(path) if line["kind"] == "fault")
    assert (lost["fate"], lost["partial"], lost["cause"], lost["attempt"]) == (
        "lost", '{"choices": [{"mess\\xff', "the connection failed", 3,
    )  # fmt: skip
    assert (refused["status"], refused["cause"]) == (503, "busy")
    assert refused["partial"] == "x" * PARTIAL_LIMIT + f"\n[cut: {PARTIAL_LIMIT + 5} bytes arrived]"


@pytest.mark.parametrize("text", ["é" * 2_500_000, "漢" * 1_700_000, "😀" * 1_250_000, "line\n" * 1_000_000])
def test_an_answer_of_five_megabytes_takes_little_more(tmp_path: Path, text: str) -> None:
    path = tmp_path / "trajectory.jsonl"
    transcript = Transcript(path)
    request = Request("m", [GO])
    answer = _answer(request, text)
    assert answer.message is not None
    transcript.exchange(answer)
    transcript.exchange(_answer(Request("m", [GO, answer.message])))
    transcript.end([GO, answer.message], status="completed")
    assert path.stat().st_size < 1.25 * len(text.encode()) + 2000


def test_lone_surrogates_are_escaped_and_come_back(tmp_path: Path) -> None:
    path = tmp_path / "trajectory.jsonl"
    Transcript(path).message({"role": "user", "content": "caf\udce9 \N{SNOWMAN}"})
    assert _lines(path)[1]["message"]["content"] == "caf\udce9 \N{SNOWMAN}"


def test_a_transcript_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(RunAborted, match=r"trajectory\.jsonl cannot be written: No such file"):
        Transcript(tmp_path / "absent" / "trajectory.jsonl").message(GO)


def test_ranges_hold_all_numbers_in_their_order() -> None:
    assert ranges([0, 1, 2, 5, 3, 4]) == [[0, 2], [5, 5], [3, 4]]
    assert ranges([]) == []


def test_what_was_answered_is_recalled_for_the_same_question_and_epoch_only(tmp_path: Path) -> None:
    request = Request("m", [GO], TOOLS, {"temperature": 0.0})
    cache = AnswerCache(tmp_path / "answers")
    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        first = Bookkeeper(ledger, WHO, cache=cache)
        assert first.recall(request) is None
        first.asking(request)
        first.received(_answer(request))
        again = Bookkeeper(ledger, WHO, cache=cache)
        assert again.recall(Request("m", [dict(GO)], TOOLS, {"temperature": 0.0})) == b"{}"
        for other in (
            Request("n", [GO], TOOLS, {"temperature": 0.0}),
            Request("m", [GO, GO], TOOLS, {"temperature": 0.0}),
            Request("m", [GO], (), {"temperature": 0.0}),
            Request("m", [GO], TOOLS, {"temperature": 1.0}),
            Request("m", [GO], TOOLS, {"temperature": 0.0}, api="responses"),
        ):
            assert again.recall(other) is None
        assert again.conversation("another", epoch=2).recall(request) is None
        assert again.conversation("another", epoch=1).recall(request) == b"{}"


def test_an_answer_of_no_use_is_asked_for_again(tmp_path: Path) -> None:
    request = Request("m", [GO])
    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        bookkeeper = Bookkeeper(ledger, WHO, cache=AnswerCache(tmp_path / "answers"))
        bookkeeper.received(_answer(request))
        bookkeeper.discard()
        assert bookkeeper.recall(request) is None


def test_faults_are_not_kept_for_later(tmp_path: Path) -> None:
    request = Request("m", [GO])
    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        bookkeeper = Bookkeeper(ledger, WHO, cache=AnswerCache(tmp_path / "answers"))
        bookkeeper.asking(request)
        bookkeeper.received(Exchange(request, Fate.UNREADABLE, "t", 0.1, b"<html>", cause="no JSON"))
        assert bookkeeper.recall(request) is None


def test_a_cached_answer_costs_nothing_and_says_so(tmp_path: Path) -> None:
    request = Request("m", [GO])
    path = tmp_path / "trajectory.jsonl"
    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        bookkeeper = Bookkeeper(ledger, WHO, Transcript(path))
        message: Message = {"role": "assistant", "content": "hello"}
        bookkeeper.received(
            Exchange(request, Fate.CACHED, "t", 0.0, b"{}", Tokens(100, 0, 10), cost_usd=0.5, message=message)
        )
    spent = read_account(tmp_path / "ledger.jsonl").total()
    assert (spent.cost_usd, spent.cached, spent.requests, spent.prompt_tokens) == (0.0, 1, 0, 0)
    answer = _lines(path)[-1]
    assert (answer["kind"], answer["cached"], answer["cost_usd"]) == ("answer", True, 0.0)


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file")
    cache = AnswerCache(tmp_path / "answers")
    cache.put("ab" * 32, b"{}")
    assert cache.get("ab" * 32) is None
