"""gitgoodbench prices"""

from __future__ import annotations

from typing import Annotated

import typer

from gitgoodbench.cli.output import echo


def prices(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="As the server names it, or provider/name.")],
) -> int:
    """Show what a model costs by the price table that costs are counted with.

    Examples:

      gitgoodbench prices gpt-4o

      gitgoodbench prices anthropic/claude-sonnet-4-5
    """
    from gitgoodbench.reporting.prices import price_lines

    for line in price_lines(model):
        echo(line)
    return 0
