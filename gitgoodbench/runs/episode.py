"""One episode from top to bottom: it is played, its outcome is saved, and what is saved is settled."""

from __future__ import annotations

import contextlib
import dataclasses
import traceback
from collections.abc import Iterator

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.disk import describe
from gitgoodbench.errors import EpisodeError, RunAborted, Status
from gitgoodbench.files import empty_folder, write_atomically
from gitgoodbench.models.recording import recording
from gitgoodbench.runs.account import AGENT
from gitgoodbench.runs.bookkeeping import Account, Bookkeeper
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.damage import find_damage, set_aside, unscored_of
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.play import Played, play
from gitgoodbench.runs.rescore import rescore_episode
from gitgoodbench.runs.result import (
    AttemptRecord,
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

_KEPT_ATTEMPTS = 20


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
        attempts = () if failed is None else (*failed.attempts, failed.attempt)[-_KEPT_ATTEMPTS:]
        saved = _saved(planned, files, attempts)
        if damage is not None:
            aside = None if saved else set_aside(files)
            run.log.write("result_damaged", file=damage.path, reason=damage.reason, set_aside=aside)
        result, outcome = saved or _play(planned, run, files, attempts)
        if outcome is not None:
            result = _settle(result, outcome, planned, run, files)
        else:
            write_result(files.result, result)
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
    rescored = rescore_episode(run.paths, result, planned.sample, scenario, run.settling)
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


def _saved(
    planned: PlannedEpisode, files: EpisodePaths, attempts: tuple[AttemptRecord, ...]
) -> tuple[Result, Outcome] | None:
    """What was saved of this episode and is to be settled; None where it must be played."""
    result = unscored_of(files)
    outcome = None if result is None or result.key != planned.key else saved_outcome(files, result)
    if result is None or outcome is None:
        return None
    return result.model_copy(update={"attempts": attempts or result.attempts}), outcome


def _play(
    planned: PlannedEpisode, run: RunContext, files: EpisodePaths, attempts: tuple[AttemptRecord, ...]
) -> tuple[Result, Outcome | None]:
    """Play the episode. Its files are in place when this returns; outcome.json, which says so, is written last."""
    _make_room(files)
    transcript = Transcript(
        files.trajectory,
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
    _save(files, played)
    if played.outcome is not None:
        run.log.write("outcome_saved", episode=planned.id)
    return played.result, played.outcome


def _make_room(files: EpisodePaths) -> None:
    """Empty the folder of an episode, but for what was said in attempts before."""
    earlier = files.earlier_trajectories()
    for path in earlier[: max(0, len(earlier) + 1 - _KEPT_ATTEMPTS)]:
        path.unlink()
    if files.trajectory.exists():
        number = int(earlier[-1].stem.rpartition("-")[2]) + 1 if earlier else 1
        files.trajectory.rename(files.folder / f"trajectory-{number}.jsonl")
    kept = {files.judging.name, *(path.name for path in files.earlier_trajectories())}
    empty_folder(files.folder, first=files.result.name, kept=kept)


def _save(files: EpisodePaths, played: Played) -> None:
    for name, content in ({} if played.trajectory is None else played.trajectory.logs).items():
        files.agent_logs.mkdir(exist_ok=True)
        write_atomically(files.agent_logs / name, content)
    if played.outcome is not None and played.outcome.bundle is not None:
        write_atomically(files.bundle, played.outcome.bundle)
    if played.outcome is not None:
        write_result(files.unscored, played.result)


def _settle(result: Result, outcome: Outcome, planned: PlannedEpisode, run: RunContext, files: EpisodePaths) -> Result:
    """Settle and save. Where that fails, outcome.json stays, for a resumed run to try again."""
    try:
        settled = settle(result, outcome, planned.sample, run.scenarios[planned.scenario], run.settling, files)
    except RunAborted:
        raise
    except Exception as problem:
        status = problem.status if isinstance(problem, EpisodeError) else Status.INFRASTRUCTURE_FAILED
        if not isinstance(problem, EpisodeError):
            run.log.write("exception", episode=planned.id, traceback=traceback.format_exc())
        update = {"status": status, "success": status.is_success, "error": ErrorRecord.of(problem)}
        failed = result.model_copy(update=update)
        write_result(files.result, failed)
        return failed
    return save_settled(files, settled)


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
