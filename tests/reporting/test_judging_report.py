"""What a run's judges add up to, by hand-counted values."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from rich.console import Console

from gitgoodbench.errors import Status
from gitgoodbench.models.meter import Usage
from gitgoodbench.reporting.files import summary_csv, summary_json
from gitgoodbench.reporting.judging import Judging, summarize_judging
from gitgoodbench.reporting.judging_tables import agreement_text, judging_notes, print_judging
from gitgoodbench.reporting.summary import RunSummary, summarize, summarize_cell
from gitgoodbench.runs.result import Result
from gitgoodbench.scoring.agreement import Agreement
from gitgoodbench.scoring.judge.record import (
    CutRecord,
    JudgeRecord,
    OpinionRecord,
    QuestionRecord,
    RawAnswer,
    State,
)
from gitgoodbench.scoring.judge.votes import Order, Preference, Vote, both_orders, majority
from gitgoodbench.scoring.statistics import Proportion
from tests.support.fake_judging import opinion
from tests.support.fake_runs import make_manifest, make_result

FIRST, SECOND, TIE = Preference.FIRST, Preference.SECOND, Preference.TIE
WIN, LOSS = Vote.WIN, Vote.LOSS
RAW = RawAnswer(text="{}", finish_reason="stop")


def asked(agent_first: Preference, real_first: Preference, model: str = "a") -> OpinionRecord:
    """A judge's opinion from what it answered in either order."""
    votes = {FIRST: (WIN, LOSS), SECOND: (LOSS, WIN), TIE: (Vote.TIE, Vote.TIE)}
    first, second = votes[agent_first][0], votes[real_first][1]
    questions = (
        QuestionRecord(order=Order.AGENT_FIRST, repeat=1, answers=(RAW,), preferred=agent_first, vote=first),
        QuestionRecord(order=Order.REAL_FIRST, repeat=1, answers=(RAW,), preferred=real_first, vote=second),
    )
    return opinion(
        both_orders(first, second), model, agent_first=first, real_first=second, consistent=first is second,
        questions=questions,
    )  # fmt: skip


def record(*opinions: OpinionRecord, **changes: Any) -> JudgeRecord:
    verdict = majority([o.verdict for o in opinions])
    state = State.UNREADABLE if verdict is None else State.JUDGED
    return JudgeRecord(**{"state": state, "verdict": verdict, "judges": opinions} | changes)


def result(number: int, judge: JudgeRecord | None, **changes: Any) -> Result:
    solved = None if judge is None or judge.verdict is None else judge.verdict is WIN
    status = Status.UNSCORED if judge is not None and judge.verdict is None else Status.COMPLETED
    fields = {"scenario": "ir", "solved": solved, "solved_paper": solved, "status": status, "judge": judge}
    return make_result(f"s{number}", **fields | changes)


def judging(*records: JudgeRecord | None, **changes: Any) -> Judging:
    found = summarize_judging([result(number, judge, **changes) for number, judge in enumerate(records)])
    assert found is not None
    return found


def test_wins_ties_losses_and_how_often_both_orders_agree() -> None:
    found = judging(
        record(asked(FIRST, SECOND)),  # win
        record(asked(SECOND, FIRST)),  # loss
        record(asked(FIRST, FIRST)),  # the first one, whoever it is: a tie
        record(asked(TIE, TIE)),
        record(opinion(None)),
    )
    total = found.total
    assert (total.wins, total.ties, total.losses) == (Proportion(1, 4), Proportion(2, 4), Proportion(1, 4))
    assert total.consistent == Proportion(3, 4)
    assert (total.first.hits, total.first.total) == (4, 6)
    assert (found.unsettled, found.identical, found.nothing, found.cut, found.agreement) == (1, 0, 0, 0, None)


