"""gitgoodbench schema"""

from __future__ import annotations

from typing import Annotated

import typer

from gitgoodbench.cli.output import echo


def schema(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which file. Without it: the names.")] = None,
) -> int:
    """Print the JSON schema of a file of a run.

    Examples:

      gitgoodbench schema

      gitgoodbench schema result
    """
    from gitgoodbench.reporting.schemas import SCHEMAS, shipped

    echo("\n".join(SCHEMAS) if name is None else shipped(name), nl=name is None)
    return 0
