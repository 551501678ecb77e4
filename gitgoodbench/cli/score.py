"""gitgoodbench score"""

from __future__ import annotations

from typing import Annotated, Any

from gitgoodbench.cli.options import EnvFile, Runs, option, run_flags, said
from gitgoodbench.runs.config import JUDGING


@run_flags(*JUDGING, "max_cost", "cache_answers", "request_timeout", "max_connections", "jobs", "repos", "offline")
def score(
    runs: Runs,
    unscored: Annotated[
        bool, option("--unscored", help="Ask the judge only where none has settled the episode yet.")
    ] = False,
    env_file: EnvFile = None,  # noqa: ARG001
    **fields: Any,
) -> int:
    """Score saved outcomes again: no sandbox, and no model unless a judge is asked for.

    What judges said stays; --judge llm or --judge-model has every episode judged again, --judge none forgets it.

    Examples:

      gitgoodbench score results/lite-gpt-4o

      gitgoodbench score results/lite-gpt-4o --judge-model gpt-4.1 --judge-model o3

      gitgoodbench score results/lite-gpt-4o --judge llm --unscored
    """
    from gitgoodbench.cli.scoring import score_runs

    return score_runs(runs, said(fields), unscored=unscored)
