"""The figures of some results: rates with their denominators, gates, means of scores, costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.errors import Status
from gitgoodbench.runs.result import Result
from gitgoodbench.scoring.statistics import Mean, Proportion, mean_of, median_of

TRAITS: Final = ("splittable", "attainable")
"""What is known of a sample before any agent sees it, and decides what can be reached with it at all."""


@dataclass(frozen=True)
class Cell:
    """The figures of some results.

    rows: results of any status. samples: different ones among them. traits: samples that have a trait of `TRAITS`, of
    those where that is known. success: ended without a system error, of all rows. The solve rates have several
    denominators: of_answers leaves out what was not the agent's doing (setup, infrastructure, unreadable judge);
    of_attainable keeps only those answers whose truth the published tools can reach, of_splittable those whose change
    can be divided; of_all counts every row, as published figures do, and thus every failure as not solved. None of them
    has the answers that would need a judge and had none: not_judged counts these. solved_paper: as the paper counts it,
    where known. gates: met, of the answers that have the gate; all_gates: every one met, of the answers that have any.
    scores: mean over the answers that have the score; attainable_scores: over the attainable ones of these. cost_usd:
    sum of the known costs, None when none is known; unknown_costs: results with requests to a model whose cost is not
    known. seconds: median of the whole episode.
    """

    rows: int
    samples: int
    traits: Mapping[str, Proportion]
    statuses: Mapping[Status, int]
    success: Proportion
    of_answers: Proportion
    of_attainable: Proportion
    of_splittable: Proportion
    of_all: Proportion
    solved_paper: Proportion
    answers: int
    not_judged: int
    gates: Mapping[str, Proportion]
    all_gates: Proportion
    scores: Mapping[str, Mean]
    attainable_scores: Mapping[str, Mean]
    cost_usd: float | None
    unknown_costs: int
    tokens: int | None
    seconds: float | None


def summarize_cell(results: Sequence[Result]) -> Cell:
    """The figures of any set of results."""
    answers = [result for result in results if result.status.is_answer]
    known = [result for result in answers if result.solved is not None]
    attainable = [result for result in answers if result.attainable]
    papers = [result for result in answers if result.solved_paper is not None]
    solved = sum(result.solved is True for result in answers)
    costs = [result.usage.cost_usd for result in results if result.usage.cost_usd is not None]
    return Cell(
        rows=len(results),
        samples=len({result.sample_id for result in results}),
        traits={name: trait for name in TRAITS if (trait := _trait(results, name)).total},
        statuses=Counter(result.status for result in results),
        success=Proportion(sum(result.success for result in results), len(results)),
        of_answers=Proportion(solved, len(known)),
        of_attainable=_solved([result for result in known if result.attainable]),
        of_splittable=_solved([result for result in known if result.facts.get("splittable") is True]),
        of_all=Proportion(solved, len(results) - (len(answers) - len(known))),
        solved_paper=Proportion(sum(result.solved_paper is True for result in papers), len(papers)),
        answers=len(answers),
        not_judged=len(answers) - len(known),
        gates={name: _gate(answers, name) for name in _gate_names(answers)},
        all_gates=Proportion(*_count([all(r.gates.values()) for r in answers if r.gates])),
        scores={name: _mean_score(answers, name) for name in _score_names(answers)},
        attainable_scores={name: _mean_score(attainable, name) for name in _score_names(attainable)},
        cost_usd=sum(costs) if costs else None,
        unknown_costs=sum(bool(result.usage.requests) and result.usage.cost_usd is None for result in results),
        tokens=_total_tokens(results),
        seconds=median_of([result.timings.total_s for result in results if result.timings.total_s is not None]),
    )


def _solved(results: Sequence[Result]) -> Proportion:
    return Proportion(sum(result.solved is True for result in results), len(results))


def _trait(results: Sequence[Result], name: str) -> Proportion:
    """Of different samples, so that epochs do not count."""
    values = {result.sample_id: result.facts[name] for result in results if isinstance(result.facts.get(name), bool)}
    return Proportion(sum(values.values()), len(values))


def _gate_names(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(name for result in results for name in result.gates))


def _gate(results: Sequence[Result], name: str) -> Proportion:
    return Proportion(*_count([result.gates[name] for result in results if name in result.gates]))


def _count(met: Sequence[bool]) -> tuple[int, int]:
    return sum(met), len(met)


def _score_names(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(name for result in results for name in result.scores))


def _mean_score(results: Sequence[Result], name: str) -> Mean:
    values = [result.scores.get(name) for result in results]
    return mean_of([value for value in values if value is not None])


def _total_tokens(results: Sequence[Result]) -> int | None:
    used = [
        result.usage.prompt_tokens + result.usage.completion_tokens
        for result in results
        if result.usage.prompt_tokens is not None and result.usage.completion_tokens is not None
    ]
    return sum(used) if used else None
