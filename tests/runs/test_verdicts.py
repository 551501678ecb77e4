"""Rules from a scored outcome to status and solved, one by one."""

from __future__ import annotations

from typing import Any

import pytest

from gitgoodbench.details import Details
from gitgoodbench.errors import Status
from gitgoodbench.jsontypes import Json
from gitgoodbench.runs.result import ErrorRecord, OutcomeRecord
from gitgoodbench.runs.verdicts import Settlement, problem_of, settle_judged, settle_unjudged
from gitgoodbench.scenario import ToolSet, Verdict
from gitgoodbench.scoring.judge.record import JudgeRecord, State
from gitgoodbench.scoring.judge.votes import Vote

GATES, SCORES = {"linear": True, "final_tree": True}, {"similarity": 0.5}
FACTS: dict[str, Json] = {"pairing": [1, 2]}


def record(status: Status = Status.COMPLETED, error: str | None = None, problem: str | None = None) -> OutcomeRecord:
    return OutcomeRecord(
        head="a" * 40, state={}, problem=problem, bundle_bytes=7, agent_status=status, agent_error=error
    )


def verdict(solved: bool | None, paper: bool | None = None, **more: Any) -> Verdict:
    return Verdict(solved, paper, more.pop("gates", GATES), SCORES, FACTS, **more)


@pytest.mark.parametrize("tools", list(ToolSet))
def test_a_scored_outcome_keeps_the_agents_status_and_all_that_scoring_said(tools: ToolSet) -> None:
    settled = settle_unjudged(record(Status.GAVE_UP, "no idea"), verdict(False, True), tools)
    error = ErrorRecord(kind="gave_up", message="no idea")
    assert settled == Settlement(Status.GAVE_UP, False, True, GATES, SCORES, None, FACTS, error)
    assert settle_unjudged(record(), verdict(True, True), tools).error is None


@pytest.mark.parametrize("tools", [ToolSet.PUBLISHED, ToolSet.EXTENDED])
def test_without_a_shell_an_unreadable_outcome_is_a_failure_of_the_infrastructure(tools: ToolSet) -> None:
    expected = Settlement(
        Status.INFRASTRUCTURE_FAILED, error=ErrorRecord(kind="infrastructure_failed", message="no pack")
    )
    assert settle_unjudged(record(problem="no pack"), verdict(True, True), tools) == expected


def test_with_a_shell_an_unreadable_outcome_is_the_agents_failure_and_not_solved() -> None:
    settled = settle_unjudged(
        record(Status.GAVE_UP, "no idea"), verdict(True, True, problem="bad object"), ToolSet.SHELL
    )
    error = ErrorRecord(kind="agent_failed", message="bad object")
    assert settled == Settlement(Status.AGENT_FAILED, False, False, GATES, SCORES, None, FACTS, error)


def test_what_scoring_could_not_settle_is_unscored_and_keeps_gates_and_scores() -> None:
    error = ErrorRecord(kind="unscored", message="scoring could not tell whether the sample is solved")
    expected = Settlement(Status.UNSCORED, None, None, GATES, SCORES, None, FACTS, error)
    assert settle_unjudged(record(Status.GAVE_UP, "no idea"), verdict(None, True), ToolSet.PUBLISHED) == expected


def test_the_problem_of_scoring_is_named_before_that_of_the_outcome() -> None:
    assert problem_of(record(problem="outcome"), verdict(None, problem="scoring")) == "scoring"
    assert problem_of(record(problem="outcome"), verdict(None)) == "outcome"
    assert problem_of(record(), verdict(None)) is None


@pytest.mark.parametrize(
    ("vote", "gates", "solved", "paper"),
    [
        (Vote.WIN, GATES, True, True),
        (Vote.WIN, {"linear": True, "final_tree": False}, False, True),
        (Vote.TIE, GATES, False, False),
        (Vote.LOSS, GATES, False, False),
    ],
)
def test_a_judged_episode_is_solved_by_a_win_and_every_gate(
    vote: Vote, gates: dict[str, bool], solved: bool, paper: bool
) -> None:
    judge = JudgeRecord(state=State.JUDGED, verdict=vote)
    settled = settle_judged(record(), verdict(None, gates=gates), ToolSet.PUBLISHED, judge)
    assert settled == Settlement(Status.COMPLETED, solved, paper, gates, SCORES, judge, FACTS)


def test_without_a_judge_neither_is_known_and_the_agents_status_stays() -> None:
    settled = settle_judged(record(Status.GAVE_UP, "no idea"), verdict(None), ToolSet.PUBLISHED, None)
    error = ErrorRecord(kind="gave_up", message="no idea")
    assert settled == Settlement(Status.GAVE_UP, None, None, GATES, SCORES, None, FACTS, error)


@pytest.mark.parametrize(("problem", "said"), [("HTTP 500", "HTTP 500"), (None, "not judged yet")])
def test_what_its_judge_could_not_settle_is_unscored(problem: str | None, said: str) -> None:
    judge = JudgeRecord(state=State.FAILED, problem=problem)
    settled = settle_judged(record(Status.GAVE_UP, "no idea"), verdict(None), ToolSet.PUBLISHED, judge)
    error = ErrorRecord(kind="unscored", message=said)
    assert settled == Settlement(Status.UNSCORED, None, None, GATES, SCORES, judge, FACTS, error)


@pytest.mark.parametrize("tools", [ToolSet.PUBLISHED, ToolSet.SHELL])
def test_an_unreadable_outcome_is_settled_whatever_its_judge_said(tools: ToolSet) -> None:
    judge = JudgeRecord(state=State.JUDGED, verdict=Vote.WIN)
    unreadable = record(problem="no pack")
    assert settle_judged(unreadable, verdict(True), tools, judge) == settle_unjudged(unreadable, verdict(True), tools)


@pytest.mark.parametrize("message", [None, ""])
def test_no_message_is_no_error(message: str | None) -> None:
    assert ErrorRecord.why(Status.GAVE_UP, message) is None


def test_the_fields_of_a_result_are_those_of_the_settlement_without_its_facts() -> None:
    judge, error = JudgeRecord(state=State.JUDGED, verdict=Vote.WIN), ErrorRecord(kind="k", message="m")
    details = Details(diff="")
    assert Settlement(Status.GAVE_UP, True, False, GATES, SCORES, judge, FACTS, error, details).fields() == {
        "status": Status.GAVE_UP,
        "success": Status.GAVE_UP.is_success,
        "solved": True,
        "solved_paper": False,
        "gates": GATES,
        "scores": SCORES,
        "judge": judge,
        "error": error,
        "details": details,
    }
