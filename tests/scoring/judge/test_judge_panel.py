"""Judges against a scripted server, through the real client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitgoodbench.errors import RunAborted, UserError
from gitgoodbench.git.histories import ChainHistory, HistoryPair
from gitgoodbench.models.meter import Usage
from gitgoodbench.scoring.judge.options import JudgeOptions
from gitgoodbench.scoring.judge.panel import open_panel
from gitgoodbench.scoring.judge.prompt import prompt_fingerprint
from gitgoodbench.scoring.judge.record import JudgeRecord, State
from gitgoodbench.scoring.judge.votes import Order, Preference, Vote
from tests.support.judging import AGENT, KEY, PAIR, REAL, favouring, history, judged_by, make_panel, prefers
from tests.support.scripted_llm import Reply, Request, Script, ScriptedServer, calls, fault, says

FIRST, SECOND, TIE = prefers("HISTORY-1"), prefers("HISTORY-2"), prefers("TIE")


def compare(script: list[Reply] | Script, *models: str, repeats: int = 1) -> JudgeRecord:
    """The record of one comparison; a list is what the judge answers in order: agent first, real first, ..."""
    with ScriptedServer(script) as server:
        record = make_panel(server, *models, repeats=repeats).compare(PAIR, seed="ir/s1/1")
        if not callable(script):
            assert len(server.requests) == len(script)
        return record


@pytest.mark.parametrize(
    ("answers", "verdict", "consistent"),
    [
        ([FIRST, SECOND], Vote.WIN, True),
        ([SECOND, FIRST], Vote.LOSS, True),
        ([FIRST, FIRST], Vote.TIE, False),
        ([SECOND, SECOND], Vote.TIE, False),
        ([TIE, TIE], Vote.TIE, True),
        ([FIRST, TIE], Vote.TIE, False),
        ([TIE, FIRST], Vote.TIE, False),
    ],
    ids=["wins-both", "loses-both", "always-first", "always-second", "ties", "one-win", "one-loss"],
)
def test_a_win_is_a_win_in_both_orders(answers: list[Reply], verdict: Vote, consistent: bool) -> None:
    record = compare(answers)
    assert (record.state, record.verdict, record.problem) == (State.JUDGED, verdict, None)
    (opinion,) = record.judges
    assert (opinion.verdict, opinion.consistent) == (verdict, consistent)


def test_everything_that_was_asked_and_answered_is_kept() -> None:
    record = compare([prefers("HISTORY-1", "clear"), prefers("TIE", "alike")])
    (opinion,) = record.judges
    assert [(q.order, q.repeat, q.preferred, q.reason, q.vote) for q in opinion.questions] == [
        (Order.AGENT_FIRST, 1, Preference.FIRST, "clear", Vote.WIN),
        (Order.REAL_FIRST, 1, Preference.TIE, "alike", Vote.TIE),
    ]
    (raw,) = opinion.questions[0].answers
    assert json.loads(raw.text) == {"reason": "clear", "preferred": "HISTORY-1"}
    assert (raw.finish_reason, raw.problem) == ("stop", None)
    assert (opinion.agent_first, opinion.real_first) == (Vote.WIN, Vote.TIE)
    assert (record.repeats, record.prompt, record.cut) == (1, prompt_fingerprint(), None)
    assert JudgeRecord.model_validate_json(record.model_dump_json()) == record


def test_the_request_asks_for_a_schema_at_temperature_0() -> None:
    with ScriptedServer([FIRST, SECOND]) as server:
        make_panel(server).compare(PAIR, seed="s")
    bodies = [request.body for request in server.requests]
    assert [body["model"] for body in bodies] == ["judge-a"] * 2
    assert bodies[0]["temperature"] == 0.0
    schema = bodies[0]["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["properties"]["preferred"]["enum"] == ["HISTORY-1", "HISTORY-2", "TIE"]
    assert "tools" not in bodies[0]
    assert [message["role"] for message in bodies[0]["messages"]] == ["system", "user"]


def test_a_judge_that_reads_is_asked_about_the_same_histories_in_both_orders() -> None:
    assert compare(judged_by(favouring("Parse dates"))).verdict is Vote.WIN
    assert compare(judged_by(favouring("wip"))).verdict is Vote.LOSS
    assert compare(judged_by(favouring("nowhere"))).verdict is Vote.TIE


def test_an_unreadable_answer_is_asked_again_once() -> None:
    with ScriptedServer([says("I like the first."), FIRST, SECOND]) as server:
        record = make_panel(server).compare(PAIR, seed="s")
    assert record.verdict is Vote.WIN
    first, second = record.judges[0].questions
    assert [(answer.text, answer.problem is None) for answer in first.answers] == [
        ("I like the first.", False),
        (json.dumps({"reason": "because", "preferred": "HISTORY-1"}), True),
    ]
    assert len(second.answers) == 1
    again = server.requests[1].messages
    assert again[:2] == server.requests[0].messages
    assert again[2] == {"role": "assistant", "content": "I like the first."}
    assert again[3]["role"] == "user"
    assert "could not be read (no JSON" in again[3]["content"]


REFUSAL = says(None, refusal="I cannot judge this.")
CUT_OFF = says('{"reason": "The first history', finish_reason="length")
BROKEN = fault.raw(json.dumps({"choices": [{"message": {"content": "{", "role": "assistant"}}]}).encode())
FILTERED = fault.status(400, "filtered", code="content_filter")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (BROKEN, "no JSON"),
        (REFUSAL, "no JSON"),
        (CUT_OFF, "no JSON"),
        (says(""), "empty"),
        (calls("prefer", history=1), "empty"),
        (prefers("HISTORY-3"), "preferred is 'HISTORY-3'"),
        (FILTERED, "no JSON"),
    ],
    ids=["broken-json", "refusal", "cut-off", "empty", "tool-call", "unknown-side", "content-filter"],
)
def test_an_answer_unreadable_twice_leaves_the_episode_unsettled(reply: Reply, problem: str) -> None:
    record = compare([reply, reply, SECOND])
    assert (record.state, record.verdict) == (State.UNREADABLE, None)
    assert record.problem is not None
    assert record.problem.startswith(f"judge judge-a: its answer could not be read ({problem}")
    first, second = record.judges[0].questions
    assert (len(first.answers), first.vote) == (2, None)
    assert second.vote is Vote.WIN
    assert record.judges[0].consistent is None


def test_an_unreadable_answer_that_cannot_matter_does_not_unsettle() -> None:
    record = compare([says("?"), says("?"), TIE])
    assert (record.state, record.verdict, record.problem) == (State.JUDGED, Vote.TIE, None)


def test_a_time_out_is_tried_again_and_then_the_server_has_failed() -> None:
    with ScriptedServer(lambda _: fault.hang()) as server:
        record = make_panel(server, request_timeout_s=60).compare(PAIR, seed="s")
        assert len(server.requests) == 2
    assert (record.state, record.verdict) == (State.FAILED, None)
    assert record.problem == "judge judge-a: no answer within 60 s; tried 2 times"
    assert record.usage.requests == 2
    assert record.usage.prompt_tokens is None


def test_answers_before_a_failure_are_kept() -> None:
    record = compare([FIRST, says("?"), fault.status(500), fault.status(500)])
    assert record.state is State.FAILED
    assert [[answer.text for answer in q.answers] for q in record.judges[0].questions][1] == ["?"]
    assert record.judges[0].questions[0].vote is Vote.WIN


def test_a_server_that_recovers_is_no_problem() -> None:
    record = compare([fault.status(503), FIRST, fault.rate_limit("0"), SECOND])
    assert (record.verdict, record.usage.requests) == (Vote.WIN, 4)


def test_histories_beyond_the_context_are_said_to_be_that() -> None:
    record = compare([fault.overflow()])
    assert record.state is State.FAILED
    assert record.problem is not None
    assert record.problem.startswith("judge judge-a: context limit: HTTP 400")


def test_a_rejected_key_ends_the_run_and_names_the_judge_s_flags() -> None:
    for reply, message in (
        (
            fault.rejected_key(),
            "rejects the API key .*: set GITGOODBENCH_JUDGE_API_KEY or OPENAI_API_KEY to a valid one",
        ),
        (fault.status(404, "model x not found", code="model_not_found"), "choose another with --judge-model"),
        (fault.status(404), "check --judge-base-url"),
    ):
        with pytest.raises(RunAborted, match=message):
            compare([reply])


def test_a_server_that_knows_no_schema_is_asked_without() -> None:
    refusal = fault.status(400, "response_format is not supported by this model", param="response_format")
    with ScriptedServer([refusal, FIRST, SECOND]) as server:
        record = make_panel(server).compare(PAIR, seed="s")
    assert record.verdict is Vote.WIN
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]
    assert record.judges[0].notes == ("response_format left out: the server does not take it",)


def test_repeats_are_settled_by_majority_in_each_order() -> None:
    record = compare([FIRST, SECOND, FIRST, FIRST, SECOND, SECOND], repeats=3)
    (opinion,) = record.judges
    votes = {order: [q.vote for q in opinion.questions if q.order is order] for order in Order}
    assert votes == {
        Order.AGENT_FIRST: [Vote.WIN, Vote.WIN, Vote.LOSS],
        Order.REAL_FIRST: [Vote.WIN, Vote.LOSS, Vote.WIN],
    }
    assert [q.repeat for q in opinion.questions] == [1, 1, 2, 2, 3, 3]
    assert (opinion.agent_first, opinion.real_first, record.verdict) == (Vote.WIN, Vote.WIN, Vote.WIN)


def by_model(policies: dict[str, Script]) -> Script:
    def play(request: Request) -> Reply:
        return policies[request.body["model"]](request)

    return play


FOR_AGENT, FOR_REAL = judged_by(favouring("Parse dates")), judged_by(favouring("wip"))


def test_two_judges_who_disagree_make_a_tie() -> None:
    record = compare(by_model({"a": FOR_AGENT, "b": FOR_REAL}), "a", "b")
    assert (record.state, record.verdict) == (State.JUDGED, Vote.TIE)
    assert [(opinion.model, opinion.verdict) for opinion in record.judges] == [("a", Vote.WIN), ("b", Vote.LOSS)]


def test_two_of_three_judges_decide_even_when_the_third_cannot_be_had() -> None:
    broken: Script = lambda _: fault.status(500)  # noqa: E731
    record = compare(by_model({"a": FOR_AGENT, "b": broken, "c": FOR_AGENT}), "a", "b", "c")
    assert (record.state, record.verdict, record.problem) == (State.JUDGED, Vote.WIN, None)
    assert record.judges[1].problem == "judge b: HTTP 500: status 500; tried 2 times"
    assert record.judges[1].failed


def test_one_of_two_judges_decides_nothing() -> None:
    unreadable: Script = lambda _: says("?")  # noqa: E731
    record = compare(by_model({"a": FOR_AGENT, "b": unreadable}), "a", "b")
    assert (record.state, record.verdict) == (State.UNREADABLE, None)
    assert record.problem is not None
    assert record.problem.startswith("judge b: its answer could not be read")


def test_the_judges_usage_is_summed_over_every_request() -> None:
    record = compare([says("?"), FIRST, SECOND])
    # 3 answers of 100 prompt and 10 completion tokens at $10 and $20 a million.
    assert (record.usage.requests, record.usage.prompt_tokens, record.usage.completion_tokens) == (3, 300, 30)
    assert record.usage.cost_usd == pytest.approx(3 * (100 * 10 + 10 * 20) / 1e6)
    assert record.judges[0].usage == record.usage


def test_what_the_server_does_not_count_is_unknown() -> None:
    record = compare([prefers("HISTORY-1", usage=None), SECOND])
    assert (record.usage.requests, record.usage.prompt_tokens, record.usage.cost_usd) == (2, None, None)


def test_the_same_history_is_a_tie_without_asking() -> None:
    with ScriptedServer([]) as server:
        record = make_panel(server).compare(HistoryPair(AGENT, AGENT), seed="s")
    assert (record.state, record.verdict) == (State.IDENTICAL, Vote.TIE)
    assert record.usage == Usage(0, 0, 0, 0, 0.0)


@pytest.mark.parametrize("pair", [None, HistoryPair(ChainHistory(()), REAL)])
def test_no_history_is_a_loss_without_asking(pair: HistoryPair | None) -> None:
    with ScriptedServer([]) as server:
        record = make_panel(server).compare(pair, seed="s")
    assert (record.state, record.verdict) == (State.NOTHING, Vote.LOSS)


def test_a_cut_is_recorded() -> None:
    pair = HistoryPair(history(("m", "a" * 5000)), REAL)
    with ScriptedServer([FIRST, SECOND]) as server:
        record = make_panel(server, limit=1000).compare(pair, seed="s")
        assert len(server.requests[0].messages[1]["content"]) < 2000
    assert record.cut is not None
    assert (record.cut.limit, record.cut.agent) == (1000, (5001, 500))


def test_the_marker_of_the_record_is_the_one_in_the_prompt() -> None:
    with ScriptedServer([FIRST, SECOND]) as server:
        record = make_panel(server).compare(PAIR, seed="ir/s1/1")
    assert record.marker is not None
    for request in server.requests:
        assert request.messages[1]["content"].startswith(f"Lines that begin with {record.marker} are from me.")


class TestAfterAnotherPanel:
    def judged_by_a(self) -> JudgeRecord:
        with ScriptedServer([FIRST, SECOND]) as server:
            return make_panel(server, "a").compare(PAIR, seed="s")

    def test_a_verdict_outlives_a_judge_whose_server_is_down(self) -> None:
        before = self.judged_by_a()
        with ScriptedServer([]) as server:
            panel = make_panel(server, "b")
        after = panel.compare(PAIR, seed="s", before=before)
        assert (after.verdict, after.judges, after.state) == (Vote.WIN, before.judges, State.JUDGED)
        assert (after.problem or "").startswith("judge b: ")
        assert after.model_copy(update={"problem": None}) == before

    def test_a_panel_of_which_one_is_down_keeps_the_verdict_too(self) -> None:
        before = self.judged_by_a()
        with ScriptedServer([]) as server:
            panel = make_panel(server, "a", "b")
        after = panel.compare(PAIR, seed="s", before=before)
        assert after.model_copy(update={"problem": None}) == before

    def test_a_judge_more_is_asked_alone(self) -> None:
        before = self.judged_by_a()
        with ScriptedServer([SECOND, FIRST]) as server:
            after = make_panel(server, "a", "b").compare(PAIR, seed="s", before=before)
        assert [request.body["model"] for request in server.requests] == ["b", "b"]
        assert [opinion.verdict for opinion in after.judges] == [Vote.WIN, Vote.LOSS]
        assert after.judges[0] == before.judges[0]

    def test_who_is_named_no_more_can_be_named_again_without_a_question(self) -> None:
        before = self.judged_by_a()
        with ScriptedServer([SECOND, FIRST]) as server:
            other = make_panel(server, "b").compare(PAIR, seed="s", before=before)
            again = make_panel(server, "a").compare(PAIR, seed="s", before=other)
            assert len(server.requests) == 2
        assert (other.verdict, [opinion.model for opinion in other.former]) == (Vote.LOSS, ["a"])
        assert (again.verdict, [opinion.model for opinion in again.former]) == (Vote.WIN, ["b"])

    @pytest.mark.parametrize("changes", [{"repeats": 2}, {"limit": 1000}])
    def test_other_questions_ask_everybody(self, changes: dict[str, Any]) -> None:
        long = HistoryPair(history(("m", "a" * 5000)), REAL)
        with ScriptedServer(lambda _: TIE) as server:
            before = make_panel(server, "a").compare(long, seed="s")
            make_panel(server, "a", **changes).compare(long, seed="s", before=before)
            assert len(server.requests) == 2 + 2 * changes.get("repeats", 1)


class TestOpeningAPanel:
    @pytest.fixture(autouse=True)
    def _no_keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GITGOODBENCH_JUDGE_API_KEY"):
            monkeypatch.delenv(name, raising=False)

    def test_a_judge_at_openai_needs_a_key(self) -> None:
        message = r"^GITGOODBENCH_JUDGE_API_KEY or OPENAI_API_KEY is not set: .*--judge-base-url.*--judge none"
        with pytest.raises(UserError, match=message):
            open_panel(JudgeOptions())

    def test_the_judge_s_own_key_goes_before_the_agent_s(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-agent")
        monkeypatch.setenv("GITGOODBENCH_JUDGE_API_KEY", KEY)
        with ScriptedServer([FIRST, SECOND]) as server:
            record = open_panel(JudgeOptions(("m",), server.url)).compare(PAIR, seed="s")
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert record.verdict is Vote.WIN
        assert record.usage.cost_usd is None

    def test_a_name_that_is_none_is_refused(self) -> None:
        with pytest.raises(UserError, match="'' is no name of a model: give one with --judge-model"):
            open_panel(JudgeOptions(("",), "http://localhost:1/v1"))
