"""What `gitgoodbench report` does after its arguments are read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gitgoodbench.api.running import Run, load_run, results_frame
from gitgoodbench.cli.running import find_run, summarize_run
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.candidates import candidate_of
from gitgoodbench.reporting.files import summary_csv, summary_json
from gitgoodbench.reporting.layout import Block, BlockKeeper, labels_of, make_console, print_blocks, say
from gitgoodbench.reporting.leaderboard import add_runs, dump_leaderboard, leaderboard_sheet, read_leaderboard
from gitgoodbench.reporting.markup import latex, markdown
from gitgoodbench.reporting.published import published_figures
from gitgoodbench.reporting.samples import frame_csv, frame_json, sample_sheets
from gitgoodbench.reporting.summary import RunSummary, varying_dimensions
from gitgoodbench.reporting.tables import print_report
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.text import for_terminal

TABLE: Final = "table"
_MARKUP: Final[Mapping[str, Callable[[Sequence[Block]], str]]] = {"markdown": markdown, "latex": latex}


@dataclass(frozen=True)
class Report:
    """What is asked. outcome: what is explained; None where nothing is. leaderboard: a file to add the runs to."""

    form: str = TABLE
    by: tuple[str, ...] = ()
    published: bool = False
    samples: bool = False
    outcome: str | None = None
    leaderboard: Path | None = None


def report(names: Sequence[str], asked: Report) -> int:
    """Print what is asked of existing runs, and write their summaries anew; returns the exit code.

    Raises:
        UserError: a run cannot be read, or what is asked cannot be had of it.
    """
    if sum([asked.samples, asked.outcome is not None, asked.leaderboard is not None]) > 1:
        raise UserError("--samples, --explain and --leaderboard are reports of their own: give one of them")
    paths = [find_run(name) for name in names]
    if asked.leaderboard is not None:
        return _leaderboard(paths, asked.leaderboard, asked.form)
    summaries = [summarize_run(each) for each in paths]
    if asked.outcome is not None:
        return _explain(paths, asked.outcome, asked.form)
    if asked.samples:
        return _samples(paths, summaries, asked.form)
    return _figures(summaries, asked)


def _figures(summaries: Sequence[RunSummary], asked: Report) -> int:
    if asked.form == "json":
        _write(_json({"format": 1, "runs": [summary_json(summary) for summary in summaries]}))
    elif asked.form == "csv":
        _write(summary_csv(*summaries))
    else:
        scenarios = {scenario for summary in summaries for scenario in summary.scenarios}
        figures = published_figures(scenarios) if asked.published else ()
        console = make_console() if asked.form == TABLE else BlockKeeper()
        print_report(console, summaries, by=asked.by or varying_dimensions(summaries), published=figures)
        if isinstance(console, BlockKeeper):
            _write(_MARKUP[asked.form](console.blocks))
    return 0


def _samples(paths: Sequence[RunPaths], summaries: Sequence[RunSummary], form: str) -> int:
    runs = _runs(paths)
    if form in ("csv", "json"):
        frame = results_frame(runs)
        _write(frame_csv(frame) if form == "csv" else frame_json(frame))
    else:
        _show(sample_sheets(labels_of(summaries), [run.results for run in runs]), form)
    return 0


def _explain(paths: Sequence[RunPaths], outcome: str, form: str) -> int:
    from gitgoodbench.explaining.explain import explain_runs
    from gitgoodbench.reporting.explanation import explanation_blocks, explanation_csv, explanation_json

    found = explain_runs(_runs(paths), outcome)
    if form == "json":
        _write(_json(explanation_json(found)))
    elif form == "csv":
        _write(explanation_csv(found))
    else:
        _show(list(explanation_blocks(found)), form)
    return 0


def _leaderboard(paths: Sequence[RunPaths], file: Path, form: str) -> int:
    runs = _runs(paths)
    candidates = [candidate_of(RunPaths(run.folder), run.manifest, run.results) for run in runs]
    changes = add_runs(file, candidates)
    console = make_console(stderr=True)
    for run, change in zip(runs, changes, strict=True):
        say(console, f"{run.id}: {change}")
    board = read_leaderboard(file)
    if board is None:
        raise UserError(f"there is no leaderboard {file}: name a run that begins it")
    if form == "csv":
        raise UserError("a leaderboard is printed as table, markdown, latex or json")
    if form == "json":
        _write(dump_leaderboard(board).decode("ascii"))
    else:
        _show([leaderboard_sheet(board)], form)
    return 0


def _runs(paths: Sequence[RunPaths]) -> list[Run]:
    return [load_run(each.folder) for each in paths]


def _show(blocks: Sequence[Block], form: str) -> None:
    if form == TABLE:
        print_blocks(make_console(), blocks)
    else:
        _write(_MARKUP[form](blocks))


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, allow_nan=False) + "\n"


def _write(text: str) -> None:
    """Data goes into files and pipes as it is; a terminal shows what it cannot print as escapes."""
    sys.stdout.write(for_terminal(text) if sys.stdout.isatty() else text)
