"""One episode from top to bottom: it is played, its outcome is saved, and what is saved is settled."""

from __future__ import annotations

import contextlib
import dataclasses
import traceback
from collections.abc import Iterator, Mapping
from typing import Final

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.disk import describe
from gitgoodbench.errors import EpisodeError, RunAborted, Status
from gitgoodbench.files import empty_folder, write_atomically
from gitgoodbench.models.recording import recording
from gitgoodbench.runs.account import AGENT
from gitgoodbench.runs.bookkeeping import Account, Bookkeeper
from gitgoodbench.runs.context import Attempts, RunContext, Saved
from gitgoodbench.runs.damage import find_damage, set_aside, unscored_of
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.play import Played, play
from gitgoodbench.runs.rescore import rescore_episode
from gitgoodbench.runs.result import (
    ErrorRecord,
    Result,
    read_result,
    save_settled,
    saved_outcome,
    write_result,
)
from gitgoodbench.runs.settle import settle
from gitgoodbench.runs.transcript import Transcript
from gitgoodbench.scenario import Outcome

KEPT_ATTEMPTS: Final = 20


def run_episode(planned: PlannedEpisode, run: RunContext) -> Result:
    """Run one attempt and save it. An attempt whose outcome is saved is settled without its agent.

    Raises:
        RunAborted: no episode of this run can succeed, or its result cannot be written.
        EpisodeGivenUp: the run ends before this episode could.
    """
    run.log.write("episode_started", episode=planned.id)
    with _writing(run):
        files = planned.paths(run.paths)
        damage = find_damage(files, planned.key)
        failed = None if damage else read_result(files.result)
        attempts = () if failed is None else (*failed.attempts, failed.attempt)[-KEPT_ATTEMPTS:]
        saved = saved_episode(planned, files, attempts)
        if damage is not None:
            aside = None if saved else set_aside(files)
            run.log.write("result_damaged", file=damage.path, reason=damage.reason, set_aside=aside)
        if run.elsewhere is not None:
            result = run.elsewhere.carry_out(planned, run, saved, attempts)
        else:
            result = _carry_out(planned, run, files, saved, attempts)
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
    elsewhere = run.elsewhere
    far = None if elsewhere is None else lambda saved: elsewhere.settle(saved, planned, run)
    rescored = rescore_episode(run.paths, result, planned.sample, scenario, run.settling, far)
    after = rescored.after
    run.log.write(
        "episode_judged", episode=planned.id, status=after.status, solved=after.solved, error=rescored.problem
    )
    return after


@contextlib.contextmanager
def _writing(run: RunContext) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise RunAborted(f"the run folder {run.paths.folder} cannot be written: {describe(problem)}") from problem


def _carry_out(
    planned: PlannedEpisode, run: RunContext, files: EpisodePaths, saved: Saved | None, attempts: Attempts
) -> Result:
    if saved is None:
        make_room(files)
        played = play_recorded(planned, run, files, attempts)
        save_played(files, played.result, played.outcome, played.logs)
        if played.outcome is None:
            write_result(files.result, played.result)
            return played.result
        run.log.write("outcome_saved", episode=planned.id)
        saved = played.result, played.outcome
    result, is_settled = try_to_settle(saved, planned, run, files)
    return keep_settled(files, result, is_settled=is_settled)


def saved_episode(planned: PlannedEpisode, files: EpisodePaths, attempts: Attempts) -> Saved | None:
    """What was saved of this episode and is to be settled; None where it must be played."""
    result = unscored_of(files)
    outcome = None if result is None or result.key != planned.key else saved_outcome(files, result)
    if result is None or outcome is None:
        return None
    return result.model_copy(update={"attempts": attempts or result.attempts}), outcome


def play_recorded(planned: PlannedEpisode, run: RunContext, files: EpisodePaths, attempts: Attempts) -> Played:
    """Play the episode, and write down what is said and paid. What the agent left is saved next (`save_played`)."""
    transcript = Transcript(
        files.trajectory,
        copy=run.books.copy,
        sample_id=planned.sample.id, scenario=planned.scenario, epoch=planned.epoch,
        agent=run.agents[planned.scenario].name, model=run.agents[planned.scenario].model,
    )  # fmt: skip
    account = Account(planned.id, AGENT)
    books = run.books
    bookkeeper = Bookkeeper(
        books.ledger, account, transcript, books.agent_cache, epoch=planned.epoch, witness=books.witness
    )
    with contextlib.closing(transcript):
        with recording(bookkeeper):
            played = play(planned, run, attempts)
        if played.trajectory is not None:
            bookkeeper.report(played.result.model, played.trajectory.usage)
            _end(transcript, played.trajectory)
    return played


def make_room(files: EpisodePaths) -> None:
    """Empty the folder of an episode, but for what was said in attempts before."""
    earlier = files.earlier_trajectories()
    for path in earlier[: max(0, len(earlier) + 1 - KEPT_ATTEMPTS)]:
        path.unlink()
    if files.trajectory.exists():
        number = int(earlier[-1].stem.rpartition("-")[2]) + 1 if earlier else 1
        files.trajectory.rename(files.folder / f"trajectory-{number}.jsonl")
    kept = {files.judging.name, *(path.name for path in files.earlier_trajectories())}
    empty_folder(files.folder, first=files.result.name, kept=kept)


def save_played(
    files: EpisodePaths, result: Result, outcome: Outcome | None, logs: Mapping[str, bytes] | None = None
) -> None:
    """Save what the agent left; outcome.json, which says that all of it is there, last. logs: its own, by name."""
    for name, content in (logs or {}).items():
        files.agent_logs.mkdir(exist_ok=True)
        write_atomically(files.agent_logs / name, content)
    if outcome is not None and outcome.bundle is not None:
        write_atomically(files.bundle, outcome.bundle)
    if outcome is not None:
        write_result(files.unscored, result)


def try_to_settle(saved: Saved, planned: PlannedEpisode, run: RunContext, files: EpisodePaths) -> tuple[Result, bool]:
    """What `settle` makes of what is saved, and whether it could; else the result says why not.

    Raises:
        RunAborted: no episode can be judged.
    """
    result, outcome = saved
    try:
        settled = settle(result, outcome, planned.sample, run.scenarios[planned.scenario], run.settling, files)
    except RunAborted:
        raise
    except Exception as problem:
        if not isinstance(problem, EpisodeError):
            run.log.write("exception", episode=planned.id, traceback=traceback.format_exc())
        return failed_to_settle(result, problem), False
    return settled, True


def failed_to_settle(result: Result, problem: Exception) -> Result:
    """The result of an episode that was played and could not be settled."""
    status = problem.status if isinstance(problem, EpisodeError) else Status.INFRASTRUCTURE_FAILED
    update = {"status": status, "success": status.is_success, "error": ErrorRecord.of(problem)}
    return result.model_copy(update=update)


def keep_settled(files: EpisodePaths, result: Result, *, is_settled: bool) -> Result:
    """Put the result in place. Where settling failed, outcome.json stays, for a resumed run to try again."""
    if is_settled:
        return save_settled(files, result)
    write_result(files.result, result)
    return result


def _end(transcript: Transcript, trajectory: Trajectory) -> None:
    transcript.end(
        trajectory.messages,
        status=trajectory.status.value,
        error=trajectory.error,
        turns=trajectory.turns,
        usage=dataclasses.asdict(trajectory.usage),
        notes=list(trajectory.notes),
        conversation=trajectory.conversation,
        asides=trajectory.asides,
    )
