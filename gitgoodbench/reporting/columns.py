"""The columns of the report: a header, and the field of a run and of a published figure below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.reporting.layout import UNKNOWN, percent, proportion, two_lines, with_interval
from gitgoodbench.reporting.published import PublishedFigure
from gitgoodbench.reporting.summary import Cell, Figures
from gitgoodbench.scoring.history_scores import AGAINST_THE_TRUTH
from gitgoodbench.scoring.statistics import Mean, Proportion

REPEATING_SOLVED: Final = frozenset({"exact_match"})
"""Scores that repeat what `solved` says."""

_FIRST_K = 4
"""Up to here every k of pass@k has a column; then powers of two and the last do."""


@dataclass(frozen=True)
class Column:
    """of_run: the field of a run, from its figures of one scenario or of all."""

    header: str
    of_run: Callable[[Figures], str]
    of_published: Callable[[PublishedFigure], str] = lambda _: UNKNOWN


def solve_columns(every: Sequence[Figures]) -> list[Column]:
    """Success, and solved in each of the denominators that say anything here."""
    columns = [_SUCCESS]
    if any(figures.total.of_attainable.total for figures in every):
        columns.append(Column("of attainable", lambda figures: with_interval(figures.total.of_attainable)))
    for word in dict.fromkeys(word for figures in every for word in figures.total.of_traits):
        columns.append(_trait_column(word))
    columns += [
        Column("of answers [95 %]", lambda figures: with_interval(figures.total.of_answers)),
        Column("of all", lambda figures: _of_all(figures.total), _published_rate),
    ]
    return columns


def epoch_columns(every: Sequence[Figures]) -> list[Column]:
    """The solve rate over epochs, pass@k and pass^k; nothing where no sample was answered twice."""
    answered = {k for figures in every for k, mean in figures.total.pass_at.items() if mean.count}
    shown = [k for k in sorted(answered) if k <= _FIRST_K or k == max(answered) or k.bit_count() == 1]
    if len(shown) < 2:
        return []
    columns = [Column("mean of epochs\n+- std. error", lambda figures: _epochs(figures.epochs))]
    columns += [_repeats_column(f"pass@{k}", k, lambda cell: cell.pass_at) for k in shown]
    return columns + [_repeats_column(f"pass^{k}", k, lambda cell: cell.pass_hat) for k in shown[1:]]


def unsettled_columns() -> list[Column]:
    """Success, and the gates, where nothing is known of solved."""
    return [_SUCCESS, Column("all gates met [95 %]", lambda figures: with_interval(figures.total.all_gates))]


def effort_columns(every: Sequence[Figures]) -> list[Column]:
    """Cost, where there is any, and time."""
    columns = []
    if any(figures.total.cost_usd or figures.total.unknown_costs for figures in every):
        columns.append(Column("cost", lambda figures: cost(figures.total), _nothing))
    return [*columns, Column("s/episode", lambda figures: _seconds(figures.total), _nothing)]


def gate_columns(every: Sequence[Figures]) -> list[Column]:
    """All gates together, then each."""
    names = dict.fromkeys(name for figures in every for name in figures.total.gates)
    together = Column("all\ngates", lambda figures: _count(figures.total, None))
    return [together, *(_gate_column(name) for name in names)] if names else []


def edit_columns(every: Sequence[Figures]) -> list[Column]:
    """What was done to the commits of chains."""
    return [_edit_column(name) for name in dict.fromkeys(name for figures in every for name in figures.total.edits)]


def score_columns(every: Sequence[Figures]) -> list[Column]:
    """The mean of each score that some run has.

    Scores against the truth come first, each with its mean over attainable samples.
    """
    names = dict.fromkeys(name for figures in every for name, mean in figures.total.scores.items() if mean.count)
    shown = [name for name in names if name not in REPEATING_SOLVED]
    columns: list[Column] = []
    for name in sorted(shown, key=lambda name: name not in AGAINST_THE_TRUTH):
        columns.append(_score_column(name))
        if name in AGAINST_THE_TRUTH and any(name in figures.total.attainable_scores for figures in every):
            columns.append(_attainable_column(name))
    return columns


def cost(cell: Cell) -> str:
    """US dollars; `>=` where the cost of some results is not known."""
    if cell.cost_usd is None:
        return UNKNOWN
    return f"{'>= ' if cell.unknown_costs else ''}${cell.cost_usd:.2f}"


_SUCCESS = Column(
    "success", lambda figures: proportion(figures.total.success), lambda figure: percent(figure.success_rate)
)


def _trait_column(word: str) -> Column:
    return Column(f"of {word}", lambda figures: with_interval(figures.total.of_traits.get(word, Proportion(0, 0))))


def _of_all(cell: Cell) -> str:
    return proportion(cell.of_all) if cell.solved_is_known else UNKNOWN


def _gate_column(name: str) -> Column:
    return Column(two_lines(name), lambda figures: _count(figures.total, name))


def _edit_column(name: str) -> Column:
    return Column(two_lines(name), lambda figures: _of(figures.total.edits.get(name)))


def _count(cell: Cell, gate: str | None) -> str:
    return _of(cell.all_gates if gate is None else cell.gates.get(gate))


def _of(figure: Proportion | None) -> str:
    return UNKNOWN if figure is None or not figure.total else f"{figure.hits}/{figure.total}"


def _score_column(name: str) -> Column:
    return Column(two_lines(name), lambda figures: _mean(figures.total.scores.get(name), figures.total.answers))


def _attainable_column(name: str) -> Column:
    return Column(f"{two_lines(name)}\nof attainable", lambda figures: _of_attainable(figures.total, name))


def _of_attainable(cell: Cell, name: str) -> str:
    mean = cell.attainable_scores.get(name)
    return UNKNOWN if mean is None or mean.mean is None else f"{percent(mean.mean)} ({mean.count})"


def _mean(mean: Mean | None, whole: int) -> str:
    """The mean, with the number of its values where that is not the whole."""
    if mean is None or mean.mean is None:
        return UNKNOWN
    return percent(mean.mean) + ("" if mean.count == whole else f" ({mean.count})")


def _repeats_column(header: str, k: int, means: Callable[[Cell], Mapping[int, Mean]]) -> Column:
    """Of the samples with k answers, which may be fewer than those with one."""
    return Column(header, lambda figures: _of_k(means(figures.total), k))


def _of_k(means: Mapping[int, Mean], k: int) -> str:
    return _mean(means.get(k), means[1].count) if means else UNKNOWN


def _seconds(cell: Cell) -> str:
    return UNKNOWN if cell.seconds is None else f"{cell.seconds:.2f}"


def _epochs(mean: Mean) -> str:
    if mean.mean is None:
        return UNKNOWN
    error = "" if mean.standard_error is None else f" +- {100 * mean.standard_error:.1f}"
    return f"{percent(mean.mean)}{error} ({mean.count})"


def _nothing(_: PublishedFigure) -> str:
    return ""


def _published_rate(figure: PublishedFigure) -> str:
    rate = percent(figure.solve_rate)
    solved = rate if figure.solved is None else f"{figure.solved}/{figure.rows} {rate}"
    return solved + ("" if figure.standard_error is None else f" +- {100 * figure.standard_error:.1f}")
