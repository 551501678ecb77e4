"""What `report --html`, `report --bundle` and `view` do after their arguments are read."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from pathlib import Path

from gitgoodbench.api.running import Run, load_run
from gitgoodbench.cli.output import echo
from gitgoodbench.cli.running import find_run
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.pages.live import LivePages
from gitgoodbench.reporting.pages.serving import PageServer
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


def view_runs(names: Sequence[str], *, port: int, browser: bool) -> int:
    """Serve pages of the runs on loopback until Ctrl-C; returns the exit code.

    names: none of them means every run under results/.

    Raises:
        UserError: a run is none, there is no run at all, or the port cannot be had.
    """
    folders = [find_run(name) for name in names] or _runs_here()
    name_damage(folders)
    pages = LivePages([paths.folder for paths in folders], load_run)
    with PageServer(pages, port) as server:
        echo(f"{server.address} (Ctrl-C ends it)")
        if browser and not webbrowser.open(server.address):
            echo("no browser could be opened: open that address in one", err=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


def _runs_here() -> list[RunPaths]:
    found = [RunPaths(path.parent) for path in sorted(Path("results").glob("*/manifest.json"))]
    if not found:
        raise UserError("no run in results/: name run folders, or play one with `gitgoodbench eval`")
    return found


def load_runs(folders: Sequence[RunPaths]) -> list[Run]:
    """The runs. Damaged results, which pages lack, are named on standard error.

    Raises:
        UserError: one is none.
    """
    name_damage(folders)
    return [load_run(paths.folder) for paths in folders]


def name_damage(folders: Sequence[RunPaths]) -> None:
    """Say on standard error which results cannot be read."""
    for paths in folders:
        for damage in damaged_results(paths):
            echo(on_one_line(f"{damage}: pages lack this episode"), err=True)
