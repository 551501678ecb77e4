"""Play one episode: sandbox, agent, outcome. What comes of it is not scored yet.

Whatever happens inside becomes the episode's status; only `RunAborted` and `EpisodeGivenUp` leave.
"""

from __future__ import annotations

import hashlib
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gitgoodbench.agents.base import AbsentAgent, Agent, EpisodeAgent, Trajectory
from gitgoodbench.errors import AgentFailed, EpisodeError, GitGoodBenchError, RunAborted, Status
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.events import utc_now
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.result import (
    FORMAT,
    AttemptRecord,
    ErrorRecord,
    OutcomeRecord,
    Result,
    Timings,
    UsageRecord,
    one_line,
)
from gitgoodbench.runs.stop import EpisodeGivenUp
from gitgoodbench.sandbox.base import Sandbox, SandboxDied, SandboxTaken
from gitgoodbench.scenario import Episode, Outcome, ToolSet


@dataclass(frozen=True)
class Played:
    """An episode whose agent is done.

    result: unscored where there is an outcome; without one, how the episode ended. trajectory: None where the agent
    never began.
    """

    result: Result
    outcome: Outcome | None
    trajectory: Trajectory | None

    @property
    def logs(self) -> Mapping[str, bytes]:
        """What the agent itself wrote, by the names of files."""
        return {} if self.trajectory is None else self.trajectory.logs


@dataclass
class _Notes:
    """What is known of an episode so far. ended: how the agent's own work ended, where there is an outcome."""

    started: str = field(default_factory=utc_now)
    trajectory: Trajectory | None = None
    outcome: Outcome | None = None
    status: Status = Status.INFRASTRUCTURE_FAILED
    error: ErrorRecord | None = None
    ended: tuple[Status, str | None] = (Status.COMPLETED, None)
    facts: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    begun: float = field(default_factory=time.perf_counter)
    last_lap: float = field(default_factory=time.perf_counter)

    def lap(self, part: str) -> None:
        """Note the seconds since the lap before as those of `part`."""
        now = time.perf_counter()
        self.seconds[part], self.last_lap = round(now - self.last_lap, 6), now

    def end(self, status: Status, problem: Exception) -> None:
        """End the episode by an error; what the agent left does not count."""
        self.status, self.error, self.outcome = status, ErrorRecord.of(problem), None


def play(planned: PlannedEpisode, run: RunContext, attempts: Sequence[AttemptRecord] = ()) -> Played:
    """Let the agent work on a sample, and take out what it left. Saves nothing.

    Args:
        attempts: those that failed before.

    Raises:
        RunAborted: no episode of this run can succeed.
        EpisodeGivenUp: the run ends before this episode could.
    """
    notes = _Notes()
    try:
        _work(notes, planned, run)
    except (RunAborted, EpisodeGivenUp):
        raise
    except EpisodeError as problem:
        notes.end(problem.status, problem)
    except Exception as problem:
        run.log.write("exception", episode=planned.id, traceback=traceback.format_exc())
        notes.end(Status.INFRASTRUCTURE_FAILED, problem)
    return Played(_result(notes, planned, run, attempts), notes.outcome, notes.trajectory)


def not_played(
    planned: PlannedEpisode, run: RunContext, problem: Exception, attempts: Sequence[AttemptRecord] = ()
) -> Result:
    """The result of an episode that infrastructure did not let begin, or lost."""
    notes = _Notes()
    notes.end(Status.INFRASTRUCTURE_FAILED, problem)
    return _result(notes, planned, run, attempts)


def _work(notes: _Notes, planned: PlannedEpisode, run: RunContext) -> None:
    agent = run.agents[planned.scenario]
    if isinstance(agent, AbsentAgent):
        _receive(notes, agent, planned, run)
    else:
        _let_work(notes, agent, planned, run)


def _receive(notes: _Notes, agent: AbsentAgent, planned: PlannedEpisode, run: RunContext) -> None:
    """Take what was left elsewhere; the facts are those of an episode that nobody plays."""
    scenario = run.scenarios[planned.scenario]
    preview = getattr(scenario, "preview", None)
    if preview is not None:
        notes.facts = dict(preview(planned.sample, run.store, run.options).facts)
    notes.lap("setup_s")
    outcome, notes.trajectory = agent.left(planned.sample, scenario, run.store)
    if outcome.agent_status.is_answer:
        notes.outcome, notes.ended = outcome, (outcome.agent_status, outcome.agent_error)
    else:
        notes.status = outcome.agent_status
        notes.error = ErrorRecord.why(outcome.agent_status, outcome.agent_error)
    notes.lap("outcome_s")


