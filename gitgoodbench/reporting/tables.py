"""Tables of one or several runs, scenario by scenario: rich on a terminal, aligned plain text elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gitgoodbench.reporting.columns import (
    Column,
    edit_columns,
    effort_columns,
    epoch_columns,
    gate_columns,
    score_columns,
    solve_columns,
    unsettled_columns,
)
from gitgoodbench.reporting.judging_tables import print_judging
from gitgoodbench.reporting.layout import UNKNOWN, labels_of, make_table, print_table, proportion, say, too_wide
from gitgoodbench.reporting.layout import make_console as make_console
from gitgoodbench.reporting.money import account_line
from gitgoodbench.reporting.published import PublishedFigure
from gitgoodbench.reporting.summary import Cell, Figures, RunSummary
from gitgoodbench.scoring.statistics import Proportion

_REASONS_SHOWN = 10
_REASON_WIDTH = 160
_ALL = "all scenarios"


@dataclass(frozen=True)
class _Row:
    """One run's figures in a table."""

    label: str
    summary: RunSummary
    figures: Figures

    @property
    def rows(self) -> str:
        done = self.figures.total.rows
        alone = len(self.summary.scenarios) == 1
        return f"{done} of {self.summary.planned}" if alone and self.summary.missing else str(done)


def print_report(
    console: Console,
    summaries: Sequence[RunSummary],
    *,
    by: Sequence[str],
    published: Sequence[PublishedFigure] = (),
) -> None:
    """Print what each scenario solved, broken down by each dimension of `by`, with gates and scores.

    Then all scenarios together, the judges, and the episodes that are no answers.
    """
    labels = labels_of(summaries)
    scenarios = sorted({name for summary in summaries for name in summary.scenarios})
    for name in scenarios:
        rows = [
            _Row(label, summary, summary.scenarios[name])
            for label, summary in zip(labels, summaries, strict=True)
            if name in summary.scenarios
        ]
        _print_scenario(console, name, rows, by, [figure for figure in published if figure.scenario == name])
    together = [_Row(label, summary, summary.overall) for label, summary in zip(labels, summaries, strict=True)]
    if not scenarios:
        say(console, "\nno episode has been run yet")
    elif sum(any(_is_settled(s.scenarios.get(name)) for s in summaries) for name in scenarios) > 1:
        _print_solved(console, _ALL, together, [figure for figure in published if figure.scenario is None])
        _print_epochs(console, _ALL, together)
    print_judging(console, summaries)
    if published:
        say(console, f"published figures: {'; '.join(dict.fromkeys(figure.source for figure in published))}")
    _print_rules(console, together)
    for row in together:
        _print_account(console, row, alone=len(together) == 1)
    for row in together:
        _print_failures(console, row)


def _print_account(console: Console, row: _Row, *, alone: bool) -> None:
    if (line := account_line(row.summary.account)) is not None:
        say(console, line if alone else f"{row.label}: {line}")


def _print_scenario(
    console: Console, name: str, rows: Sequence[_Row], by: Sequence[str], published: Sequence[PublishedFigure]
) -> None:
    _print_solved(console, name, rows, published)
    _print_epochs(console, name, rows)
    if any(_is_settled(row.figures) for row in rows):
        for dimension in by:
            table = _breakdown(console, rows, dimension, published)
            print_table(console, f"{name}: solved of answers, by {dimension} (of attainable)", table)
    _print_qualities(console, name, rows)


def _print_qualities(console: Console, name: str, rows: Sequence[_Row]) -> None:
    """Gates and scores, in one table where there is room, and what was done to commits."""
    every = [row.figures for row in rows]
    gates, scores = gate_columns(every), score_columns(every)
    met, means = "gates met", "mean scores (n where of fewer answers)"
    together = _table(console, rows, [*gates, *scores])
    if gates and scores and not too_wide(console, together):
        print_table(console, f"{name}: {met}, {means}", together)
        gates, scores = [], []
    edits = "what was done to the real chain's commits (of answers where it is known)"
    for title, columns in ((met, gates), (means, scores), (edits, edit_columns(every))):
        if columns:
            print_table(console, f"{name}: {title}", _table(console, rows, columns))


def _print_solved(console: Console, name: str, rows: Sequence[_Row], published: Sequence[PublishedFigure]) -> None:
    """The first table of a scenario."""
    table = _solved_table(console, rows, published)
    about = f"on {_suites(rows)}{_samples(rows) if name != _ALL else ''}"
    print_table(console, f"{name}: {_what_is_known(rows)}, {about}", table)


def _what_is_known(rows: Sequence[_Row]) -> str:
    """`solved`, or why no answer is known to be solved or not."""
    if any(_is_settled(row.figures) for row in rows):
        return "solved"
    if any(row.figures.total.not_judged for row in rows):
        return "not judged, so that solved is not known (--judge llm)"
    if any(row.figures.total.awaiting for row in rows):
        return "no judge has answered yet, so that solved is not known (gitgoodbench resume)"
    return "no episode gave an answer, so that solved is not known"


