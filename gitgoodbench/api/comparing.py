"""Runs compared from Python, as `gitgoodbench compare` does."""

from __future__ import annotations

from gitgoodbench.api.running import Run
from gitgoodbench.comparing.compare import compare_runs, names_for
from gitgoodbench.comparing.matching import PlayedRun
from gitgoodbench.comparing.records import Comparison as Comparison
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.summary import account_of
from gitgoodbench.runs.paths import RunPaths


def compare(*runs: Run, against: Run | None = None) -> Comparison:
    """Compare runs by the episodes that they have in common.

    Args:
        against: compare each of the others with this one, which is then A. Without it: all pairs.

    Raises:
        UserError: there are fewer than two runs, or no two have an episode in common.
    """
    every = [*runs] if against is None else [against, *(run for run in runs if run is not against)]
    if wrong := next((run for run in every if not isinstance(run, Run)), None):
        raise UserError(f"compare takes runs (gitgoodbench.load_run), not {type(wrong).__name__}")
    names = names_for([run.folder for run in every], [run.id for run in every])
    played = [
        PlayedRun(name, run.folder, run.manifest, run.results, account_of(RunPaths(run.folder)))
        for name, run in zip(names, every, strict=True)
    ]
    return compare_runs(played, None if against is None else names[0])
