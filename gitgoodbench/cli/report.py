"""gitgoodbench report"""

from __future__ import annotations

from pathlib import Path
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
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="DIR", help="Write pages into this folder instead; it opens from disk."),
    ] = None,
    bundle: Annotated[
        Path | None, typer.Option("--bundle", metavar="FILE.zip", help="Write pages into this zip file instead.")
    ] = None,
) -> int:
    """Print the tables of one or several runs, or write them as pages.

    Writes each run's summary.json and summary.csv anew.

    Examples:

      gitgoodbench report results/lite-gpt-4o --published

      gitgoodbench report results/mini-* --by difficulty

      gitgoodbench report results/mini-* --html pages
    """
    if html is not None or bundle is not None:
        from gitgoodbench.cli.pages import write_pages

        return write_pages(runs, folder=html, bundle=bundle)
    from gitgoodbench.cli.running import report_runs

    return report_runs(runs, by=[dimension.value for dimension in by or ()], published=published)
