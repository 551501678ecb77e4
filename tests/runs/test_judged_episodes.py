"""Episodes that a judge settles: what counts as solved, and that no finished work is lost to a judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.errors import RunAborted, Status, UserError
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.episode import run_episode
from gitgoodbench.runs.execute import Execution, execute
from gitgoodbench.runs.plan import PlannedEpisode, plan_episodes
from gitgoodbench.runs.rescore import Rescored, choose_rejudging, rescore_run
from gitgoodbench.runs.result import Result, read_result
from gitgoodbench.runs.session import exit_code
from gitgoodbench.runs.settle import Rejudge, Settling
from gitgoodbench.scenario import JudgedScenario, Outcome, ToolSet, Verdict
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.scoring.judge.record import OpinionRecord, State
from gitgoodbench.scoring.judge.votes import Vote
from tests.support.fake_judging import (
    GATE_MISSED,
    PASSED,
    FakeJudge,
    FakeJudgedScenario,
    failed_opinion,
    judged_context,
    opinion,
)
from tests.support.fake_runs import (
    FakeAgent,
    FakeScenario,
    FakeStore,
    RecordingObserver,
    make_context,
    make_manifest,
    make_samples,
)

SAMPLES = make_samples(3)
PLAN = plan_episodes(SAMPLES, {"ir": FakeJudgedScenario()}, 1)
JUDGED = make_config(suite="s", judge="llm", judge_model=("run-judge",), judge_repeats=3)


def saved(context: RunContext, episode: PlannedEpisode = PLAN[0]) -> Result:
    result = read_result(episode.paths(context.paths).result)
    assert result is not None
    return result


def unscored(context: RunContext, episode: PlannedEpisode = PLAN[0]) -> Result:
    """What is saved before anything is scored."""
    files = episode.paths(context.paths)
    assert not files.result.exists()
    result = read_result(files.unscored)
    assert result is not None
    return result


def settle(tmp_path: Path, judge: FakeJudge | None, verdict: Verdict = PASSED) -> Result:
    scenario = FakeJudgedScenario(verdict=lambda *_: verdict)
    context = judged_context(tmp_path, judge, scenario=scenario)
    result = run_episode(PLAN[0], context)
    assert saved(context) == result
    return result


def go(context: RunContext) -> Execution:
    return execute(PLAN, context, jobs=1, observer=RecordingObserver())


@pytest.mark.parametrize(
    ("vote", "verdict", "solved", "paper"),
    [
        (Vote.WIN, PASSED, True, True),
        (Vote.WIN, GATE_MISSED, False, True),
        (Vote.TIE, PASSED, False, False),
        (Vote.LOSS, PASSED, False, False),
    ],
)
def test_solved_is_a_win_and_every_gate_and_the_paper_asks_for_the_win_alone(
    tmp_path: Path, vote: Vote, verdict: Verdict, solved: bool, paper: bool
) -> None:
    result = settle(tmp_path, FakeJudge(lambda: opinion(vote)), verdict)
    assert (result.status, result.solved, result.solved_paper) == (Status.COMPLETED, solved, paper)
    assert result.gates == dict(verdict.gates)
    assert result.judge is not None
    assert (result.judge.state, result.judge.verdict) == (State.JUDGED, vote)


def test_without_a_judge_solved_is_unknown_and_the_gates_are_there(tmp_path: Path) -> None:
    result = settle(tmp_path, None)
    assert (result.status, result.success) == (Status.COMPLETED, True)
    assert (result.solved, result.solved_paper, result.judge) == (None, None, None)
    assert (result.gates, result.scores) == ({"finished": True, "tree": True}, {"commits": 0.5})


def test_a_judge_that_cannot_be_read_leaves_the_episode_unscored(tmp_path: Path) -> None:
    result = settle(tmp_path, FakeJudge(lambda: opinion(None)))
    assert (result.status, result.success, result.solved, result.solved_paper) == (Status.UNSCORED, False, None, None)
    assert result.gates == {"finished": True, "tree": True}
    assert result.error is not None
    assert result.error.message == "judge judge: its answer could not be read (empty)"
    assert result.judge is not None
    assert result.judge.state is State.UNREADABLE
    assert not result.awaits_judge


def test_no_history_has_lost_without_a_question(tmp_path: Path) -> None:
    judge = FakeJudge(lambda: opinion(Vote.WIN))
    context = judged_context(tmp_path, judge, scenario=FakeJudgedScenario(pair=lambda: None))
    result = run_episode(PLAN[0], context)
    assert (result.status, result.solved, result.solved_paper, judge.asked) == (Status.COMPLETED, False, False, 0)


def test_an_outcome_that_cannot_be_scored_is_not_judged(tmp_path: Path) -> None:
    judge = FakeJudge(lambda: opinion(Vote.WIN))
    scenario = FakeJudgedScenario(outcome=lambda: Outcome(None, None, problem="no repository"))
    result = run_episode(PLAN[0], judged_context(tmp_path, judge, scenario=scenario))
    assert (result.status, judge.asked) == (Status.INFRASTRUCTURE_FAILED, 0)


def test_a_judge_makes_no_difference_to_a_scenario_without_histories(tmp_path: Path) -> None:
    judge = FakeJudge(lambda: opinion(Vote.LOSS))
    plan = plan_episodes(SAMPLES, {"mcr": FakeScenario()}, 1)
    with_judge = run_episode(plan[0], judged_context(tmp_path / "a", judge, scenario=FakeScenario()))
    without = run_episode(plan[0], make_context(tmp_path / "b"))
    aside = {name: getattr(without, name) for name in ("timings", "started", "ended")}
    assert with_judge.model_copy(update=aside) == without
    assert (with_judge.judge, judge.asked) == (None, 0)
    assert not isinstance(FakeScenario(), JudgedScenario)


def test_the_agent_s_work_is_saved_before_the_judge_is_asked(tmp_path: Path) -> None:
    seen: list[Result] = []

    def look() -> OpinionRecord:
        seen.append(unscored(context))
        assert PLAN[0].paths(context.paths).bundle.read_bytes() == b"bundle"
        return opinion(Vote.WIN)

    context = judged_context(tmp_path, FakeJudge(look))
    result = run_episode(PLAN[0], context)
    (before,) = seen
    assert (before.status, before.solved, before.outcome) == (Status.UNSCORED, None, result.outcome)
    assert result.solved is True
    assert result.timings.judge_s is not None


def test_a_server_that_failed_is_asked_again_by_resume_and_the_agent_is_not(tmp_path: Path) -> None:
    judge, agent = FakeJudge(failed_opinion), FakeAgent()
    context = judged_context(tmp_path, judge, agent=agent)
    first = go(context)
    assert [result.status for result in first.standings] == [Status.UNSCORED] * 3
    assert (first.unfinished, exit_code([first])) == (3, 3)
    judge.opinion = lambda: opinion(Vote.WIN)
    second = go(context)
    assert [result.solved for result in second.standings] == [True] * 3
    assert (second.unfinished, exit_code([second]), agent.runs, judge.asked) == (0, 0, 3, 6)
    assert go(context).standings == second.standings
    assert judge.asked == 6


def test_an_unreadable_answer_is_not_asked_for_again_by_resume(tmp_path: Path) -> None:
    judge = FakeJudge(lambda: opinion(None))
    context = judged_context(tmp_path, judge)
    assert go(context).unfinished == 0
    go(context)
    assert judge.asked == 3


def test_a_rejected_judge_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    def reject() -> OpinionRecord:
        raise RunAborted("the key is rejected")

    judge, agent = FakeJudge(reject), FakeAgent()
    context = judged_context(tmp_path, judge, agent=agent)
    execution = go(context)
    assert (execution.aborted, execution.unfinished, agent.runs) == ("the key is rejected", 3, 1)
    assert unscored(context).turns == 2
    again = judged_context(tmp_path, FakeJudge(lambda: opinion(Vote.WIN)), agent=agent)
    assert [result.solved for result in go(again).standings] == [True] * 3
    assert agent.runs == 3


def test_an_episode_that_gave_up_is_judged_and_stays_one_that_gave_up(tmp_path: Path) -> None:
    agent = FakeAgent(lambda: Trajectory(Status.GAVE_UP, error="tired"))
    context = judged_context(tmp_path, FakeJudge(lambda: opinion(Vote.WIN)), agent=agent)
    result = run_episode(PLAN[0], context)
    assert (result.status, result.solved_paper) == (Status.GAVE_UP, True)
    assert result.error is not None
    assert result.error.message == "tired"


class TestScoringAgain:
    def rescore(
        self, context: RunContext, rejudge: Rejudge, judge: FakeJudge | None = None, verdict: Verdict = PASSED
    ) -> list[Rescored]:
        panel = None if judge is None else Panel([judge], repeats=1, limit=60_000)
        scenarios = {"ir": FakeJudgedScenario(verdict=lambda *_: verdict)}
        manifest = make_manifest().model_copy(update={"scenarios": {"ir": "f" * 64}})
        samples = {sample.id: sample for sample in SAMPLES}
        settling = Settling(FakeStore(), ToolSet.PUBLISHED, panel, rejudge)
        return rescore_run(context.paths, manifest, samples, scenarios, settling, jobs=1)

    def finished(self, tmp_path: Path, *votes: Vote | None) -> RunContext:
        left = list(votes)
        context = judged_context(tmp_path, FakeJudge(lambda: opinion(left.pop(0))))
        go(context)
        return context

    def test_what_judges_said_is_kept_and_gates_are_looked_at_again(self, tmp_path: Path) -> None:
        context = self.finished(tmp_path, Vote.WIN, Vote.LOSS, Vote.WIN)
        assert not any(entry.changed for entry in self.rescore(context, Rejudge.KEEP))
        self.rescore(context, Rejudge.KEEP, verdict=GATE_MISSED)
        results = [saved(context, episode) for episode in PLAN]
        assert [(result.solved, result.solved_paper) for result in results] == [
            (False, True), (False, False), (False, True),
        ]  # fmt: skip

    def test_another_judge_judges_everything_again(self, tmp_path: Path) -> None:
        context = self.finished(tmp_path, Vote.WIN, Vote.LOSS, None)
        other = FakeJudge(lambda: opinion(Vote.WIN, "other"), "other")
        rescored = self.rescore(context, Rejudge.ALL, other)
        assert [entry.after.solved for entry in rescored] == [True] * 3
        assert other.asked == 3
        judges = [[o.model for o in entry.after.judge.judges] for entry in rescored if entry.after.judge]
        assert judges == [["other"]] * 3
        assert saved(context).turns == 2

    def test_only_what_nobody_settled_is_judged(self, tmp_path: Path) -> None:
        context = self.finished(tmp_path, Vote.WIN, None, Vote.LOSS)
        other = FakeJudge(lambda: opinion(Vote.WIN, "other"))
        rescored = self.rescore(context, Rejudge.OPEN, other)
        assert [entry.changed for entry in rescored] == [False, True, False]
        assert other.asked == 1

    def test_a_run_without_a_judge_can_be_judged_later(self, tmp_path: Path) -> None:
        context = judged_context(tmp_path, None)
        go(context)
        rescored = self.rescore(context, Rejudge.OPEN, FakeJudge(lambda: opinion(Vote.WIN)))
        assert [(entry.before.solved, entry.after.solved) for entry in rescored] == [(None, True)] * 3

    def test_what_judges_said_can_be_forgotten(self, tmp_path: Path) -> None:
        context = self.finished(tmp_path, Vote.WIN, Vote.LOSS, None)
        rescored = self.rescore(context, Rejudge.DROP)
        assert [(entry.after.status, entry.after.solved, entry.after.judge) for entry in rescored] == [
            (Status.COMPLETED, None, None)
        ] * 3

    def test_a_rejected_judge_stops_and_leaves_the_result_as_it_was(self, tmp_path: Path) -> None:
        def reject() -> OpinionRecord:
            raise RunAborted("the key is rejected")

        context = self.finished(tmp_path, Vote.WIN, Vote.LOSS, None)
        before = saved(context)
        with pytest.raises(RunAborted, match="the key is rejected"):
            self.rescore(context, Rejudge.ALL, FakeJudge(reject, "other"))
        assert saved(context) == before


class TestChoosingToJudgeAgain:
    def choose(self, unscored: bool = False, **flags: object) -> tuple[Rejudge, tuple[str, ...], int | None]:
        rejudge, config = choose_rejudging(JUDGED, {"ir": FakeJudgedScenario()}, flags, unscored=unscored)
        return rejudge, config.judge_model, config.judge_repeats

    def test_without_a_flag_nothing_is_asked(self) -> None:
        assert self.choose()[0] is Rejudge.KEEP

    def test_the_run_s_own_judges_are_asked_unless_others_are_named(self) -> None:
        assert self.choose(judge="llm") == (Rejudge.ALL, ("run-judge",), 3)
        assert self.choose(judge_model=("x", "y", "x")) == (Rejudge.ALL, ("x", "y"), 3)
        assert self.choose(unscored=True) == (Rejudge.OPEN, ("run-judge",), 3)
        assert self.choose(unscored=True, judge_repeats=1) == (Rejudge.OPEN, ("run-judge",), 1)

    def test_forgetting(self) -> None:
        assert self.choose(judge="none")[0] is Rejudge.DROP
        with pytest.raises(UserError, match="leave --unscored and the other --judge flags out"):
            self.choose(judge="none", unscored=True)
        with pytest.raises(UserError, match="leave --unscored and the other --judge flags out"):
            self.choose(judge="none", judge_model=("x",))

    def test_a_run_in_which_nothing_is_judged(self) -> None:
        with pytest.raises(UserError, match="nothing in this run is judged: its scenarios are mcr"):
            choose_rejudging(JUDGED, {"mcr": FakeScenario()}, {"judge": "llm"}, unscored=False)


def test_a_result_s_judge_is_plain_json(tmp_path: Path) -> None:
    context = judged_context(tmp_path, FakeJudge(lambda: opinion(Vote.WIN)))
    run_episode(PLAN[0], context)
    judge = json.loads(PLAN[0].paths(context.paths).result.read_bytes())["judge"]
    assert (judge["state"], judge["verdict"]) == ("judged", "win")
    assert judge["usage"] == {
        "requests": 2, "prompt_tokens": 200, "cached_tokens": 0, "completion_tokens": 20, "cost_usd": 0.5,
    }  # fmt: skip
    assert judge["judges"][0]["model"] == "judge"


def test_a_shell_s_unreadable_outcome_is_the_agent_s_failure_and_not_judged(tmp_path: Path) -> None:
    judge = FakeJudge(lambda: opinion(Vote.WIN))
    scenario = FakeJudgedScenario(outcome=lambda: Outcome(None, None, problem="no repository"))
    context = make_context(tmp_path, scenario=scenario, tools=ToolSet.SHELL)
    result = run_episode(PLAN[0], context)
    assert (result.status, result.solved, result.solved_paper, judge.asked) == (Status.AGENT_FAILED, False, False, 0)


class TestAskingOthers:
    def rejudge(self, context: RunContext, *judges: FakeJudge) -> Result:
        panel = Panel(judges, repeats=1, limit=60_000)
        manifest = make_manifest().model_copy(update={"scenarios": {"ir": "f" * 64}})
        samples = {sample.id: sample for sample in SAMPLES}
        scenarios = {"ir": FakeJudgedScenario()}
        settling = Settling(FakeStore(), ToolSet.PUBLISHED, panel, Rejudge.ALL)
        rescore_run(context.paths, manifest, samples, scenarios, settling, jobs=1)
        return saved(context)

    def judged_by_a(self, tmp_path: Path) -> RunContext:
        context = judged_context(tmp_path, FakeJudge(lambda: opinion(Vote.WIN, "a"), "a"))
        run_episode(PLAN[0], context)
        return context

    @pytest.mark.parametrize("answer", [failed_opinion("b"), opinion(None, "b")])
    def test_a_judge_that_settles_nothing_destroys_no_verdict(self, tmp_path: Path, answer: OpinionRecord) -> None:
        context = self.judged_by_a(tmp_path)
        before, prompts = saved(context), PLAN[0].paths(context.paths).judge_prompts.read_bytes()
        after = self.rejudge(context, FakeJudge(lambda: answer, "b"))
        assert before.judge is not None
        kept = before.judge.model_copy(update={"problem": answer.problem})
        assert (after.judge, after.solved, after.status) == (kept, True, Status.COMPLETED)
        assert PLAN[0].paths(context.paths).judge_prompts.read_bytes() == prompts

    def test_a_judge_is_added_without_asking_the_others_again(self, tmp_path: Path) -> None:
        context = self.judged_by_a(tmp_path)
        first, second = FakeJudge(lambda: opinion(Vote.LOSS, "a"), "a"), FakeJudge(lambda: opinion(Vote.WIN, "b"), "b")
        after = self.rejudge(context, first, second)
        assert (first.asked, second.asked) == (0, 1)
        assert after.judge is not None
        assert [(judge.model, judge.verdict) for judge in after.judge.judges] == [("a", Vote.WIN), ("b", Vote.WIN)]
        alone = self.rejudge(context, FakeJudge(lambda: opinion(Vote.LOSS, "b"), "b")).judge
        assert alone is not None
        assert ([o.model for o in alone.judges], [o.model for o in alone.former]) == (["b"], ["a"])
        assert self.rejudge(context, first, second).judge == after.judge
        assert (first.asked, second.asked) == (0, 1)

    def test_the_prompts_lie_beside_the_answers(self, tmp_path: Path) -> None:
        context = self.judged_by_a(tmp_path)
        stored = json.loads(PLAN[0].paths(context.paths).judge_prompts.read_bytes())
        judge = saved(context).judge
        assert judge is not None
        assert stored["prompts"] == judge.prompts
        for order in ("agent_first", "real_first"):
            assert [message["role"] for message in stored[order]] == ["system", "user"]
            assert f"{judge.marker} HISTORY-2 begins; commits:" in stored[order][1]["content"]
