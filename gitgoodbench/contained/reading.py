"""One outcome, scored or rendered for a judge, in a process that does nothing else."""

from __future__ import annotations

import errno
import pickle
import socket
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from gitgoodbench.contained import truths
from gitgoodbench.contained.frames import histories_fields, receive, receive_bytes, send, verdict_fields
from gitgoodbench.contained.task import Task, Wanted, error_of
from gitgoodbench.errors import EpisodeError, GitGoodBenchError
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.reads import keep, kept
from gitgoodbench.limits import LimitExceeded, file_problem, hold, memory_problem
from gitgoodbench.scenario import Outcome, PredictedScenario, RepositoryStore, ScenarioWithTruth, load_scenarios
from gitgoodbench.scores import with_scores
from gitgoodbench.ted.isolated import parse_in_forks

_SMALL: Final = 64 * 1024
"""Bytes of a frame from the harness."""


def serve(connection: socket.socket) -> None:
    """Do the task that comes over the connection, and send what comes of it. For a fork that ends then."""
    task: Task = pickle.loads(receive_bytes(connection))
    tempfile.tempdir = task.folder
    keep(truths.load(task.known))
    hold(task.limits)
    parse_in_forks()
    send(connection, {"began": True})
    try:
        frame = read(task, _HarnessStore(connection))
        if task.record and (reads := kept()) is not None:
            truths.write(reads, Path(task.folder))
        send(connection, frame)
    except MemoryError:
        send(connection, {"limit": memory_problem(task.limits)})


def read(task: Task, store: RepositoryStore) -> dict[str, Any]:
    """The frame with what comes of it, whatever that is.

    Raises:
        MemoryError: there is no more of it.
    """
    try:
        return _done(task, store)
    except LimitExceeded as problem:
        return {"limit": str(problem)}
    except EpisodeError as problem:
        return {"error": str(problem), "status": problem.status.value}
    except GitGoodBenchError as problem:
        return {"error": str(problem)}
    except OSError as problem:
        if problem.errno == errno.EFBIG:
            return {"limit": file_problem(task.limits)}
        return {"crash": traceback.format_exc()}
    except MemoryError:
        raise
    except Exception:
        return {"crash": traceback.format_exc()}


def _done(task: Task, store: RepositoryStore) -> dict[str, Any]:
    if task.wanted is Wanted.PREDICTED:
        return {"outcome": _predicted(task, store).to_json()}
    scenario: Any = with_scores(load_scenarios()[task.scenario], task.scores)
    outcome = task.outcome
    if outcome is None:
        if not isinstance(load_scenarios()[task.scenario], ScenarioWithTruth):
            return {"untold": True}
        outcome = scenario.truth(task.sample, store)
    if task.wanted is Wanted.SCORE:
        return {"verdict": verdict_fields(scenario.score(task.sample, store, outcome))}
    return {"histories": histories_fields(scenario.histories(task.sample, store, outcome))}


def _predicted(task: Task, store: RepositoryStore) -> Outcome:
    scenario = load_scenarios()[task.scenario]
    if not isinstance(scenario, PredictedScenario) or task.prediction is None:
        raise GitGoodBenchError(f"the scenario {task.scenario} does not say what a prediction is")
    return scenario.predicted(task.sample, store, task.prediction)


class _HarnessStore:
    """The harness's store, asked over the connection: this process fetches nothing."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:
        """See `RepositoryStore.mirror`."""
        send(self._connection, {"mirror": name, "commits": list(commits)})
        answer = receive(self._connection, _SMALL)
        if answer is None:
            raise GitGoodBenchError("the harness has ended")
        if "error" in answer:
            raise error_of(answer)
        return Mirror(Path(answer["git_dir"]))
