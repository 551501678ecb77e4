"""summary.json and summary.csv of a run: derived files, for scripts and spreadsheets."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Mapping, Sequence
from typing import Any

from gitgoodbench.files import write_atomically
from gitgoodbench.reporting.judging import Judging, Verdicts
from gitgoodbench.reporting.money import account_json
from gitgoodbench.reporting.summary import Cell, Failure, Figures, RunSummary
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import dump_json
from gitgoodbench.scoring.statistics import NOTHING, Mean, Proportion
from gitgoodbench.text import csv_cell

_PROPORTIONS = ("success", "of_answers", "of_attainable", "solved_paper", "all_gates")
_VERDICTS = ("wins", "ties", "losses", "consistent", "first")
_NONE = Proportion(0, 0)


def write_summary(paths: RunPaths, summary: RunSummary) -> None:
    """Write both files.

    Raises:
        OSError: the run folder cannot be written.
    """
    write_atomically(paths.summary_json, dump_json(summary_json(summary)))
    write_atomically(paths.summary_csv, summary_csv(summary).encode())


def summary_json(summary: RunSummary) -> dict[str, Any]:
    """The summary as JSON; rates in [0, 1], unknown is null."""
    return {
        "run_id": summary.run_id,
        "agent": summary.agent,
        "model": summary.model,
        "suite": summary.suite,
        "tools": summary.tools,
        "options": list(summary.options),
        "planned": summary.planned,
        "missing": summary.missing,
        "scored_by": dict(summary.scored_by),
        "account": account_json(summary.account),
        **_figures(summary.overall),
        "scenarios": {name: _figures(figures) for name, figures in summary.scenarios.items()},
        "failures": [_failure(failure) for failure in summary.failures],
    }


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "total": cell_json(figures.total),
        "by": {name: {value: cell_json(cell) for value, cell in cells.items()} for name, cells in figures.by.items()},
        "epochs": _mean(figures.epochs),
        "judging": None if figures.judging is None else _judging(figures.judging),
    }


def cell_json(cell: Cell) -> dict[str, Any]:
    """The figures of some results as JSON values."""
    return {
        "rows": cell.rows,
        "samples": cell.samples,
        "epochs": cell.epochs,
        "traits": {name: _proportion(figure) for name, figure in cell.traits.items()},
        "statuses": {status.value: count for status, count in sorted(cell.statuses.items())},
        **_proportions(cell, list(cell.of_traits)),
        "not_judged": cell.not_judged,
        "awaiting_judge": cell.awaiting,
        "pass_at_k": {str(k): _mean(mean) for k, mean in cell.pass_at.items()},
        "pass_hat_k": {str(k): _mean(mean) for k, mean in cell.pass_hat.items()},
        "gates": {name: _proportion(figure) for name, figure in cell.gates.items()},
        "edits": {name: _proportion(figure) for name, figure in cell.edits.items()},
        "scores": {name: _mean(mean) for name, mean in cell.scores.items()},
        "attainable_scores": {name: _mean(mean) for name, mean in cell.attainable_scores.items()},
        "cost_usd": cell.cost_usd,
        "unknown_costs": cell.unknown_costs,
        "tokens": cell.tokens,
        "median_seconds": cell.seconds,
    }


def _proportions(cell: Cell, traits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """`of_all` is of every row, also where its hits are not known. traits: words of `Cell.of_traits`."""
    figures = {name: _proportion(getattr(cell, name)) for name in _PROPORTIONS}
    figures |= {f"of_{word.replace(' ', '_')}": _proportion(cell.of_traits.get(word, _NONE)) for word in traits}
    of_all = _proportion(cell.of_all)
    if not cell.solved_is_known:
        of_all = {**dict.fromkeys(of_all), "total": cell.of_all.total}
    return figures | {"of_all": of_all}


def _proportion(proportion: Proportion) -> dict[str, Any]:
    low, high = proportion.interval or (None, None)
    return {
        "hits": proportion.hits,
        "total": proportion.total,
        "effective": proportion.total if proportion.effective is None else proportion.effective,
        "rate": proportion.rate,
        "wilson_95_low": low,
        "wilson_95_high": high,
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {"mean": mean.mean, "standard_error": mean.standard_error, "count": mean.count}


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "status": failure.status.value,
        "reason": failure.reason,
        "count": len(failure.episodes),
        "episodes": list(failure.episodes),
    }


def _judging(judging: Judging) -> dict[str, Any]:
    return {
        "total": _verdicts(judging.total),
        "by_judge": {model: _verdicts(verdicts) for model, verdicts in judging.by_judge.items()},
        "identical": judging.identical,
        "nothing": judging.nothing,
        "unsettled": judging.unsettled,
        "cut": judging.cut,
        "agreement": None if judging.agreement is None else dataclasses.asdict(judging.agreement),
        "own_work": list(judging.own_work),
    }


def _verdicts(verdicts: Verdicts) -> dict[str, Any]:
    figures = {name: _proportion(getattr(verdicts, name)) for name in _VERDICTS}
    return {**figures, "usage": dataclasses.asdict(verdicts.usage)}


def summary_csv(*summaries: RunSummary) -> str:
    """A line for every value of every dimension of each run: of all scenarios (field `scenario` empty), then of each.

    An unknown is an empty field. What judges said is in the lines of totals.
    """
    totals = [summary.total for summary in summaries]
    names = _Names(
        *(
            list(dict.fromkeys(name for total in totals for name in getattr(total, kind)))
            for kind in ("of_traits", "gates", "edits", "scores", "pass_at")
        )
    )
    lines = [
        line
        for summary in summaries
        for scenario, figures in {"": summary.overall, **summary.scenarios}.items()
        for line in _csv_lines(summary, scenario, figures, names)
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(csv_cell, lines[0]))
    writer.writerows(map(csv_cell, line.values()) for line in lines)
    return text.getvalue()


@dataclasses.dataclass(frozen=True)
class _Names:
    traits: list[str]
    gates: list[str]
    edits: list[str]
    scores: list[str]
    attempts: list[int]


_Line = Mapping[str, str | int | float | None]


def _csv_lines(summary: RunSummary, scenario: str, figures: Figures, names: _Names) -> list[_Line]:
    groups = [("total", "", figures.total, figures.judging)]
    groups += [
        (dimension, value, cell, None) for dimension, cells in figures.by.items() for value, cell in cells.items()
    ]
    return [
        {
            "run_id": summary.run_id,
            "agent": summary.agent,
            "model": summary.model,
            "scenario": scenario,
            "dimension": dimension,
            "value": value,
            **_csv_figures(cell, names),
            **_csv_judging(judging),
        }
        for dimension, value, cell, judging in groups
    ]


def _csv_figures(cell: Cell, names: _Names) -> _Line:
    line: dict[str, str | int | float | None] = {"rows": cell.rows, "not_judged": cell.not_judged}
    for name, figures in _proportions(cell, names.traits).items():
        line |= {f"{name}_{figure}": number for figure, number in figures.items()}
    for name, means in (("pass_at", cell.pass_at), ("pass_hat", cell.pass_hat)):
        for k in names.attempts:
            mean = means.get(k, NOTHING)
            line |= {f"{name}_{k}": mean.mean, f"{name}_{k}_samples": mean.count}
    line |= {f"gate_{name}": cell.gates[name].rate if name in cell.gates else None for name in names.gates}
    line |= {name: cell.edits[name].rate if name in cell.edits else None for name in names.edits}
    for suffix, scores in (("", cell.scores), ("_of_attainable", cell.attainable_scores)):
        line |= {f"{name}{suffix}": scores[name].mean if name in scores else None for name in names.scores}
    return line | {"cost_usd": cell.cost_usd, "tokens": cell.tokens, "median_seconds": cell.seconds}


def _csv_judging(judging: Judging | None) -> _Line:
    """The same fields, all of them empty, where nobody judged."""
    line: dict[str, str | int | float | None] = {}
    for name in _VERDICTS:
        figures = _proportion(_NONE if judging is None else getattr(judging.total, name))
        line |= {f"judge_{name}_{figure}": number for figure, number in figures.items()}
    agreement = None if judging is None else judging.agreement
    low, high = (None if agreement is None else agreement.interval) or (None, None)
    for name in ("unsettled", "cut"):
        line[f"judge_{name}"] = None if judging is None else getattr(judging, name)
    line |= {"kappa": None if agreement is None else agreement.kappa, "kappa_95_low": low, "kappa_95_high": high}
    return dict.fromkeys(line) if judging is None else line
