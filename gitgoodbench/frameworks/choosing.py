"""Which task an episode is of, said by the columns of a trainer's row."""

from __future__ import annotations

from gitgoodbench.api.bench import Bench, Task
from gitgoodbench.errors import UserError


def choose_task(bench: Bench, scenario: str | None = None, task: str | None = None, seed: int | None = None) -> Task:
    """The task of that id; or one by number: a seed names the same task every time.

    Args:
        scenario: only its tasks are numbered; None: all of the bench's.

    Raises:
        UserError: there is no such task, or none at all.
    """
    if task is not None:
        return bench.task(task)
    tasks = [each for each in bench.tasks if scenario in (None, each.scenario)]
    if not tasks:
        raise UserError(f"there is no task of the scenario {scenario!r}")
    return tasks[(seed or 0) % len(tasks)]
