"""One episode from top to bottom: sandbox, agent, outcome, verdict, files.

Whatever happens inside becomes the episode's status; only `RunAborted` and `EpisodeGivenUp` leave.
"""

from __future__ import annotations

import dataclasses
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gitgoodbench.agents.base import Agent, Trajectory
from gitgoodbench.errors import (
    AgentFailed,
    EpisodeError,
    GitGoodBenchError,
    RunAborted,
    Status,
)
from gitgoodbench.files import empty_folder, write_atomically
from gitgoodbench.models.meter import Budget
from gitgoodbench.runs.events import EventLog
from gitgoodbench.runs.judging import judge_outcome, pending
from gitgoodbench.runs.paths import EpisodePaths, RunPaths
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.rescore import Rejudge, rescore_episode
from gitgoodbench.runs.result import (
    ErrorRecord,
    OutcomeRecord,
    Result,
    Timings,
    UsageRecord,
    dump_json,
    finite,
    write_result,
)
from gitgoodbench.runs.stop import EpisodeGivenUp, Stop
from gitgoodbench.runs.verdicts import Settlement, error_of, problem_of, record_of, settle, settle_judged
from gitgoodbench.sandbox.base import Sandbox, SandboxDied, SandboxProvider
from gitgoodbench.scenario import Episode, EpisodeOptions, JudgedScenario, Outcome, Scenario, ToolSet, Verdict
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.workspace.store import RepositoryStore


@dataclass(frozen=True)
class RunContext:
    """What all episodes of a run share. agents: the same agent for each scenario, by the scenario's name.

    panel: the judges; None for a run without.
    """

    run_id: str
    paths: RunPaths
    scenarios: Mapping[str, Scenario]
    store: RepositoryStore
    provider: SandboxProvider
    agents: Mapping[str, Agent]
    budget: Budget
    options: EpisodeOptions
    log: EventLog
    stop: Stop
    panel: Panel | None = None


class _Attempt:
    """What is known of an episode so far."""

    def __init__(self) -> None:
        self.trajectory: Trajectory | None = None
        self.outcome: Outcome | None = None
        self.record: OutcomeRecord | None = None
        self.settled = Settlement(Status.INFRASTRUCTURE_FAILED)
        self.facts: dict[str, Any] = {}
        self.seconds: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def lap(self, part: str) -> None:
        """Note the seconds since the lap before as those of `part`."""
        now = time.perf_counter()
        self.seconds[part], self._last = round(now - self._last, 6), now

    def end(self, status: Status, problem: Exception) -> None:
        """Settle the episode by an error."""
        kind = type(problem).__name__
        self.settled = Settlement(status, error=ErrorRecord(kind=kind, message=str(problem) or kind))

    def timings(self) -> Timings:
        return Timings(**self.seconds, total_s=round(time.perf_counter() - self._start, 6))


def run_episode(planned: PlannedEpisode, run: RunContext) -> Result:
    """Run one attempt and save it.

    Raises:
        RunAborted: no episode of this run can succeed, or its result cannot be written.
        EpisodeGivenUp: the run ends before this episode could.
    """
    attempt = _Attempt()
    run.log.write("episode_started", episode=planned.id)
    try:
        paths = planned.paths(run.paths)
        empty_folder(paths.folder, first=paths.result.name)
        _attempt(attempt, planned, run)
        result = _result_of(attempt, planned, run.agents[planned.scenario])
        _save(paths, attempt, result)
    except OSError as problem:
        raise RunAborted(f"the run folder {run.paths.folder} cannot be written: {problem}") from problem
    run.log.write(
        "episode_finished", episode=planned.id, status=result.status, solved=result.solved,
        seconds=result.timings.total_s, cost_usd=result.usage.cost_usd, error=result.error and result.error.message,
    )  # fmt: skip
    return result


def judge_saved(result: Result, planned: PlannedEpisode, run: RunContext) -> Result:
    """Judge an episode whose agent was done before; its result is saved as it now is, and returned.

    Raises:
        RunAborted: no episode can be judged.
    """
    scenario = run.scenarios[planned.scenario]
    rescored = rescore_episode(
        run.paths, result, planned.sample, scenario, run.store, run.options.tool_set, Rejudge.OPEN, run.panel
    )
    after = rescored.after
    run.log.write(
        "episode_judged", episode=planned.id, status=after.status, solved=after.solved, error=rescored.problem
    )
    return after


def _attempt(attempt: _Attempt, planned: PlannedEpisode, run: RunContext) -> None:
    try:
        _work(attempt, planned, run)
        _settle(attempt, planned, run)
    except (RunAborted, EpisodeGivenUp):
        raise
    except EpisodeError as problem:
        attempt.end(problem.status, problem)
    except Exception as problem:
        run.log.write("exception", episode=planned.id, traceback=traceback.format_exc())
        attempt.end(Status.INFRASTRUCTURE_FAILED, problem)


def _work(attempt: _Attempt, planned: PlannedEpisode, run: RunContext) -> None:
    """Everything that needs the sandbox."""
    scenario = run.scenarios[planned.scenario]
    sandbox = run.provider.open(run_id=run.run_id, episode_id=planned.id)
    try:
        with run.stop.watching(sandbox):
            episode = scenario.prepare(planned.sample, run.store, sandbox, run.options)
            attempt.facts = dict(episode.facts)
            attempt.lap("setup_s")
            attempt.trajectory = _run_agent(run.agents[planned.scenario], episode, run)
            attempt.lap("agent_s")
            if attempt.trajectory.status.is_answer:
                attempt.outcome = _take_outcome(episode, run)
                attempt.lap("outcome_s")
    finally:
        _close(sandbox, planned, run)


