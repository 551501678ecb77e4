"""gitgoodbench score"""

from __future__ import annotations

from gitgoodbench.cli.options import Jobs, Offline, Repos, Runs


def score(runs: Runs, jobs: Jobs = None, repos: Repos = None, offline: Offline = False) -> int:
    """Score saved outcomes again: no sandbox, no model.

    Example:

      gitgoodbench score results/lite-gpt-4o
    """
    from gitgoodbench.cli.scoring import score_runs

    return score_runs(runs, jobs=jobs, repos=repos, offline=offline)
