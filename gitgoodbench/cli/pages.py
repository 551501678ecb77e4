"""What `report --html`, `report --bundle` and `view` do after their arguments are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gitgoodbench.api.running import Run, load_run
from gitgoodbench.cli.output import echo
from gitgoodbench.cli.running import find_run
from gitgoodbench.reporting.pages.site import write_bundle, write_site
from gitgoodbench.runs.damage import damaged_results
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.text import on_one_line


def write_pages(names: Sequence[str], *, folder: Path | None, bundle: Path | None) -> int:
    """Write pages of the runs into a folder, a zip file, or both; returns the exit code.

    Raises:
        UserError: a run is none, or something else is in the place of the pages.
    """
    runs = load_runs([find_run(name) for name in names])
    if folder is not None:
        count = write_site(runs, folder)
        echo(f"{count} files: open {folder / 'index.html'}")
    if bundle is not None:
        count = write_bundle(runs, bundle)
        echo(f"{count} files in {bundle}")
    return 0


def load_runs(folders: Sequence[RunPaths]) -> list[Run]:
    """The runs; damaged results, which pages lack, are named on standard error.

    Raises:
        UserError: one is none.
    """
    for paths in folders:
        for damage in damaged_results(paths):
            echo(on_one_line(f"{damage}: pages lack this episode"), err=True)
    return [load_run(paths.folder) for paths in folders]
