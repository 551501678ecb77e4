"""The names of tasks, by which trials are found again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from gitgoodbench.errors import UserError
from gitgoodbench.runs.plan import PlannedEpisode

OWNER: Final = "gitgoodbench/"
"""What names of tasks begin with; their folders are named without it."""


def task_name(planned: PlannedEpisode) -> str:
    """`mcr-owner_name_merge_0001`, in the letters that names of tasks may have."""
    return re.sub(r"[^a-z0-9._-]+", "-", f"{planned.scenario}-{planned.sample.id}".lower())


def by_task(episodes: Iterable[PlannedEpisode]) -> dict[str, PlannedEpisode]:
    """The episodes by the names of their tasks.

    Raises:
        UserError: two of them would have the same name.
    """
    found: dict[str, PlannedEpisode] = {}
    for episode in episodes:
        first = found.setdefault(task_name(episode), episode)
        if first is not episode:
            raise UserError(
                f"the samples {first.sample.id} and {episode.sample.id} would both be the task {task_name(episode)}: "
                "rename one of them in the data set, or choose one by --sample"
            )
    return found