def test_what_was_settled_without_asking_counts_and_is_told_apart() -> None:
    cut = CutRecord(limit=10, agent=(20, 5), real=(5, 5))
    found = judging(
        JudgeRecord(state=State.IDENTICAL, verdict=Vote.TIE),
        JudgeRecord(state=State.NOTHING, verdict=LOSS),
        record(asked(FIRST, SECOND), cut=cut),
    )
    assert (found.total.wins, found.total.losses) == (Proportion(1, 3), Proportion(1, 3))
    assert (found.identical, found.nothing, found.cut) == (1, 1, 1)
    assert judging_notes(found) == [
        "not asked about 1 histories that are the real one (ties) and 1 that are empty or off the base (losses)",
        "1 pairs of histories were too long to be shown whole (--judge-limit)",
    ]


def test_agreement_is_of_the_episodes_that_all_judges_settled() -> None:
    both = [record(asked(FIRST, SECOND, "a"), asked(FIRST, SECOND, "b"))] * 9
    both += [record(asked(FIRST, SECOND, "a"), asked(SECOND, FIRST, "b"))]
    both += [record(asked(SECOND, FIRST, "a"), asked(FIRST, SECOND, "b"))] * 3
    both += [record(asked(SECOND, FIRST, "a"), asked(SECOND, FIRST, "b"))] * 7
    half = record(asked(FIRST, SECOND, "a"), opinion(None, "b"))
    other = record(asked(FIRST, SECOND, "c"), asked(SECOND, FIRST, "d"))
    found = judging(*both, half, other)
    assert found.agreement is not None
    assert found.agreement.subjects == 20
    assert found.agreement.kappa == pytest.approx(0.6)
    assert agreement_text(found.agreement) == (
        "agreement of 2 judges over 20 episodes: Cohen's kappa 0.60 [0.26, 0.94], 80.0 % observed"
    )
    assert list(found.by_judge) == ["a", "b", "c", "d"]
    assert found.by_judge["a"].wins == Proportion(11, 21)
    assert found.by_judge["b"].wins == Proportion(12, 20)


def test_three_judges_agree_by_fleiss() -> None:
    found = judging(*[record(*(asked(FIRST, SECOND, model) for model in "abc"))] * 2)
    assert found.agreement == Agreement("Fleiss' kappa", 3, 2, 1.0, 1.0, None, None)
    assert agreement_text(found.agreement).endswith("no kappa (nothing settled by all, or all of one kind)")


def test_what_judges_used_is_apart_from_the_agent_s() -> None:
    results = [result(0, record(asked(FIRST, SECOND, "a"), asked(FIRST, SECOND, "b")))]
    found = summarize_judging(results)
    assert found is not None
    assert found.total.usage == Usage(4, 400, 0, 40, 1.0)
    assert found.by_judge["a"].usage == Usage(2, 200, 0, 20, 0.5)
    cell = summarize_cell(results)
    assert (cell.cost_usd, cell.tokens) == (0.25, 120)


def test_a_judge_of_its_own_work_is_named() -> None:
    found = judging(record(asked(FIRST, SECOND, "gpt-4o-2024-08-06")), model="gpt-4o")
    assert found.own_work == ("gpt-4o-2024-08-06",)
    assert judging(record(asked(FIRST, SECOND, "o3")), model="gpt-4o").own_work == ()


def test_a_run_without_a_judge_has_no_judging() -> None:
    assert summarize_judging([result(0, None), make_result("s1")]) is None


def test_answers_that_nobody_judged_are_only_in_the_rate_of_all_rows() -> None:
    results = [result(0, None), result(1, None), make_result("s2"), make_result("s3", solved=False)]
    cell = summarize_cell(results)
    assert cell.not_judged == 2
    assert (cell.of_answers, cell.of_all) == (Proportion(1, 2), Proportion(1, 4))
    assert cell.success == Proportion(4, 4)


def test_an_unscored_episode_is_not_solved_of_all_and_in_no_other_rate() -> None:
    cell = summarize_cell([result(0, record(opinion(None))), result(1, record(asked(FIRST, SECOND)))])
    assert (cell.of_answers, cell.of_all, cell.not_judged) == (Proportion(1, 1), Proportion(1, 2), 0)


def test_gates_are_counted_one_by_one_and_together() -> None:
    results = [
        result(0, None, gates={"finished": True, "tree": True}),
        result(1, None, gates={"finished": True, "tree": False}),
        result(2, None, gates={"finished": False}),
        result(3, None, gates={}),
    ]
    cell = summarize_cell(results)
    assert cell.gates == {"finished": Proportion(2, 3), "tree": Proportion(1, 2)}
    assert cell.all_gates == Proportion(1, 3)


