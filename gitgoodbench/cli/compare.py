"""gitgoodbench compare"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from gitgoodbench.cli.options import Runs


class ComparisonForm(StrEnum):
    """How a comparison is printed."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"


def compare(
    runs: Runs,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="RUN", help="Compare each run with this one. Default: all pairs."),
    ] = None,
    form: Annotated[
        ComparisonForm, typer.Option("--format", help="json has everything (gitgoodbench schema compare).")
    ] = ComparisonForm.TABLE,
    flips: Annotated[
        int | None,
        typer.Option(
            "--flips",
            min=0,
            help="Show so many episodes that only one of two runs solved, each way. Default: 5 of two runs.",
        ),
    ] = None,
    strata: Annotated[
        bool | None,
        typer.Option(
            "--strata/--no-strata", help="Solved by difficulty, language and so on. Default: where there are two runs."
        ),
    ] = None,
) -> int:
    """Compare runs, episode by episode: who solves what the other does not, and whether that may be chance.

    Examples:

      gitgoodbench compare results/mini-oracle results/mini-ours

      gitgoodbench compare results/lite-* --against results/lite-gpt-4o --format markdown
    """
    from gitgoodbench.cli.comparing_runs import compare_and_print

    return compare_and_print(runs, against, form.value, flips=flips, strata=strata)