def _run_agent(agent: Agent, episode: Episode, run: RunContext) -> Trajectory:
    """Let the agent work. An agent that has a shell is to blame when its sandbox dies."""
    try:
        return agent.run(episode, run.budget)
    except SandboxDied as problem:
        if run.options.tool_set is ToolSet.SHELL:
            return Trajectory(Status.AGENT_FAILED, error=f"the sandbox died: {problem}")
        raise
    except EpisodeError as problem:
        return Trajectory(problem.status, error=str(problem))


def _take_outcome(episode: Episode, run: RunContext) -> Outcome:
    """Collect what the agent left. A repository that the agent made unreadable is an outcome, too."""
    try:
        return episode.outcome()
    except AgentFailed as problem:
        return Outcome(None, None, problem=str(problem))
    except EpisodeError:
        raise
    except GitGoodBenchError as problem:
        if run.options.tool_set is ToolSet.SHELL:
            return Outcome(None, None, problem=f"the outcome cannot be read: {problem}")
        raise


def _close(sandbox: Sandbox, planned: PlannedEpisode, run: RunContext) -> None:
    """Remove the sandbox. A failure here loses no answer: `gitgoodbench clean` removes the rest."""
    try:
        sandbox.close()
    except Exception as problem:
        run.log.write("sandbox_not_removed", episode=planned.id, error=str(problem))


def _settle(attempt: _Attempt, planned: PlannedEpisode, run: RunContext) -> None:
    """Score the outcome, or take over the agent's failure."""
    trajectory = attempt.trajectory
    assert trajectory is not None
    if attempt.outcome is None:
        attempt.settled = Settlement(trajectory.status, error=error_of(trajectory.status, trajectory.error))
        return
    attempt.record = record_of(attempt.outcome, trajectory.status, trajectory.error)
    attempt.lap("closing_s")
    scenario = run.scenarios[planned.scenario]
    verdict = scenario.score(planned.sample, run.store, attempt.outcome)
    attempt.lap("scoring_s")
    if isinstance(scenario, JudgedScenario):
        _settle_judged(attempt, planned, run, scenario, verdict)
    else:
        attempt.settled = settle(attempt.record, verdict, run.options.tool_set)


def _settle_judged(
    attempt: _Attempt, planned: PlannedEpisode, run: RunContext, scenario: JudgedScenario, verdict: Verdict
) -> None:
    """Settle by the judge. The episode is saved before it is asked: the agent's work is never lost with its server.

    Raises:
        RunAborted: no episode can be judged; this one then waits for a judge.
    """
    record, outcome, tools = attempt.record, attempt.outcome, run.options.tool_set
    assert record is not None
    assert outcome is not None
    judge = None
    if run.panel is not None and problem_of(record, verdict) is None:
        attempt.settled = settle_judged(record, verdict, tools, pending())
        _save(planned.paths(run.paths), attempt, _result_of(attempt, planned, run.agents[planned.scenario]))
        judge = judge_outcome(
            planned.id, planned.sample, scenario, run.store, outcome, run.panel, paths=planned.paths(run.paths)
        )
        attempt.lap("judge_s")
    attempt.settled = settle_judged(record, verdict, tools, judge)


def _result_of(attempt: _Attempt, planned: PlannedEpisode, agent: Agent) -> Result:
    trajectory, sample = attempt.trajectory, planned.sample
    return Result(
        sample_id=sample.id,
        scenario=planned.scenario,
        epoch=planned.epoch,
        agent=agent.name,
        model=agent.model,
        name=sample.name,
        language=sample.programming_language,
        difficulty=sample.difficulty,
        usage=UsageRecord() if trajectory is None else UsageRecord.of(trajectory.usage),
        turns=None if trajectory is None else trajectory.turns,
        timings=attempt.timings(),
        facts={**attempt.facts, **attempt.settled.facts},
        outcome=attempt.record,
        **attempt.settled.fields(),
    )


def _save(paths: EpisodePaths, attempt: _Attempt, result: Result) -> None:
    """Write the files of an episode; result.json, which says that it is finished, last.

    Raises:
        OSError: a file cannot be written.
    """
    if attempt.trajectory is not None:
        write_atomically(paths.trajectory, dump_json(finite(_trajectory_json(attempt.trajectory, result))))
    if attempt.outcome is not None and attempt.outcome.bundle is not None:
        write_atomically(paths.bundle, attempt.outcome.bundle)
    write_result(paths.result, result)


def _trajectory_json(trajectory: Trajectory, result: Result) -> dict[str, Any]:
    return {
        "sample_id": result.sample_id,
        "scenario": result.scenario,
        "epoch": result.epoch,
        "agent": result.agent,
        "model": result.model,
        "status": trajectory.status.value,
        "error": trajectory.error,
        "turns": trajectory.turns,
        "usage": dataclasses.asdict(trajectory.usage),
        "notes": list(trajectory.notes),
        "messages": list(trajectory.messages),
    }
