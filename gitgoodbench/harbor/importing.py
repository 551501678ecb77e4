"""Read jobs of Harbor as predictions: what agents left, their conversations, and what they used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.dataset.loaders import row_fingerprint
from gitgoodbench.errors import Status, UserError
from gitgoodbench.harbor.trials import Trial, read_object, unanswered
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.prediction_lines import Line

_NAMED: Final = 3


@dataclass(frozen=True)
class Job:
    """lines: one for each of its episodes, answered or not. notes: what a user should know of the rest."""

    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    agent: str | None


def read_job(folder: Path, episodes: Mapping[str, PlannedEpisode]) -> Job:
    """The trials of a job, and what it had still to do when it ended.

    Args:
        episodes: all of the suite, by task.

    Raises:
        UserError: it is no job; no trial of it is of these episodes, or none left anything; two are of one episode, or
            one is of another row.
    """
    trials = _trials(folder)
    ours = [trial for trial in trials if trial.task in episodes]
    if not ours:
        raise UserError(_not_ours(folder, trials))
    _check_one_each(ours)
    lines = [_line(trial, episodes[str(trial.task)]) for trial in ours]
    broken = [line for line in lines if _status(line) is Status.INFRASTRUCTURE_FAILED]
    if len(broken) == len(lines):
        raise UserError(f"{folder}: none of its {len(lines)} trials left an outcome; the first: {_why(broken[0])}")
    notes = [f"no answer: {Path(line.place).name}: {_why(line)}" for line in broken]
    strangers = [trial.full_name for trial in trials if trial.task not in episodes]
    if strangers:
        notes.append(f"left out, of no task of the suite: {_some(strangers)}")
    pending = sorted(_planned_tasks(folder) & episodes.keys() - {str(trial.task) for trial in ours})
    if pending:
        notes.append(f"the job has no result yet of {_some(pending)}: no answers")
        lines += [_pending(folder, episodes[task]) for task in pending]
    return Job(tuple(lines), tuple(notes), ours[0].agent)


def _trials(folder: Path) -> list[Trial]:
    """Those that have a result; one that was being written when the job was killed is none."""
    read = ((path.parent, read_object(path)) for path in sorted(folder.glob("*/result.json")))
    trials = [Trial(path, result) for path, result in read if result is not None and "trial_name" in result]
    if not trials:
        one_of_many = any(folder.glob("*/*/result.json"))
        hint = "; give one of the folders in it" if one_of_many else ""
        raise UserError(f"{folder} is no job of Harbor with a finished trial: no folder in it has a result.json{hint}")
    return trials


def _not_ours(folder: Path, trials: Sequence[Trial]) -> str:
    names = _some([trial.full_name for trial in trials])
    if all(trial.task is None for trial in trials):
        return f"{folder}: its tasks are none of gitgoodbench export harbor: {names}"
    return f"{folder}: the suite has none of its tasks ({names}): give the --suite that they were exported from"


def _check_one_each(trials: Sequence[Trial]) -> None:
    agents = sorted({trial.agent or "" for trial in trials})
    if len(agents) > 1:
        raise UserError(f"the job has trials of several agents ({', '.join(agents)}): import jobs of one agent each")
    first: dict[str | None, Trial] = {}
    for trial in trials:
        other = first.setdefault(trial.task, trial)
        if other is not trial:
            raise UserError(
                f"{trial.folder}: {trial.task} has a trial already, {other.folder.name}; import jobs of one model and "
                "one attempt each"
            )


def _line(trial: Trial, planned: PlannedEpisode) -> Line:
    """What a trial predicts.

    Raises:
        UserError: its task was made of another row.
    """
    row = trial.row
    if row is not None and row != row_fingerprint(planned.sample):
        raise UserError(
            f"{trial.folder}: its task was exported from another row {planned.sample.id} than the suite has: give the "
            "--suite, and the revision of it, that the tasks were exported from"
        )
    return Line(str(trial.folder), planned.sample.id, planned.scenario, trial.fields())


def _pending(folder: Path, planned: PlannedEpisode) -> Line:
    return Line(str(folder), planned.sample.id, planned.scenario, unanswered("the job ended before its trial did"))


def _status(line: Line) -> Status:
    return Status(line.fields["outcome"]["agent_status"])


def _why(line: Line) -> str:
    return str(line.fields["outcome"]["agent_error"])


def _planned_tasks(folder: Path) -> set[str]:
    """The names of the folders of all tasks that the job was begun with."""
    trials = (read_object(folder / "lock.json") or {}).get("trials")
    tasks = [trial.get("task") for trial in trials if isinstance(trial, dict)] if isinstance(trials, list) else []
    return {str(task.get("name")).rpartition("/")[2] for task in tasks if isinstance(task, dict)}


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