def test_the_summary_files_hold_it() -> None:
    results = [result(0, record(asked(FIRST, SECOND))), result(1, None)]
    summary = summarize(make_manifest(samples=2), results)
    assert summary.judged == ("ir",)
    found = summary_json(summary)
    assert found["judging"]["total"]["wins"]["hits"] == 1
    assert found["judging"]["total"]["usage"]["cost_usd"] == 0.5
    assert (found["total"]["not_judged"], found["total"]["all_gates"]["hits"]) == (1, 2)
    header, line, *_ = summary_csv(summary).split("\n")
    fields = dict(zip(header.split(","), line.split(","), strict=True))
    assert (fields["not_judged"], fields["all_gates_rate"]) == ("1", "1.0")


def by_scenario() -> RunSummary:
    """Two rebases that won, and a division that lost."""
    results = [result(number, record(asked(FIRST, SECOND))) for number in range(2)]
    results.append(result(2, record(asked(SECOND, FIRST)), scenario="icc"))
    return summarize(make_manifest(samples=3), results)


def test_judging_is_by_scenario_in_both_files_and_in_the_tables() -> None:
    summary = by_scenario()
    found = summary_json(summary)
    assert [found["scenarios"][name]["judging"]["total"]["wins"]["rate"] for name in ("icc", "ir")] == [0.0, 1.0]
    assert found["judging"]["total"]["wins"]["total"] == 3
    lines = list(csv.DictReader(io.StringIO(summary_csv(summary))))
    totals = {line["scenario"]: line for line in lines if line["dimension"] == "total"}
    assert {name: (line["judge_wins_hits"], line["judge_losses_hits"]) for name, line in totals.items()} == {
        "": ("2", "1"), "icc": ("0", "1"), "ir": ("2", "0"),
    }  # fmt: skip
    stream = io.StringIO()
    print_judging(Console(file=stream, width=400), [summary])
    shown = [" ".join(line.split()) for line in stream.getvalue().split("\n")]
    assert [line for line in shown if line.endswith("judged, in both orders")] == [
        "icc: judged, in both orders", "ir: judged, in both orders",
    ]  # fmt: skip
    assert [line.split()[1] for line in shown if line.startswith("fake ")] == ["0/1", "2/2"]


def test_judges_that_have_settled_nothing_have_no_table() -> None:
    stream = io.StringIO()
    results = [result(0, JudgeRecord(state=State.PENDING)), result(1, record(opinion(None)))]
    print_judging(Console(file=stream, width=400), [summarize(make_manifest(samples=2), results)])
    assert stream.getvalue().strip().split("\n") == [
        "ir: no judge has settled an episode yet",
        "fake: 2 unsettled: gitgoodbench score RUN --unscored asks again",
    ]


def test_epochs_of_a_sample_are_a_cluster_in_verdicts_and_in_agreement() -> None:
    both = [record(asked(FIRST, SECOND, "a"), asked(FIRST, SECOND, "b"))] * 5
    both += [record(asked(FIRST, SECOND, "a"), asked(SECOND, FIRST, "b"))] * 2
    both += [record(asked(SECOND, FIRST, "a"), asked(SECOND, FIRST, "b"))] * 3
    once = [result(number, judge) for number, judge in enumerate(both)]
    twice = [result(number, judge, epoch=epoch) for number, judge in enumerate(both) for epoch in (1, 2)]
    one, two = summarize_judging(once), summarize_judging(twice)
    assert one is not None
    assert two is not None
    assert (two.total.wins.hits, two.total.wins.total) == (10, 20)
    assert two.total.wins.effective == pytest.approx(10.0)
    assert two.total.wins.interval == pytest.approx(one.total.wins.interval)
    assert one.agreement is not None
    assert two.agreement is not None
    assert one.agreement.interval is not None
    assert two.agreement.interval is not None
    assert two.agreement.kappa == pytest.approx(one.agreement.kappa)
    assert two.agreement.interval[0] <= one.agreement.interval[0]
