"""Which answers of a judge can be read."""

from __future__ import annotations

import json

import pytest

from gitgoodbench.scoring.judge.answers import Comparison, UnreadableAnswer, read_comparison
from gitgoodbench.scoring.judge.prompt import make_question
from gitgoodbench.scoring.judge.votes import Preference
from tests.support.judging import PAIR, make_judge
from tests.support.scripted_llm import ScriptedServer, says


@pytest.mark.parametrize("preference", list(Preference))
def test_the_object_that_was_asked_for_is_read(preference: Preference) -> None:
    text = json.dumps({"reason": "clear messages", "preferred": preference.value})
    assert read_comparison(text) == Comparison(preference, "clear messages")
    assert read_comparison(f"\n```json\n{text}\n```\n") == Comparison(preference, "clear messages")


def test_a_verdict_without_a_reason_is_a_verdict() -> None:
    assert read_comparison('{"preferred": "TIE"}') == Comparison(Preference.TIE, "")


@pytest.mark.parametrize(
    "text",
    [
        'I choose {"preferred": "HISTORY-1", "reason": "a {b}"}',
        'Here it is:\n```json\n{"reason": "a {b}", "preferred": "HISTORY-1"}\n```\nI hope it helps.',
        'As {"preferred": "A or B"} says: {"x": {}} {"reason": "a {b}", "preferred": "HISTORY-1"} {',
        '{"preferred": "HISTORY-1"} or again {"preferred": "HISTORY-1", "reason": "a {b}"}',
    ],
)
def test_the_one_answer_in_prose_is_read(text: str) -> None:
    assert read_comparison(text) == Comparison(Preference.FIRST, "a {b}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("HISTORY-1 is better.", "no JSON"),
        ('{"reason": "cut off', "no JSON"),
        ('["HISTORY-1"]', "a JSON list, not an object"),
        ('```json\n["HISTORY-1"]\n```', "a JSON list, not an object"),
        ('"HISTORY-1"', "a JSON str, not an object"),
        ("[" * 100_000, "JSON nested too deep"),
        ('{"reason": "x"}', "preferred is None"),
        ('{"preferred": "history-1"}', "preferred is 'history-1', not HISTORY-1, HISTORY-2 or TIE"),
        ('{"preferred": "HISTORY-3"}', "preferred is 'HISTORY-3'"),
        ('{"preferred": ["HISTORY-1"]}', "preferred is \\['HISTORY-1'\\]"),
        ('{"preferred": "HISTORY-1"} {"preferred": "HISTORY-2"}', "several answers that disagree"),
        ('I choose {"preferred": "HISTORY-3"}', "no JSON"),
        ('I choose {"preferred": "HISTORY-1"', "no JSON"),
        ("I'm sorry, I can't help with that.", "no JSON"),
    ],
)
def test_anything_else_is_unreadable_and_says_why(text: str, problem: str) -> None:
    with pytest.raises(UnreadableAnswer, match=f"^{problem}"):
        read_comparison(text)


def test_an_answer_of_megabytes_is_cut_in_the_record() -> None:
    with ScriptedServer([says("é" * 2_500_000)] * 4) as server:
        opinion = make_judge(server).ask(make_question(PAIR, seed="e", limit=60_000), 1)
    (first, _) = opinion.questions[0].answers
    assert first.text.endswith("\n[cut: only the first 100000 of 5000000 bytes are shown]")
    assert len(first.text.encode()) < 101_000
