"""What goes between the process that trains or evaluates, and those that play."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from gitgoodbench.frameworks.settings import BenchSettings


class EpisodeData(vf.TaskData):
    """A task of a bench. task_id: as `Bench.task` takes it."""

    task_id: str
    scenario: str
    bench: BenchSettings


class EpisodeState(vf.State):
    """What was played. calls: the name and the arguments of each. outcome: its JSON, once the work is finished."""

    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    finished: bool = False
    outcome: str | None = None
