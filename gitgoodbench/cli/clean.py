"""gitgoodbench clean"""

from __future__ import annotations

from typing import Annotated

import typer

from gitgoodbench.cli.output import echo


def clean(force: Annotated[bool, typer.Option("--force", help="Also what running processes use.")] = False) -> int:
    """Remove what crashed runs left behind.

    Containers, volumes and temporary folders of processes that have ended; results stay.

    Example:

      gitgoodbench clean
    """
    from gitgoodbench.sandbox.clean import clean as sweep

    report = sweep(force)
    removed = (
        f"removed {len(report.containers)} containers, {len(report.volumes)} volumes, {len(report.folders)} folders"
    )
    echo(removed + (f"; kept {len(report.kept)} that are in use" if report.kept else ""))
    for problem in report.problems:
        echo(problem, err=True)
    return 0
