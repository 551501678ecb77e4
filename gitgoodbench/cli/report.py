"""gitgoodbench report"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gitgoodbench.cli.options import Dimension
from gitgoodbench.errors import UserError


class Form(StrEnum):
    """Values of --format."""

    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"
    LATEX = "latex"


def report(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN...", help="Run folders, or ids of runs under results/.", show_default=False),
    ] = None,
    by: Annotated[
        list[Dimension] | None,
        typer.Option("--by", help="Break solve rates down by this; repeatable. Default: where runs have several."),
    ] = None,
    published: Annotated[bool, typer.Option("--published", help="Show published figures beside.")] = False,
    form: Annotated[Form, typer.Option("--format", "-f", help="Print it as this.")] = Form.TABLE,
    samples: Annotated[bool, typer.Option("--samples", help="One row per episode instead.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Which features of samples go with success instead.")
    ] = False,
    outcome: Annotated[
        str | None,
        typer.Option("--outcome", metavar="SCORE", help="With --explain: explain this score. Default: solved."),
    ] = None,
    leaderboard: Annotated[
        Path | None,
        typer.Option("--leaderboard", metavar="FILE", help="Add the runs to this file, and print it instead."),
    ] = None,
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

      gitgoodbench report results/mini-* --samples --format csv > samples.csv

      gitgoodbench report results/lite-* --explain

      gitgoodbench report results/lite-gpt-4o --leaderboard lite.json --format markdown

      gitgoodbench report results/mini-* --html pages
    """
    if not runs and leaderboard is None:
        raise UserError("name one run or several: `gitgoodbench runs` lists those in results/")
    if html is not None or bundle is not None:
        from gitgoodbench.cli.pages import write_pages

        return write_pages(runs or [], folder=html, bundle=bundle)
    from gitgoodbench.cli.reporting import Report
    from gitgoodbench.cli.reporting import report as print_report

    asked = Report(
        form=form.value,
        by=tuple(dimension.value for dimension in by or ()),
        published=published,
        samples=samples,
        outcome=(outcome or "solved") if explain or outcome else None,
        leaderboard=leaderboard,
    )
    return print_report(runs or [], asked)
