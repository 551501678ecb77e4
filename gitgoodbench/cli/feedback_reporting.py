"""What `gitgoodbench feedback report` and `compare` print and write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from gitgoodbench.cli.output import echo
from gitgoodbench.errors import UserError
from gitgoodbench.feedback.agent_trace import trace_lines
from gitgoodbench.feedback.report import words
from gitgoodbench.feedback.report.asking import Answer, Asked, answer, results_asked
from gitgoodbench.feedback.report.compare import compare_groups
from gitgoodbench.feedback.report.exports import COLUMNS, as_csv, as_json, group_records, record_of
from gitgoodbench.feedback.report.groups import correlations, group_rows, is_randomised, value_of
from gitgoodbench.feedback.repository import Repository, discover
from gitgoodbench.feedback.settings import Settings, read_settings
from gitgoodbench.feedback.setup import place_of
from gitgoodbench.reporting.layout import make_console, make_table, print_table, say

_USUAL = ("assistant", "model", "language")


def show_report(folder: Path, asked: Asked, by: Sequence[str], form: str, html: Path | None, export: str | None) -> int:
    """Print a report, and write its page.

    Raises:
        UserError: what is asked for is not there, or flags do not go together.
    """
    repository, settings = _opened(folder)
    if export is not None:
        if by or html is not None or form != "table" or asked.states or asked.days is not None:
            raise UserError(f"--export {export} takes --since, --until and --commit alone: leave the other flags out")
        for line in trace_lines(results_asked(repository, asked), repository.git):
            echo(line, nl=False)
        return 0
    found = answer(repository, settings, asked)
    if html is not None:
        from gitgoodbench.feedback.report.page import write_page

        write_page(html, repository, found, tuple(by))
        echo(f"wrote {html}", err=True)
    if form != "table":
        typer.echo(_as_data(found, by, form), nl=False)
    elif not found.rows:
        echo(_nothing(found))
    elif html is None:
        _print(found, by or _USUAL)
    return 0


def show_comparison(folder: Path, asked: Asked, by: str, metric: str, names: Sequence[str], *, as_json: bool) -> int:
    """Print comparisons of groups.

    Raises:
        UserError: what is asked for is not there.
    """
    if len(names) not in (0, 2) or len(set(names)) != len(names):
        raise UserError("compare takes two groups, A and B, or none for every pair")
    found = answer(*_opened(folder), asked)
    known = sorted({value_of(row, by) for row in found.rows if row.counts})
    for name in names:
        if name not in known:
            raise UserError(f"no {by} is called {name!r}: choose among {', '.join(known) or 'none yet'}")
    compared = compare_groups(found.rows, by, metric, names)
    if as_json:
        echo(json.dumps([asdict(one) | {"is_one": one.is_one} for one in compared], indent=2))
        return 0
    if not compared:
        echo(f"nothing to compare: {f'{by} is {known[0]} in all edits' if known else _nothing(found)}")
        return 0
    console = make_console()
    for one in compared:
        say(console, words.verdict(one))
    table = make_table(console, words.COMPARISON_HEADERS)
    for one in compared:
        table.add_row(*words.comparison_cells(one))
    print_table(console, f"{metric} by {by}", table)
    for note in _notes(found, [words.METHOD, *_left_out(found)]):
        say(console, f"\n{note}")
    return 0


def _left_out(found: Answer) -> list[str]:
    apart = sum(1 for row in found.rows if row.state == "scored" and row.committed_by is not None)
    if apart == 1:
        return ["1 edit that an assistant committed by itself is left out"]
    return [f"{apart} edits that assistants committed by themselves are left out"] if apart else []


def _opened(folder: Path) -> tuple[Repository, Settings]:
    repository = discover(folder)
    return repository, read_settings(place_of(repository))


def _as_data(found: Answer, by: Sequence[str], form: str) -> str:
    if by:
        records = list(group_records(group_rows(found.rows, one) for one in by))
        return as_json(records) if form == "json" else as_csv(records)
    records = [record_of(row) for row in found.rows]
    return as_json(records) if form == "json" else as_csv(records, COLUMNS)


def _nothing(found: Answer) -> str:
    if not found.all_edits:
        return "no edits of an assistant are known yet: `gitgoodbench feedback status --check` says what was read"
    return f"none of the {found.all_edits} edits is in what was asked for"


def _print(found: Answer, by: Sequence[str]) -> None:
    console = make_console()
    for one in by:
        table = make_table(console, words.headers(one, found.days))
        for group in group_rows(found.rows, one).groups:
            table.add_row(*words.cells(group))
        print_table(console, f"by {one}", table)
    say(console, "\nrank correlations (Spearman)")
    for pair in correlations(found.rows):
        say(console, f"  {words.correlation(pair)}")
    notes = [words.INTERVALS]
    if any(row.committed_by is not None for row in found.rows):
        notes.append(words.SELF_COMMITTED)
    for note in _notes(found, notes):
        say(console, f"\n{note}")


def _notes(found: Answer, notes: Sequence[str]) -> list[str]:
    return [*notes, *([] if is_randomised(found.rows) else [words.OBSERVATIONAL])]
