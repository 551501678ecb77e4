"""Before a run, each judge is asked one small question as it will be asked later."""

from __future__ import annotations

import pytest

from gitgoodbench.errors import RunAborted
from gitgoodbench.models.finding import OPENING
from gitgoodbench.scoring.judge.prompt import CONNECTION_TEST, RESPONSE_FORMAT
from tests.support.judging import make_panel, prefers
from tests.support.scripted_llm import Reply, ScriptedServer, fault, says


@pytest.mark.parametrize(
    ("reply", "works"), [(prefers("TIE"), True), (says("I like the first one"), False), (says(""), False)]
)
def test_a_connection_is_tested_by_one_question_in_the_judges_form(reply: Reply, works: bool) -> None:
    with ScriptedServer([reply], preflights=False) as server:
        found = make_panel(server, "judge-a").preflight()
        bodies = [request.body for request in server.requests]
    assert {model: finding.works for model, finding in found.items()} == {"judge-a": works}
    assert [body["messages"] for body in bodies] == [list(CONNECTION_TEST)]
    assert bodies[0]["response_format"] == RESPONSE_FORMAT
    assert "tools" not in bodies[0]


def test_the_question_says_what_it_is_and_what_to_answer() -> None:
    assert [message["role"] for message in CONNECTION_TEST] == ["user"]
    assert CONNECTION_TEST[0]["content"].startswith(OPENING)
    assert CONNECTION_TEST[0]["content"].endswith('{"reason": "test", "preferred": "TIE"}')


def test_a_judge_that_cannot_be_had_ends_the_run() -> None:
    with ScriptedServer([fault.status(401, "no such key")], preflights=False) as server, pytest.raises(RunAborted):
        make_panel(server, "judge-a").preflight()
