"""Why an episode is not solved is said from its result."""

from __future__ import annotations

from typing import Any

import pytest

from gitgoodbench.details import ConflictDetail, Details, FileDetail
from gitgoodbench.errors import Status
from gitgoodbench.reporting.why import reasons
from gitgoodbench.runs.result import OutcomeRecord, Result
from gitgoodbench.scoring.judge.record import JudgeRecord, OpinionRecord, QuestionRecord, State
from gitgoodbench.scoring.judge.votes import Order, Vote
from tests.support.fake_runs import failed_result, make_result


def unsolved(**changes: Any) -> Result:
    return make_result(solved=False, **changes)


def outcome(**changes: Any) -> OutcomeRecord:
    fields: dict[str, Any] = {"head": None, "state": {}, "problem": None, "bundle_bytes": None}
    return OutcomeRecord(**{**fields, **changes}, agent_status=Status.COMPLETED, agent_error=None)


def file(path: str, *exact: bool, whole: bool = False) -> FileDetail:
    conflicts = [ConflictDetail(number=n, kind="text", exact=good) for n, good in enumerate(exact, start=1)]
    return FileDetail(path=path, exact=whole, conflicts=tuple(conflicts))


def judged(verdict: Vote | None, state: State = State.JUDGED, **changes: Any) -> JudgeRecord:
    question = QuestionRecord(order=Order.AGENT_FIRST, repeat=1, reason="It mixes two things.", vote=Vote.LOSS)
    won = QuestionRecord(order=Order.REAL_FIRST, repeat=1, reason="Clear.", vote=Vote.WIN)
    opinion = OpinionRecord(model="gpt-4o", verdict=verdict, questions=(won, question))
    return JudgeRecord(state=state, verdict=verdict, judges=(opinion,) if verdict else (), **changes)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (make_result(), []),
        (make_result(status=Status.LIMIT_REACHED), []),
        (failed_result("s0", Status.SETUP_FAILED, "the repository is gone"), ["setup_failed: the repository is gone"]),
        (
            unsolved(gates={"final_tree_exact": False, "finished": True, "clean": False}),
            ["gates missed: final tree exact, clean"],
        ),
        (unsolved(outcome=outcome(problem="no HEAD")), ["what the agent left cannot be read: no HEAD"]),
        (
            unsolved(outcome=outcome(state={"unmerged": list("abcdefg"), "uncommitted": [], "finished": True})),
            ["unmerged: a, b, c, d, e, 2 more"],
        ),
        (
            unsolved(details=Details(files=(file("a.py", True, False, False), file("b.py", True, whole=True)))),
            ["1 of 2 files differs from the truth: a.py (2 of its 3 conflicts: 2, 3)"],
        ),
        (
            unsolved(details=Details(files=(file("a.py", False), file("b.py", True), file("c.py")))),
            ["3 of 3 files differ from the truth: a.py (conflict 1), b.py (outside of its conflicts), c.py"],
        ),
        (unsolved(details=Details(files=(file("a.py"),))), ["the file differs from the truth: a.py"]),
        (make_result(solved=None), ["nobody judged it (--judge llm)"]),
        (
            unsolved(judge=judged(Vote.LOSS)),
            ["judged a loss against the real history", "gpt-4o (agent first): It mixes two things."],
        ),
        (
            make_result(solved=None, judge=judged(None, State.FAILED, problem="503")),
            ["the judges' server failed: 503"],
        ),
        (make_result(solved=None, judge=judged(None, State.PENDING)), ["its judges have not been asked yet"]),
    ],
)
def test_each_reason_is_a_line(result: Result, expected: list[str]) -> None:
    assert list(reasons(result)) == expected
