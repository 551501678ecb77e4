"""Judges at servers of every kind: without response_format, with thoughts, behind each API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitgoodbench.models.chat import ChatModel
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.scoring.judge.judge import Judge
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.scoring.judge.prompt import RESPONSE_FORMAT
from gitgoodbench.scoring.judge.record import JudgeRecord
from gitgoodbench.scoring.judge.votes import Vote
from tests.support.judging import PAIR, make_panel
from tests.support.scripted_llm import Reply, Request, Script, ScriptedServer, fault, says

TIE = '{"reason": "both do", "preferred": "TIE"}'
USAGE = {"input_tokens": 5, "output_tokens": 2}
PARAMETERS = Parameters(temperature=0.0, max_output_tokens=100, schema=RESPONSE_FORMAT["json_schema"])


def compare(script: Script, **settings: Any) -> tuple[JudgeRecord, list[Request]]:
    with ScriptedServer(script) as server:
        return make_panel(server, **settings).compare(PAIR, seed="x"), server.requests


@pytest.mark.parametrize(
    "message",
    [
        "This response_format type is unavailable now",
        "response_format is not supported by this model",
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported",
    ],
)
def test_a_server_without_response_format_is_asked_without_it(message: str) -> None:
    def play(request: Request) -> Reply:
        return fault.status(400, message) if "response_format" in request.body else says(TIE)

    record, requests = compare(play)
    assert record.verdict is Vote.TIE
    assert ["response_format" in request.body for request in requests] == [True, False, False]
    assert record.judges[0].notes == ("response_format left out: the server does not take it",)


@pytest.mark.parametrize(
    "reply",
    [
        says(f"<think>Is it {{1}} or {{2}}?</think>\n{TIE}"),
        says(f"Is it 1 or 2?</think>{TIE}"),
        says(f"I compared both.\n\n```json\n{TIE}\n```\nDone."),
        says(f"<think>\nSo I answer {TIE}\n</think>"),
        says("", reasoning_content=f"I answer: {TIE}"),
        says(TIE, reasoning_content='Perhaps {"preferred": "HISTORY-1"}?'),
        fault.message({"content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": TIE}]}),
    ],
)
def test_the_answer_is_found_in_thoughts_fences_and_prose(reply: Reply) -> None:
    record, requests = compare(lambda _: reply)
    assert record.verdict is Vote.TIE
    assert record.judges[0].questions[0].reason == "both do"
    assert len(requests) == 2


def test_a_model_that_reasons_is_asked_in_its_own_words() -> None:
    with ScriptedServer(lambda _: says(TIE)) as server:
        parameters = Parameters(0.0, max_output_tokens=100, reasoning_effort="low", schema=PARAMETERS.schema)
        record = make_panel(server, "gpt-5-mini", parameters=parameters).compare(PAIR, seed="x")
    body = server.requests[0].body
    assert {key: value for key, value in body.items() if key not in ("messages", "response_format")} == {
        "model": "gpt-5-mini", "max_completion_tokens": 100, "reasoning_effort": "low",
    }  # fmt: skip
    assert record.verdict is Vote.TIE


def test_a_judge_behind_the_responses_api() -> None:
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": TIE}]}]
    reply = fault.answer(
        {"id": "r", "status": "completed", "output": output, "usage": {"input_tokens": 5, "output_tokens": 2}}
    )
    record, body = judged_behind("responses", reply)
    assert record.verdict is Vote.TIE
    assert body["text"]["format"] == {"type": "json_schema", **RESPONSE_FORMAT["json_schema"]}
    assert (record.usage.prompt_tokens, record.usage.completion_tokens) == (10, 4)


def test_a_judge_behind_the_messages_api() -> None:
    content = [{"type": "text", "text": TIE}]
    reply = fault.answer(
        {"content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 2}}
    )
    record, body = judged_behind("anthropic", reply)
    assert record.verdict is Vote.TIE
    assert body["output_config"] == {
        "format": {"type": "json_schema", "schema": RESPONSE_FORMAT["json_schema"]["schema"]}
    }
    assert (body["max_tokens"], "tools" in body) == (100, False)


def judged_behind(api: str, reply: Reply) -> tuple[JudgeRecord, dict[str, Any]]:
    with ScriptedServer([reply, reply]) as server:
        chat = ChatModel("m", api=api, api_key="none", base_url=server.url, parameters=PARAMETERS)
        record = Panel([Judge(chat)], repeats=1, limit=60_000).compare(PAIR, seed="x")
        return record, json.loads(server.requests[0].raw)
