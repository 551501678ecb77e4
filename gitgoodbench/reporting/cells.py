"""The figures of some results: rates with their denominators, gates, means of scores, costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.errors import Status
from gitgoodbench.runs.account import NOTHING_SPENT, Account
from gitgoodbench.runs.costs import costs_of
from gitgoodbench.runs.result import Result
from gitgoodbench.scoring import chain_edits
from gitgoodbench.scoring.repeats import Attempts, pass_at_k, pass_hat_k
from gitgoodbench.scoring.statistics import Mean, Proportion, clustered_mean, median_of, proportion_of

ATTAINABLE: Final = "attainable"
"""The fact that decides what the tools can reach: it has figures of its own."""

FORMER_TRAITS: Final[Mapping[str, str]] = {"splittable": "splittable", "attainable": "attainable"}
"""Those of runs whose manifest does not say."""


@dataclass(frozen=True)
class Cell:
    """The figures of some results. Rates and means take the epochs of one sample as a cluster (scoring/statistics.py).

    rows: results of any status. samples: different ones among them. epochs: the highest epoch among them. traits:
    samples that have a trait, by its word (`Manifest.denominators`), of those where that is known. success: ended
    without a system error, of all rows. The solve rates have several denominators: of_answers leaves out what was
    not the agent's doing (setup, infrastructure, unreadable judge) and what would need a judge and had none;
    of_attainable keeps only the answers to attainable samples, of_traits those that have another trait, by its
    word; of_all counts every row, as published figures do, and thus every failure as not solved. not_judged:
    answers that would need a judge and had none. awaiting: rows whose judge has not answered yet. solved_paper: as
    the paper counts it, where known. pass_at, pass_hat: k -> pass@k and pass^k, for every k up to `epochs`, of the
    answers known to be solved or not. gates: met, of the answers that have the gate; all_gates: every one met, of
    the answers that have any. edits: facts of `chain_edits`, of the answers where they are known. scores: mean over
    the answers that have the score; attainable_scores: over the attainable ones of these. cost_usd: of the
    agent, all attempts included, None when nothing is known; unknown_costs: results with requests to a model whose cost
    is not known.
    seconds: median of whole episodes.
    """

    rows: int
    samples: int
    epochs: int
    traits: Mapping[str, Proportion]
    statuses: Mapping[Status, int]
    success: Proportion
    of_answers: Proportion
    of_attainable: Proportion
    of_traits: Mapping[str, Proportion]
    of_all: Proportion
    solved_paper: Proportion
    answers: int
    not_judged: int
    awaiting: int
    pass_at: Mapping[int, Mean]
    pass_hat: Mapping[int, Mean]
    gates: Mapping[str, Proportion]
    all_gates: Proportion
    edits: Mapping[str, Proportion]
    scores: Mapping[str, Mean]
    attainable_scores: Mapping[str, Mean]
    cost_usd: float | None
    unknown_costs: int
    tokens: int | None
    seconds: float | None

    @property
    def solved_is_known(self) -> bool:
        """Whether anything says how much is solved: not where every answer still needs a judge."""
        return bool(self.of_answers.total) or not (self.not_judged or self.awaiting)


def summarize_cell(
    results: Sequence[Result], traits: Mapping[str, str] = FORMER_TRAITS, account: Account = NOTHING_SPENT
) -> Cell:
    """The figures of any set of results. traits: facts that are denominators, and the words for them. account: what was
    spent on them."""
    answers = [result for result in results if result.status.is_answer]
    known = [result for result in answers if result.solved is not None]
    attainable = [result for result in answers if result.attainable]
    papers = [result for result in answers if result.solved_paper is not None]
    cost, unknown_costs = costs_of(results, account)
    attempts, epochs = _attempts(known), max((result.epoch for result in results), default=0)
    return Cell(
        rows=len(results),
        samples=len({result.sample_id for result in results}),
        epochs=epochs,
        traits={word: trait for name, word in traits.items() if (trait := _trait(results, name)).total},
        statuses=Counter(result.status for result in results),
        success=_share(results, lambda result: result.success),
        of_answers=_share(known, _is_solved),
        of_attainable=_share([result for result in known if result.attainable], _is_solved),
        of_traits={
            word: share
            for name, word in traits.items()
            if name != ATTAINABLE
            and (share := _share([result for result in known if result.facts.get(name) is True], _is_solved)).total
        },
        of_all=_share(results, lambda result: result.status.is_answer and _is_solved(result)),
        solved_paper=_share(papers, lambda result: result.solved_paper is True),
        answers=len(answers),
        not_judged=len(answers) - len(known),
        awaiting=sum(result.awaits_judge for result in results),
        pass_at={k: pass_at_k(attempts, k) for k in range(1, epochs + 1)},
        pass_hat={k: pass_hat_k(attempts, k) for k in range(1, epochs + 1)},
        gates={name: _gate(answers, name) for name in _gate_names(answers)},
        all_gates=_share([result for result in answers if result.gates], lambda result: all(result.gates.values())),
        edits={name: edit for name in chain_edits.FACTS if (edit := _edit(answers, name)).total},
        scores={name: _mean_score(answers, name) for name in _score_names(answers)},
        attainable_scores={name: _mean_score(attainable, name) for name in _score_names(attainable)},
        cost_usd=cost,
        unknown_costs=unknown_costs,
        tokens=_total_tokens(results),
        seconds=median_of([result.timings.total_s for result in results if result.timings.total_s is not None]),
    )


def _is_solved(result: Result) -> bool:
    return result.solved is True


def _share(results: Sequence[Result], holds: Callable[[Result], bool]) -> Proportion:
    return proportion_of((result.sample_id, holds(result)) for result in results)


def _attempts(results: Sequence[Result]) -> list[Attempts]:
    """One for each sample and scenario."""
    answers = Counter((result.scenario, result.sample_id) for result in results)
    solved = Counter((result.scenario, result.sample_id) for result in results if _is_solved(result))
    return [Attempts(solved[scenario], count) for scenario, count in answers.items()]


def _trait(results: Sequence[Result], name: str) -> Proportion:
    """Of different samples, so that epochs do not count."""
    values = {result.sample_id: result.facts[name] for result in results if isinstance(result.facts.get(name), bool)}
    return Proportion(sum(values.values()), len(values))


def _gate_names(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(name for result in results for name in result.gates))


def _gate(results: Sequence[Result], name: str) -> Proportion:
    return _share([result for result in results if name in result.gates], lambda result: result.gates[name])


def _edit(results: Sequence[Result], name: str) -> Proportion:
    known = [result for result in results if isinstance(result.facts.get(name), bool)]
    return _share(known, lambda result: result.facts[name] is True)


def _score_names(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(name for result in results for name in result.scores))


def _mean_score(results: Sequence[Result], name: str) -> Mean:
    values = ((result.sample_id, result.scores.get(name)) for result in results)
    return clustered_mean((sample, value) for sample, value in values if value is not None)


def _total_tokens(results: Sequence[Result]) -> int | None:
    used = [
        result.usage.prompt_tokens + result.usage.completion_tokens
        for result in results
        if result.usage.prompt_tokens is not None and result.usage.completion_tokens is not None
    ]
    return sum(used) if used else None
