"""gitgoodbench report"""

from __future__ import annotations

from typing import Annotated

import typer

from gitgoodbench.cli.options import Dimension, Runs


def report(
    runs: Runs,
    by: Annotated[
        list[Dimension] | None,
        typer.Option("--by", help="Break solve rates down by this; repeatable. Default: where runs have several."),
    ] = None,
    published: Annotated[bool, typer.Option("--published", help="Show published figures beside.")] = False,
) -> int:
    """Print the tables of one or several runs.

    Writes each run's summary.json and summary.csv anew.

    Examples:

      gitgoodbench report results/lite-gpt-4o --published

      gitgoodbench report results/mini-* --by difficulty
    """
    from gitgoodbench.cli.running import report_runs

    return report_runs(runs, by=[dimension.value for dimension in by or ()], published=published)
