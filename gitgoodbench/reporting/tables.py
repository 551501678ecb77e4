"""Tables of one or several runs: rich on a terminal, aligned plain text elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gitgoodbench.reporting.judging_tables import print_judging
from gitgoodbench.reporting.layout import (
    UNKNOWN,
    labels_of,
    make_table,
    percent,
    print_table,
    proportion,
    say,
    too_wide,
    with_interval,
)
from gitgoodbench.reporting.layout import make_console as make_console
from gitgoodbench.reporting.published import PublishedFigure
from gitgoodbench.reporting.summary import Cell, RunSummary
from gitgoodbench.scoring.statistics import Mean, Proportion

_REASONS_SHOWN = 10
_REASON_WIDTH = 160


def print_report(
    console: Console,
    summaries: Sequence[RunSummary],
    *,
    by: Sequence[str],
    published: Sequence[PublishedFigure] = (),
) -> None:
    """The main table, one breakdown for each dimension of `by`, and what is in no solve rate."""
    table = _main_table(console, summaries, published)
    if too_wide(console, table):
        table = _main_table(console, summaries, published, intervals=False)
    print_table(console, f"Solved on suite {_suites(summaries)}", table)
    for dimension in by if any(summary.total.rows for summary in summaries) else ():
        print_table(console, f"Solved, by {dimension}", _breakdown(console, summaries, dimension, published))
    print_judging(console, summaries)
    if published:
        say(console, f"published figures: {'; '.join(dict.fromkeys(figure.source for figure in published))}")
    for summary in summaries:
        _print_failures(console, summary)


def cost(cell: Cell) -> str:
    """US dollars; `>=` where the cost of some results is not known."""
    if cell.cost_usd is None:
        return UNKNOWN
    return f"{'>= ' if cell.unknown_costs else ''}${cell.cost_usd:.2f}"


def _main_table(
    console: Console,
    summaries: Sequence[RunSummary],
    published: Sequence[PublishedFigure],
    *,
    intervals: bool = True,
) -> Table:
    scores = list(dict.fromkeys(name for summary in summaries for name in summary.total.scores))
    scores = [name for name in scores if name != "exact_match"]
    several_epochs = any(summary.epochs.count > 1 for summary in summaries)
    table = make_table(console, "agent")
    rate, note = (with_interval, " [95 %]") if intervals else (proportion, "")
    headers = ["rows", "success", "of attainable", f"of answers{note}", "of all"]
    headers += ["epochs (mean +- se)"] if several_epochs else []
    for header in [*headers, *(name.replace("_", " ") for name in scores), "cost", "s/episode"]:
        table.add_column(Text(header), justify="right", no_wrap=True)
    for summary, label in zip(summaries, labels_of(summaries), strict=True):
        cell = summary.total
        epochs = [_epochs(summary.epochs)] if several_epochs else []
        means = [percent(cell.scores[name].mean) if name in cell.scores else UNKNOWN for name in scores]
        seconds = UNKNOWN if cell.seconds is None else f"{cell.seconds:.2f}"
        table.add_row(
            Text(label), _rows(summary), proportion(cell.success), rate(cell.of_attainable),
            rate(cell.of_answers), proportion(cell.of_all), *epochs, *means, cost(cell), seconds,
        )  # fmt: skip
    for figure in published:
        solved = percent(figure.solve_rate)
        solved = solved if figure.solved is None else f"{figure.solved}/{figure.rows} {solved}"
        error = "" if figure.standard_error is None else f" +- {100 * figure.standard_error:.1f}"
        name, success = Text(_published_label(figure)), percent(figure.success_rate)
        table.add_row(name, str(figure.rows), success, UNKNOWN, UNKNOWN, solved + error)
    return table


def _breakdown(
    console: Console, summaries: Sequence[RunSummary], dimension: str, published: Sequence[PublishedFigure]
) -> Table:
    """Agents down, values across; each field `solved/answers rate, solved/attainable`."""
    values = list(dict.fromkeys(value for summary in summaries for value in summary.by[dimension]))
    table = make_table(console, "agent")
    for value in values:
        table.add_column(Text(f"{value} (attainable)"), justify="right", no_wrap=True)
    for summary, label in zip(summaries, labels_of(summaries), strict=True):
        cells = [summary.by[dimension].get(value) for value in values]
        table.add_row(Text(label), *(UNKNOWN if cell is None else _solved(cell) for cell in cells))
    for figure in published:
        known = figure.breakdown.get(dimension, {})
        if known:
            fields = [proportion(Proportion(*known[value])) if value in known else UNKNOWN for value in values]
            table.add_row(Text(_published_label(figure)), *fields)
    return table


def _solved(cell: Cell) -> str:
    attainable = cell.of_attainable
    return proportion(cell.of_answers) + (f" ({attainable.hits}/{attainable.total})" if attainable.total else "")


def _print_failures(console: Console, summary: RunSummary) -> None:
    if summary.missing:
        say(console, f"{summary.label}: {summary.missing} of {summary.planned} episodes have not been run yet")
    if summary.total.not_judged:
        count, rows = summary.total.not_judged, summary.total.rows
        say(console, f"{summary.label}: {count} of {rows} rows were not judged, and are in no solve rate")
    if not summary.failures:
        return
    count = sum(len(failure.episodes) for failure in summary.failures)
    say(
        console,
        f"{summary.label}: {count} of {summary.total.rows} rows say nothing of the agent; only `of all` has them:",
    )
    for failure in summary.failures[:_REASONS_SHOWN]:
        where = failure.episodes[0] + (", ..." if len(failure.episodes) > 1 else "")
        reason = failure.reason[:_REASON_WIDTH]
        say(console, f"  {len(failure.episodes)} x {failure.status.value}: {reason} ({where})")
    if len(summary.failures) > _REASONS_SHOWN:
        say(console, f"  and {len(summary.failures) - _REASONS_SHOWN} more reasons: see summary.json")


def _published_label(figure: PublishedFigure) -> str:
    return f"{figure.label} [published, {figure.corpus}, {figure.scenario or 'all three'}]"


def _suites(summaries: Sequence[RunSummary]) -> str:
    return ", ".join(dict.fromkeys(f"{summary.suite}, {summary.tools} tools" for summary in summaries))


def _rows(summary: RunSummary) -> str:
    done = summary.total.rows
    return f"{done} of {summary.planned}" if summary.missing else str(done)


def _epochs(mean: Mean) -> str:
    if mean.mean is None:
        return UNKNOWN
    error = "" if mean.standard_error is None else f" +- {100 * mean.standard_error:.1f}"
    return f"{100 * mean.mean:.1f}{error} ({mean.count})"
