"""What `gitgoodbench show` does after its arguments are read."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from gitgoodbench.cli.running import find_run
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.episode import episode_lines, list_lines
from gitgoodbench.reporting.money import account_line
from gitgoodbench.reporting.summary import account_of
from gitgoodbench.runs.damage import damaged_results
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result, read_result
from gitgoodbench.text import on_one_line


def show_run(run: str, sample: str | None) -> int:
    """Print the list of a run's episodes, or those of one sample; returns the exit code.

    Raises:
        UserError: there is no such run, or no episode of that sample in it.
    """
    paths = find_run(run) if not (Path(run) / "samples").is_dir() else RunPaths(Path(run))
    results = [result for path in paths.result_files() if (result := read_result(path)) is not None]
    for damage in damaged_results(paths):
        sys.stderr.write(f"{on_one_line(str(damage))}\n")
    account = account_of(paths)
    if sample is None:
        _print(list_lines(results))
        _print([] if (line := account_line(account)) is None else [line])
        return 0
    chosen = [result for result in results if _is_meant(result, sample)]
    if not chosen:
        raise UserError(
            f"no finished episode of run {paths.folder} is of sample {on_one_line(sample)}: "
            f"`gitgoodbench show {run}` lists them"
        )
    for number, result in enumerate(chosen):
        _print([""] if number else [])
        _print(episode_lines(result, account))
    return 0


def _is_meant(result: Result, sample: str) -> bool:
    scenario, sample_id, epoch = result.key
    return sample in (sample_id, f"{scenario}/{sample_id}", f"{scenario}/{sample_id}/{epoch}")


def _print(lines: Iterable[str]) -> None:
    """Bytes that the terminal's encoding lacks appear as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