def _let_work(notes: _Notes, agent: Agent, planned: PlannedEpisode, run: RunContext) -> None:
    sandbox, episode = _set_up(agent, planned, run)
    try:
        with run.stop.watching():
            notes.facts = dict(episode.facts)
            notes.lap("setup_s")
            player = agent.for_episode(planned.id) if isinstance(agent, EpisodeAgent) else agent
            trajectory = notes.trajectory = _run_agent(player, episode, sandbox, run)
            notes.lap("agent_s")
            if trajectory.status.is_answer:
                notes.ended = trajectory.status, trajectory.error
                notes.outcome = collect_outcome(episode, run.options.tool_set)
                notes.lap("outcome_s")
    except BaseException:
        _close(sandbox, planned, run)
        raise
    if run.spares.give(sandbox, agent):
        run.stop.closed(sandbox)
    else:
        _close(sandbox, planned, run)
    if notes.outcome is None:
        notes.status, notes.error = trajectory.status, ErrorRecord.why(trajectory.status, trajectory.error)
    else:
        notes.lap("closing_s")


def _set_up(agent: Agent, planned: PlannedEpisode, run: RunContext) -> tuple[Sandbox, Episode]:
    """A sandbox with the episode in it: one that has served an episode before, or else a new one."""
    before = run.spares.take(agent)
    if before is not None:
        try:
            return _begun(lambda: before, planned, run, used=True)
        except SandboxDied as problem:
            run.log.write("sandbox_replaced", episode=planned.id, error=str(problem))
    return _begun(lambda: run.provider.open(run_id=run.run_id, episode_id=planned.id), planned, run)


def _begun(
    make: Callable[[], Sandbox], planned: PlannedEpisode, run: RunContext, *, used: bool = False
) -> tuple[Sandbox, Episode]:
    """The episode, begun in a sandbox; where that fails, the sandbox is closed."""
    sandbox = run.stop.opened(make)
    try:
        with run.stop.watching():
            episode = run.settings.begin(run.scenarios[planned.scenario], planned.sample, sandbox, used=used)
    except BaseException:
        _close(sandbox, planned, run)
        raise
    return sandbox, episode


def _run_agent(agent: Agent, episode: Episode, sandbox: Sandbox, run: RunContext) -> Trajectory:
    """Let the agent work. An agent that has a shell is to blame when its sandbox dies, and not what holds sandboxes."""
    try:
        return agent.run(episode, run.budget)
    except SandboxDied as problem:
        if run.options.tool_set.has_shell and not isinstance(problem, SandboxTaken):
            sandbox.close()  # raises where the daemon is gone as well
            return Trajectory(Status.AGENT_FAILED, error=str(problem))
        raise
    except EpisodeError as problem:
        return Trajectory(problem.status, error=str(problem))


def collect_outcome(episode: Episode, tools: ToolSet) -> Outcome:
    """Collect what the agent left. A repository that the agent made unreadable is an outcome, too."""
    try:
        return episode.outcome()
    except AgentFailed as problem:
        return Outcome(None, None, problem=str(problem))
    except EpisodeError:
        raise
    except GitGoodBenchError as problem:
        if tools.has_shell and not isinstance(problem, SandboxTaken):
            return Outcome(None, None, problem=f"the outcome cannot be read: {problem}")
        raise


def _close(sandbox: Sandbox, planned: PlannedEpisode, run: RunContext) -> None:
    """Remove the sandbox. A failure here loses no answer: `gitgoodbench clean` removes the rest."""
    try:
        sandbox.close()
    except Exception as problem:
        run.log.write("sandbox_not_removed", episode=planned.id, error=str(problem))
    finally:
        run.stop.closed(sandbox)


def record_of(outcome: Outcome, status: Status, error: str | None) -> OutcomeRecord:
    """What result.json keeps of an outcome."""
    return OutcomeRecord(
        head=outcome.head,
        state=dict(outcome.state),
        problem=None if outcome.problem is None else one_line(outcome.problem),
        bundle_bytes=None if outcome.bundle is None else len(outcome.bundle),
        bundle_sha256=None if outcome.bundle is None else hashlib.sha256(outcome.bundle).hexdigest(),
        agent_status=status,
        agent_error=None if error is None else one_line(error),
    )


def _result(notes: _Notes, planned: PlannedEpisode, run: RunContext, attempts: Sequence[AttemptRecord]) -> Result:
    trajectory, sample, agent = notes.trajectory, planned.sample, run.agents[planned.scenario]
    record, status, error = None, notes.status, notes.error
    if notes.outcome is not None:
        record = record_of(notes.outcome, *notes.ended)
        status, error = Status.UNSCORED, ErrorRecord.why(Status.UNSCORED, "not scored yet")
    return Result(
        format=FORMAT,
        run_id=run.run_id,
        sample_id=sample.id,
        scenario=planned.scenario,
        epoch=planned.epoch,
        agent=agent.name,
        model=agent.model,
        name=sample.name,
        language=sample.programming_language,
        difficulty=sample.difficulty,
        started=notes.started,
        ended=utc_now(),
        status=status,
        success=status.is_success,
        usage=UsageRecord() if trajectory is None else UsageRecord.of(trajectory.usage),
        turns=None if trajectory is None else trajectory.turns,
        timings=Timings(**notes.seconds, total_s=round(time.perf_counter() - notes.begun, 6)),
        facts=notes.facts,
        outcome=record,
        error=error,
        attempts=tuple(attempts),
    )
