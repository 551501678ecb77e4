"""gitgoodbench score"""

from __future__ import annotations

from typing import Annotated

from gitgoodbench.cli.options import (
    Jobs,
    Judge,
    JudgeBaseUrl,
    JudgeLimit,
    JudgeMaxTokens,
    JudgeModel,
    JudgeRepeats,
    Offline,
    Repos,
    Runs,
    option,
)


def score(
    runs: Runs,
    judge: Judge = None,
    judge_model: JudgeModel = None,
    judge_base_url: JudgeBaseUrl = None,
    judge_repeats: JudgeRepeats = None,
    judge_limit: JudgeLimit = None,
    judge_max_tokens: JudgeMaxTokens = None,
    unscored: Annotated[
        bool, option("--unscored", help="Ask the judge only where none has settled the episode yet.")
    ] = False,
    jobs: Jobs = None,
    repos: Repos = None,
    offline: Offline = False,
) -> int:
    """Score saved outcomes again: no sandbox, and no model unless a judge is asked for.

    What judges said stays; --judge llm or --judge-model has every episode judged again, --judge none forgets it.

    Examples:

      gitgoodbench score results/lite-gpt-4o

      gitgoodbench score results/lite-gpt-4o --judge-model gpt-4.1 --judge-model o3

      gitgoodbench score results/lite-gpt-4o --judge llm --unscored
    """
    from gitgoodbench.cli.scoring import score_runs

    return score_runs(
        runs,
        jobs=jobs,
        repos=repos,
        offline=offline,
        unscored=unscored,
        judge={
            "judge": None if judge is None else judge.value,
            "judge_model": tuple(judge_model or ()),
            "judge_base_url": judge_base_url,
            "judge_repeats": judge_repeats,
            "judge_limit": judge_limit,
            "judge_max_tokens": judge_max_tokens,
        },
    )
