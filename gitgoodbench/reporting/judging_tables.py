"""The tables of what the judges said, one for each scenario, and how far to trust them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gitgoodbench.models.meter import Usage
from gitgoodbench.reporting.judging import Judging, Verdicts
from gitgoodbench.reporting.layout import (
    UNKNOWN,
    labels_of,
    make_table,
    print_table,
    proportion,
    say,
    two_lines,
    with_interval,
)
from gitgoodbench.reporting.summary import RunSummary
from gitgoodbench.scoring.agreement import Agreement


def print_judging(console: Console, summaries: Sequence[RunSummary]) -> None:
    """Nothing at all for runs that nobody judged; only notes where nothing is settled."""
    labels = labels_of(summaries)
    for name in sorted({name for summary in summaries for name in summary.scenarios}):
        rows = [
            (label, judging)
            for label, summary in zip(labels, summaries, strict=True)
            if name in summary.scenarios and (judging := summary.scenarios[name].judging) is not None
        ]
        if settled := [(label, judging) for label, judging in rows if judging.total.wins.total]:
            print_table(console, f"{name}: judged, in both orders", _verdicts(console, settled))
        elif rows:
            say(console, f"\n{name}: no judge has settled an episode yet")
        for label, judging in rows:
            for note in judging_notes(judging):
                say(console, f"{label}: {note}")


def judging_notes(judging: Judging) -> list[str]:
    """What the table cannot hold, one line each."""
    notes = []
    if judging.agreement is not None:
        notes.append(agreement_text(judging.agreement))
    if judging.identical or judging.nothing:
        notes.append(
            f"not asked about {judging.identical} histories that are the real one (ties) "
            f"and {judging.nothing} that are empty or off the base (losses)"
        )
    if judging.cut:
        notes.append(f"{judging.cut} pairs of histories were too long to be shown whole (--judge-limit)")
    if judging.unsettled:
        notes.append(f"{judging.unsettled} unsettled: gitgoodbench score RUN --unscored asks again")
    notes += [f"the judge {model} is the model that is judged" for model in judging.own_work]
    return notes


def agreement_text(agreement: Agreement) -> str:
    """`agreement of 2 judges over 60 episodes: Cohen's kappa 0.68 [0.50, 0.85], 89.0 % observed`."""
    judges = f"agreement of {agreement.raters} judges over {agreement.subjects} episodes"
    if agreement.kappa is None:
        return f"{judges}: no kappa (nothing settled by all, or all of one kind)"
    interval = "" if agreement.interval is None else f" [{agreement.interval[0]:.2f}, {agreement.interval[1]:.2f}]"
    return (
        f"{judges}: {agreement.name} {agreement.kappa:.2f}{interval}, {100 * (agreement.observed or 0):.1f} % observed"
    )


def _verdicts(console: Console, rows: Sequence[tuple[str, Judging]]) -> Table:
    headers = ["wins (the paper's solved)", "ties", "losses", "both orders agree", "first preferred"]
    table = make_table(console, ["agent", *map(two_lines, headers), "judge\ntokens", "judge\ncost"])
    for label, judging in rows:
        table.add_row(Text(label), *_fields(judging.total))
        if len(judging.by_judge) > 1:
            for model, verdicts in judging.by_judge.items():
                table.add_row(Text(f"  {model}"), *_fields(verdicts))
    return table


def _fields(verdicts: Verdicts) -> list[str]:
    shares = map(with_interval, (verdicts.wins, verdicts.ties, verdicts.losses))
    steadiness = map(proportion, (verdicts.consistent, verdicts.first))
    return [*shares, *steadiness, _tokens(verdicts.usage), _cost(verdicts.usage)]


def _tokens(usage: Usage) -> str:
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return UNKNOWN
    return f"{usage.prompt_tokens + usage.completion_tokens}"


def _cost(usage: Usage) -> str:
    return UNKNOWN if usage.cost_usd is None else f"${usage.cost_usd:.2f}"
