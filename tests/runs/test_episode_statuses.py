"""One episode: whatever breaks in whichever part, the result says whose fault it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.errors import (
    AgentFailed,
    GitGoodBenchError,
    InfrastructureFailed,
    LimitReached,
    RunAborted,
    SetupFailed,
    Status,
)
from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.episode import run_episode
from gitgoodbench.runs.events import read_events
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.result import Result, read_result
from gitgoodbench.runs.stop import EpisodeGivenUp
from gitgoodbench.sandbox.base import SandboxDied, SandboxTaken
from gitgoodbench.scenario import ToolSet, Verdict
from tests.support.fake_runs import (
    DONE,
    GATES,
    UNREADABLE,
    UNSOLVED,
    FakeAgent,
    FakeProvider,
    FakeScenario,
    make_context,
    make_samples,
)

PLANNED = PlannedEpisode(make_samples(1)[0], "mcr", 1)

LEFT = ["outcome.bundle", "outcome.json", "result.json", "trajectory.jsonl"]
"""Files of an episode that is settled."""


def raising(problem: BaseException) -> Callable[[], NoReturn]:
    def fail() -> NoReturn:
        raise problem

    return fail


def check_saved(run: RunContext, result: Result) -> Result:
    """The result on disk is the one returned, whatever its status."""
    assert read_result(PLANNED.paths(run.paths).result) == result
    return result


def run(context: RunContext) -> Result:
    return check_saved(context, run_episode(PLANNED, context))


def test_a_solved_episode_leaves_its_files_and_all_its_figures(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    result = run(context)
    assert (result.status, result.success, result.solved, result.solved_paper) == (Status.COMPLETED, True, True, True)
    assert result.gates == GATES
    assert result.scores == {"exact_match": 1.0, "files_exact": 1.0}
    assert result.facts == {"attainable": True}
    assert result.usage.cost_usd == 0.25
    assert (result.turns, result.error) == (2, None)
    assert result.outcome is not None
    assert (result.outcome.head, result.outcome.bundle_bytes) == ("a" * 40, 6)
    assert [name for name, value in result.timings if value is None] == ["judge_s"]
    files = PLANNED.paths(context.paths)
    assert files.bundle.read_bytes() == b"bundle"
    lines = [json.loads(line) for line in files.trajectory.read_text("utf-8").splitlines()]
    assert [line["kind"] for line in lines] == ["episode", "message", "end"]
    assert lines[1]["message"] == {"role": "user", "content": "go"}
    assert (lines[2]["status"], lines[2]["turns"], lines[2]["messages"]) == ("completed", 2, [[0, 0]])
    assert sorted(path.name for path in files.folder.iterdir()) == LEFT


def test_the_outcome_is_saved_before_it_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    from gitgoodbench.runs import episode, result

    def note(path: Path, data: bytes) -> None:
        written.append(path.name)
        path.write_bytes(data)

    monkeypatch.setattr(episode, "write_atomically", note)
    monkeypatch.setattr(result, "write_atomically", note)
    run_episode(PLANNED, make_context(tmp_path))
    assert written == ["outcome.bundle", "outcome.json", "result.json"]


def test_what_an_earlier_attempt_left_is_gone_when_the_episode_runs_again(tmp_path: Path) -> None:
    context = make_context(tmp_path, agent=FakeAgent(lambda: Trajectory(Status.INFRASTRUCTURE_FAILED, error="down")))
    folder = PLANNED.paths(context.paths).folder
    folder.mkdir(parents=True)
    for name in ("outcome.bundle", ".result.json.123-4.tmp"):
        (folder / name).write_bytes(b"old")
    run(context)
    assert sorted(path.name for path in folder.iterdir()) == ["result.json", "trajectory.jsonl"]


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.GAVE_UP, Status.LIMIT_REACHED, Status.AGENT_FAILED])
def test_whatever_way_an_agent_ends_its_outcome_is_scored(tmp_path: Path, status: Status) -> None:
    agent = FakeAgent(lambda: Trajectory(status, error="why"))
    result = run(make_context(tmp_path, agent=agent, scenario=FakeScenario(verdict=lambda *_: UNSOLVED)))
    assert (result.status, result.solved, result.success) == (status, False, status.is_success)
    assert result.error is not None
    assert result.error.message == "why"


def test_an_agent_without_its_model_is_not_scored_and_keeps_what_it_used(tmp_path: Path) -> None:
    usage = Usage(requests=5, prompt_tokens=None)
    agent = FakeAgent(lambda: Trajectory(Status.INFRASTRUCTURE_FAILED, usage=usage, error="503 five times"))
    result = run(make_context(tmp_path, agent=agent))
    assert (result.status, result.solved, result.success) == (Status.INFRASTRUCTURE_FAILED, None, False)
    assert (result.usage.requests, result.usage.prompt_tokens, result.outcome) == (5, None, None)


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (SetupFailed("the repository is gone"), Status.SETUP_FAILED),
        (InfrastructureFailed("the disk is full"), Status.INFRASTRUCTURE_FAILED),
        (SandboxDied("no answer"), Status.INFRASTRUCTURE_FAILED),
        (KeyError("a bug"), Status.INFRASTRUCTURE_FAILED),
        (OSError("too many open files"), Status.INFRASTRUCTURE_FAILED),
    ],
)
def test_a_setup_that_fails_is_never_the_agents_failure(tmp_path: Path, problem: Exception, status: Status) -> None:
    provider = FakeProvider()
    result = run(make_context(tmp_path, scenario=FakeScenario(preparing=raising(problem)), provider=provider))
    assert (result.status, result.solved, result.turns, result.timings.agent_s) == (status, None, None, None)
    assert result.error is not None
    assert result.error.kind == type(problem).__name__
    assert provider.sandboxes[0].closed


def test_a_sandbox_that_cannot_be_made_is_a_failure_of_infrastructure(tmp_path: Path) -> None:
    provider = FakeProvider(opening=raising(InfrastructureFailed("no space for a container")))
    result = run(make_context(tmp_path, provider=provider))
    assert result.status is Status.INFRASTRUCTURE_FAILED


def test_a_bug_becomes_one_line_in_the_result_and_a_traceback_in_the_log(tmp_path: Path) -> None:
    context = make_context(tmp_path, agent=FakeAgent(raising(ZeroDivisionError("division\nby zero"))))
    result = run(context)
    assert result.error is not None
    assert result.error.model_dump() == {"kind": "ZeroDivisionError", "message": "division by zero"}
    (event,) = [event for event in read_events(context.paths.log) if event["event"] == "exception"]
    assert event["episode"] == "mcr/s0/1"
    assert "fake_runs.py" in event["traceback"]


@pytest.mark.parametrize(
    ("tools", "status", "solved"),
    [
        (ToolSet.SHELL, Status.AGENT_FAILED, False),
        (ToolSet.PUBLISHED, Status.INFRASTRUCTURE_FAILED, None),
        (ToolSet.EXTENDED, Status.INFRASTRUCTURE_FAILED, None),
    ],
)
def test_who_has_a_shell_is_to_blame_for_a_dead_sandbox(
    tmp_path: Path, tools: ToolSet, status: Status, solved: bool | None
) -> None:
    dead = raising(SandboxDied("killed from inside"))
    result = run(make_context(tmp_path, agent=FakeAgent(dead), scenario=FakeScenario(outcome=dead), tools=tools))
    assert (result.status, result.solved) == (status, solved)
    assert result.gates == (UNREADABLE if solved is False else {})


@pytest.mark.parametrize("tools", ToolSet)
def test_nobody_is_to_blame_for_a_sandbox_that_was_taken_away(tmp_path: Path, tools: ToolSet) -> None:
    taken = raising(SandboxTaken("Docker does not answer"))
    for context in (
        make_context(tmp_path, agent=FakeAgent(taken), tools=tools),
        make_context(tmp_path, scenario=FakeScenario(outcome=taken), tools=tools),
    ):
        assert (run(context).status, run(context).solved) == (Status.INFRASTRUCTURE_FAILED, None)


@pytest.mark.parametrize("problem", [LimitReached("time limit"), AgentFailed("broke .git")])
def test_an_agent_that_raises_its_own_ending_is_scored_by_what_it_left(
    tmp_path: Path, problem: LimitReached | AgentFailed
) -> None:
    result = run(make_context(tmp_path, agent=FakeAgent(raising(problem))))
    assert (result.status, result.solved) == (problem.status, True)


@pytest.mark.parametrize(
    ("problem", "tools"),
    [
        (AgentFailed("HEAD is a loop"), ToolSet.SHELL),
        (GitGoodBenchError("git bundle: exit code 128"), ToolSet.SHELL),
    ],
)
def test_an_outcome_that_cannot_be_read_is_the_agents_failure_with_no_gate_met(
    tmp_path: Path, problem: Exception, tools: ToolSet
) -> None:
    result = run(make_context(tmp_path, scenario=FakeScenario(outcome=raising(problem)), tools=tools))
    assert (result.status, result.solved, result.gates) == (Status.AGENT_FAILED, False, UNREADABLE)
    assert result.error is not None
    assert str(problem) in result.error.message


def test_an_outcome_without_a_shell_that_git_cannot_read_is_ours_to_mend(tmp_path: Path) -> None:
    scenario = FakeScenario(outcome=raising(GitGoodBenchError("git bundle: exit code 128")))
    assert run(make_context(tmp_path, scenario=scenario)).status is Status.INFRASTRUCTURE_FAILED


@pytest.mark.parametrize(
    ("tools", "status", "solved"),
    [
        (ToolSet.SHELL, Status.AGENT_FAILED, False),
        (ToolSet.PUBLISHED, Status.INFRASTRUCTURE_FAILED, None),
        (ToolSet.EXTENDED, Status.INFRASTRUCTURE_FAILED, None),
    ],
)
def test_who_has_a_shell_is_to_blame_for_a_bundle_that_scoring_refuses(
    tmp_path: Path, tools: ToolSet, status: Status, solved: bool | None
) -> None:
    verdict = Verdict(None, None, UNREADABLE, problem="the bundle is garbage")
    result = run(make_context(tmp_path, scenario=FakeScenario(verdict=lambda *_: verdict), tools=tools))
    assert (result.status, result.solved, result.success) == (status, solved, False)


def test_a_verdict_that_does_not_know_is_unscored_and_keeps_its_scores(tmp_path: Path) -> None:
    verdict = Verdict(None, None, GATES, {"ted": 0.7})
    result = run(make_context(tmp_path, scenario=FakeScenario(verdict=lambda *_: verdict)))
    assert (result.status, result.solved, result.scores) == (Status.UNSCORED, None, {"ted": 0.7})


class Killed(BaseException):
    """The process ends here."""


def killed(*_: object) -> NoReturn:
    raise Killed


def test_a_kill_after_the_outcome_is_saved_costs_none_of_the_agent_s_work(tmp_path: Path) -> None:
    agent = FakeAgent()
    with pytest.raises(Killed):
        run_episode(PLANNED, make_context(tmp_path, agent=agent, scenario=FakeScenario(verdict=killed)))
    context = make_context(tmp_path, agent=agent)
    files = PLANNED.paths(context.paths)
    assert sorted(path.name for path in files.folder.iterdir()) == [
        "outcome.bundle",
        "outcome.json",
        "trajectory.jsonl",
    ]
    result = run(context)
    assert (agent.runs, result.status, result.solved, result.turns, result.attempts) == (
        1, Status.COMPLETED, True, 2, (),
    )  # fmt: skip
    assert sorted(path.name for path in files.folder.iterdir()) == LEFT


@pytest.mark.parametrize("spoil", ["bundle", "record", "cut"])
def test_an_outcome_that_is_not_whole_is_played_again(tmp_path: Path, spoil: str) -> None:
    agent = FakeAgent()
    with pytest.raises(Killed):
        run_episode(PLANNED, make_context(tmp_path, agent=agent, scenario=FakeScenario(verdict=killed)))
    files = PLANNED.paths(make_context(tmp_path).paths)
    if spoil == "bundle":
        files.bundle.unlink()
    elif spoil == "cut":
        files.bundle.write_bytes(b"bundl")
    else:
        files.unscored.write_bytes(files.unscored.read_bytes()[:-20])
    assert run(make_context(tmp_path, agent=agent)).solved is True
    assert agent.runs == 2


def test_scoring_that_failed_is_done_by_a_resumed_run_without_the_agent(tmp_path: Path) -> None:
    def fail(*_: object) -> Verdict:
        raise InfrastructureFailed("no space left")

    agent = FakeAgent()
    first = run(make_context(tmp_path, agent=agent, scenario=FakeScenario(verdict=fail)))
    assert (first.status, first.success, first.attempts) == (Status.INFRASTRUCTURE_FAILED, False, ())
    second = run(make_context(tmp_path, agent=agent))
    assert (second.status, second.solved, second.error, agent.runs) == (Status.COMPLETED, True, None, 1)
    assert second.attempts == (first.attempt,)


def test_attempts_that_failed_before_are_told(tmp_path: Path) -> None:
    down = Trajectory(Status.INFRASTRUCTURE_FAILED, usage=Usage(5, cost_usd=0.5), error="503 five times")
    first = run(make_context(tmp_path, agent=FakeAgent(lambda: down)))
    second = run(make_context(tmp_path, agent=FakeAgent(lambda: down)))
    third = run(make_context(tmp_path))
    assert first.attempts == ()
    assert third.attempts == (first.attempt, second.attempt)
    assert third.attempts[0].model_dump() == {
        "started": first.started,
        "ended": first.ended,
        "status": "infrastructure_failed",
        "error": {"kind": "infrastructure_failed", "message": "503 five times"},
        "cost_usd": 0.5,
    }
    assert (third.format, third.run_id) == (1, "run")
    assert first.started is not None
    assert third.started is not None
    assert first.started <= third.started


def test_an_outcome_that_cannot_be_read_without_a_shell_is_played_again(tmp_path: Path) -> None:
    agent = FakeAgent()
    garbage = Verdict(None, None, UNREADABLE, problem="the bundle is garbage")
    run(make_context(tmp_path, agent=agent, scenario=FakeScenario(verdict=lambda *_: garbage)))
    run(make_context(tmp_path, agent=agent))
    assert agent.runs == 2


def test_scoring_that_fails_keeps_the_outcome_for_later(tmp_path: Path) -> None:
    def fail(*_: object) -> Verdict:
        raise GitGoodBenchError("git fetch: timed out")

    context = make_context(tmp_path, scenario=FakeScenario(verdict=fail))
    result = run(context)
    assert (result.status, result.solved) == (Status.INFRASTRUCTURE_FAILED, None)
    assert result.outcome is not None
    assert PLANNED.paths(context.paths).bundle.read_bytes() == b"bundle"


def test_facts_of_scoring_join_those_of_the_episode(tmp_path: Path) -> None:
    verdict = Verdict(True, True, facts={"attainable": False, "extra": 1})
    result = run(make_context(tmp_path, scenario=FakeScenario(verdict=lambda *_: verdict)))
    assert result.facts == {"attainable": False, "extra": 1}


def test_a_sandbox_that_cannot_be_removed_costs_no_answer(tmp_path: Path) -> None:
    context = make_context(tmp_path, provider=FakeProvider(closing=raising(OSError("device busy"))))
    assert run(context).solved is True
    assert "sandbox_not_removed" in [event["event"] for event in read_events(context.paths.log)]


def test_a_rejected_key_leaves_no_result(tmp_path: Path) -> None:
    context = make_context(tmp_path, agent=FakeAgent(raising(RunAborted("401: wrong key"))))
    with pytest.raises(RunAborted, match="wrong key"):
        run_episode(PLANNED, context)
    assert not PLANNED.paths(context.paths).result.exists()


def test_a_run_folder_that_cannot_be_written_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gitgoodbench.runs import episode

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(episode, "save_settled", full)
    with pytest.raises(RunAborted, match=r"cannot be written: .*No space left"):
        run_episode(PLANNED, make_context(tmp_path))


def test_an_episode_whose_sandbox_the_run_took_away_leaves_no_result(tmp_path: Path) -> None:
    provider = FakeProvider()
    context = make_context(tmp_path, provider=provider)

    def interrupted() -> Trajectory:
        context.stop.give_up("interrupted")
        raise SandboxDied("the sandbox is closed")

    context.agents["mcr"]._work = interrupted  # type: ignore[attr-defined]
    with pytest.raises(EpisodeGivenUp):
        run_episode(PLANNED, context)
    assert provider.sandboxes[0].closed
    assert not PLANNED.paths(context.paths).result.exists()


def test_an_answer_that_ended_while_the_run_was_being_stopped_is_not_trusted(tmp_path: Path) -> None:
    context = make_context(tmp_path)

    def finish_anyway() -> Trajectory:
        context.stop.give_up("interrupted")
        return DONE

    context.agents["mcr"]._work = finish_anyway  # type: ignore[attr-defined]
    with pytest.raises(EpisodeGivenUp):
        run_episode(PLANNED, context)


def test_messages_with_lone_surrogates_and_nul_are_saved(tmp_path: Path) -> None:
    message = {"role": "assistant", "content": "\ud800\x00\udcff"}
    context = make_context(
        tmp_path, agent=FakeAgent(lambda: Trajectory(Status.AGENT_FAILED, (message,), error="\ud800"))
    )
    result = run(context)
    assert result.error is not None
    assert result.error.message == "\\ud800"
    lines = PLANNED.paths(context.paths).trajectory.read_bytes().splitlines()
    assert json.loads(lines[1])["message"] == message
