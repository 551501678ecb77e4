"""What `gitgoodbench compare` does after its arguments are read."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gitgoodbench.cli.output import echo
from gitgoodbench.cli.running import find_run
from gitgoodbench.comparing.compare import compare_runs, names_for
from gitgoodbench.comparing.matching import PlayedRun
from gitgoodbench.reporting.comparison import blocks, comparison_json
from gitgoodbench.reporting.comparison_output import markdown, print_blocks
from gitgoodbench.reporting.layout import make_console
from gitgoodbench.reporting.summary import account_of, read_run
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Damaged
from gitgoodbench.text import on_one_line


def compare_and_print(
    names: Sequence[str], against: str | None, form: str, *, flips: int | None, strata: bool | None
) -> int:
    """Print the comparison of runs; returns the exit code.

    Raises:
        UserError: a run cannot be read, or the runs cannot be compared.
    """
    folders = [find_run(name) for name in names]
    base = None if against is None else find_run(against)
    if base is not None:
        same = next((paths for paths in folders if paths.folder.resolve() == base.folder.resolve()), None)
        folders = [base, *(paths for paths in folders if paths is not same)]
    runs = read_runs(folders)
    comparison = compare_runs(runs, None if base is None else runs[0].name)
    if form == "json":
        echo(comparison_json(comparison).decode("ascii"), nl=False)
        return 0
    found = blocks(comparison, {run.name: run for run in runs}, flips=flips, strata=strata)
    if form == "markdown":
        echo(markdown(found), nl=False)
    else:
        print_blocks(make_console(), found)
    return 0


def read_runs(folders: Sequence[RunPaths]) -> list[PlayedRun]:
    """Runs with their names; what of them is damaged is said on standard error."""
    damaged: list[Damaged] = []
    read = [(paths, *read_run(paths, details=False, damaged=damaged.append)) for paths in folders]
    for damage in damaged:
        sys.stderr.write(f"{on_one_line(str(damage))}\n")
    names = names_for([paths.folder for paths in folders], [manifest.run_id for _, manifest, _ in read])
    return [
        PlayedRun(name, paths.folder, manifest, results, account_of(paths))
        for name, (paths, manifest, results) in zip(names, read, strict=True)
    ]
