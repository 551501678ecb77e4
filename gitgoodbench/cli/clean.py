"""gitgoodbench clean"""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from gitgoodbench.cli.output import echo
from gitgoodbench.errors import UserError


def clean(force: Annotated[bool, typer.Option("--force", help="Also what running processes use.")] = False) -> int:
    """Remove what crashed runs left behind.

    Containers, volumes and temporary folders of processes that have ended, and what they were making in the cache;
    results and the cache stay.

    Example:

      gitgoodbench clean
    """
    from gitgoodbench.sandbox.clean import clean as sweep
    from gitgoodbench.workspace.room import remove_stale

    report = sweep(force)
    folders = len(report.folders)
    with contextlib.suppress(UserError):  # there is no cache
        folders += len(remove_stale())
    removed = f"removed {len(report.containers)} containers, {len(report.volumes)} volumes, {folders} folders"
    echo(removed + (f"; kept {len(report.kept)} that are in use" if report.kept else ""))
    for problem in report.problems:
        echo(problem, err=True)
    return 0
