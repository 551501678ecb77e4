"""What `gitgoodbench runs` does after its arguments are read."""

from __future__ import annotations

import sys
from pathlib import Path

from gitgoodbench.errors import UserError
from gitgoodbench.reporting.layout import make_console
from gitgoodbench.reporting.runs_table import Listed, print_runs, read_listed
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.text import on_one_line


def list_runs(folder: Path) -> int:
    """Print a table of the runs in a folder; returns the exit code.

    Raises:
        UserError: there is no such folder.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder: `gitgoodbench eval` makes it, or name the one that its --out named")
    listed: list[Listed] = []
    for path in sorted(folder.glob("*/manifest.json")):
        try:
            listed.append(read_listed(RunPaths(path.parent)))
        except UserError as problem:
            sys.stderr.write(f"{on_one_line(str(problem))}\n")
    print_runs(make_console(), folder, sorted(listed, key=lambda run: run.created))
    return 0
