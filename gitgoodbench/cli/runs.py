"""gitgoodbench runs"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def runs(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where runs are.")] = Path("results"),
) -> int:
    """List runs: what was played, how far each is, what it solved and cost; the newest last.

    Examples:

      gitgoodbench runs

      gitgoodbench runs elsewhere/results
    """
    from gitgoodbench.cli.listing import list_runs

    return list_runs(folder)