def _print_epochs(console: Console, name: str, rows: Sequence[_Row]) -> None:
    """Print the mean over epochs, pass@k and pass^k, where samples have several answers."""
    columns = epoch_columns([row.figures for row in rows])
    if columns:
        title = "solved of answers over epochs: mean, pass@k, pass^k (n where fewer samples have k answers)"
        print_table(console, f"{name}: {title}", _table(console, rows, columns))


def _solved_table(console: Console, rows: Sequence[_Row], published: Sequence[PublishedFigure]) -> Table:
    every = [row.figures for row in rows]
    settled = published or any(map(_is_settled, every))
    columns = solve_columns(every) if settled else unsettled_columns()
    columns += effort_columns(every)
    table = make_table(console, ["agent", "rows", *(column.header for column in columns)])
    for row in rows:
        table.add_row(Text(row.label), row.rows, *(column.of_run(row.figures) for column in columns))
    for figure in published:
        fields = (column.of_published(figure) for column in columns)
        table.add_row(Text(_published_label(figure)), str(figure.rows), *fields)
    return table


def _table(console: Console, rows: Sequence[_Row], columns: Sequence[Column]) -> Table:
    table = make_table(console, ["agent", *(column.header for column in columns)])
    for row in rows:
        table.add_row(Text(row.label), *(column.of_run(row.figures) for column in columns))
    return table


def _breakdown(console: Console, rows: Sequence[_Row], dimension: str, published: Sequence[PublishedFigure]) -> Table:
    """Agents down, values across; each field `solved/answers rate (solved/attainable)`."""
    values = list(dict.fromkeys(value for row in rows for value in row.figures.by[dimension]))
    table = make_table(console, ["agent", *values])
    for row in rows:
        cells = [row.figures.by[dimension].get(value) for value in values]
        table.add_row(Text(row.label), *(UNKNOWN if cell is None else _solved(cell) for cell in cells))
    for figure in published:
        known = figure.breakdown.get(dimension, {})
        if known:
            fields = [proportion(Proportion(*known[value])) if value in known else UNKNOWN for value in values]
            table.add_row(Text(_published_label(figure)), *fields)
    return table


def _is_settled(figures: Figures | None) -> bool:
    """Whether any answer is known to be solved or not."""
    return figures is not None and bool(figures.total.of_answers.total)


def _solved(cell: Cell) -> str:
    attainable = cell.of_attainable
    return proportion(cell.of_answers) + (f" ({attainable.hits}/{attainable.total})" if attainable.total else "")


def _print_rules(console: Console, rows: Sequence[_Row]) -> None:
    """Say where figures in these tables come from more than one version of the scoring."""
    if len({rules for row in rows for rules in row.summary.scored_by}) < 2:
        return
    say(
        console, "scored by different rules, so not to be compared (gitgoodbench score RUN scores all by those of now):"
    )
    for row in rows:
        for rules, count in row.summary.scored_by.items():
            say(console, f"  {row.label}: {count} of {row.summary.total.rows} by {rules}")


def _print_failures(console: Console, row: _Row) -> None:
    summary = row.summary
    if summary.missing:
        say(console, f"{row.label}: {summary.missing} of {summary.planned} episodes have not been run yet")
    for name, figures in summary.scenarios.items():
        count, known = figures.total.not_judged, figures.total.of_answers.total
        if count and known:
            say(console, f"{row.label}: {count} of {name}'s rows were not judged (only in `of all`, as not solved)")
    if not summary.failures:
        return
    count = sum(len(failure.episodes) for failure in summary.failures)
    say(console, f"{row.label}: {count} of {summary.total.rows} rows are no answers (only in `success` and `of all`):")
    for failure in summary.failures[:_REASONS_SHOWN]:
        example = failure.episodes[0] + (", ..." if len(failure.episodes) > 1 else "")
        reason = failure.reason[:_REASON_WIDTH]
        say(console, f"  {len(failure.episodes)} x {failure.status.value}: {reason} ({example})")
    if len(summary.failures) > _REASONS_SHOWN:
        say(console, f"  and {len(summary.failures) - _REASONS_SHOWN} more reasons: see summary.json")


def _published_label(figure: PublishedFigure) -> str:
    return f"{figure.label} [published, {figure.corpus}, {figure.scenario or _ALL}]"


def _suites(rows: Sequence[_Row]) -> str:
    return ", ".join(dict.fromkeys(_suite(row.summary) for row in rows))


def _suite(summary: RunSummary) -> str:
    return ", ".join([f"suite {summary.suite}", f"{summary.tools} tools", *summary.options])


def _samples(rows: Sequence[_Row]) -> str:
    """What the samples are like, where they are the same for all rows."""
    texts = {_traits(row.figures.total) for row in rows}
    return f": {texts.pop()}" if len(texts) == 1 else ""


def _traits(cell: Cell) -> str:
    """`21 samples, 17 splittable, 6 attainable`."""
    parts = [f"{cell.samples} sample{'' if cell.samples == 1 else 's'}"]
    if cell.epochs > 1:
        parts[0] += f" in {cell.epochs} epochs"
    for name, figure in cell.traits.items():
        parts.append(f"{figure.hits} {name}" + ("" if figure.total == cell.samples else f" of {figure.total} known"))
    return ", ".join(parts)
