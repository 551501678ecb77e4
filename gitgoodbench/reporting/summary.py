"""A run in numbers. Everything is derived from the result files, and can be derived again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gitgoodbench.errors import Status
from gitgoodbench.reporting.judging import Judging, summarize_judging
from gitgoodbench.runs.manifest import Manifest, read_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result, read_result
from gitgoodbench.scoring.statistics import Mean, Proportion, mean_of, median_of

DIMENSIONS: Mapping[str, Callable[[Result], str]] = {
    "scenario": lambda result: result.scenario,
    "difficulty": lambda result: result.difficulty,
    "language": lambda result: result.language,
}
"""What solve rates are broken down by."""

_FIRST = {"easy": 0, "medium": 1, "hard": 2}


@dataclass(frozen=True)
class Cell:
    """The figures of some results.

    rows: results of any status. success: ended without a system error, of all rows. The solve rates have three
    denominators: of_answers leaves out what was not the agent's doing (setup, infrastructure, unreadable judge);
    of_attainable keeps only those answers whose truth the published tools can reach; of_all counts every row, as
    published figures do, and thus every failure as not solved. None of them has the answers that would need a judge
    and had none: not_judged counts these. solved_paper: as the paper counts it, where known. gates: met, of the answers
    that have the gate; all_gates: every one met, of the answers that have any.
    scores: mean over the answers that have the score. cost_usd: sum of the known costs, None when none is known;
    unknown_costs: results with requests to a model whose cost is not known. seconds: median of the whole episode.
    """

    rows: int
    statuses: Mapping[Status, int]
    success: Proportion
    of_answers: Proportion
    of_attainable: Proportion
    of_all: Proportion
    solved_paper: Proportion
    not_judged: int
    gates: Mapping[str, Proportion]
    all_gates: Proportion
    scores: Mapping[str, Mean]
    cost_usd: float | None
    unknown_costs: int
    tokens: int | None
    seconds: float | None


@dataclass(frozen=True)
class Failure:
    """Why some episodes say nothing of the agent: a status, a reason, and which episodes."""

    status: Status
    reason: str
    episodes: tuple[str, ...]


@dataclass(frozen=True)
class RunSummary:
    """One run. epochs: the solve rate (of answers), mean and error over epochs. missing: episodes not run yet.

    judging: None where nobody judged. judged: the scenarios that need a judge.
    """

    run_id: str
    agent: str
    model: str | None
    suite: str
    tools: str
    planned: int
    missing: int
    total: Cell
    by: Mapping[str, Mapping[str, Cell]]
    epochs: Mean
    failures: Sequence[Failure]
    judging: Judging | None
    judged: tuple[str, ...]

    @property
    def label(self) -> str:
        return self.agent if self.model is None else f"{self.agent} ({self.model})"


def telling_dimensions(summaries: Sequence[RunSummary]) -> list[str]:
    """The dimensions in which the runs have more than one value, so that a breakdown says more than the whole."""
    return [name for name in DIMENSIONS if len({value for summary in summaries for value in summary.by[name]}) > 1]


def read_run(folder: RunPaths) -> tuple[Manifest, tuple[Result, ...]]:
    """The manifest and all whole results of a run; copies that lie elsewhere than an episode's result do not count.

    Raises:
        UserError: the folder is not a run's.
    """
    manifest = read_manifest(folder)
    results = ((path, read_result(path)) for path in folder.result_files())
    own = (result for path, result in results if result is not None and folder.episode(*result.key).result == path)
    return manifest, tuple(own)


def summarize(manifest: Manifest, results: Sequence[Result]) -> RunSummary:
    """The figures of a run."""
    model = manifest.agent.get("model")
    return RunSummary(
        run_id=manifest.run_id,
        agent=str(manifest.agent["name"]),
        model=None if model is None else str(model),
        suite=manifest.suite.spec,
        tools=manifest.config.tools.value,
        planned=manifest.plan.episodes,
        missing=max(0, manifest.plan.episodes - len(results)),
        total=summarize_cell(results),
        by={dimension: _broken_down(results, value_of) for dimension, value_of in DIMENSIONS.items()},
        epochs=_over_epochs(results),
        failures=_failures(results),
        judging=summarize_judging(results),
        judged=tuple(sorted({result.scenario for result in results if _needs_judge(result)})),
    )


def summarize_cell(results: Sequence[Result]) -> Cell:
    """The figures of any set of results."""
    answers = [result for result in results if result.status.is_answer]
    known = [result for result in answers if result.solved is not None]
    attainable = [result for result in known if result.attainable]
    papers = [result for result in answers if result.solved_paper is not None]
    solved = sum(result.solved is True for result in answers)
    costs = [result.usage.cost_usd for result in results if result.usage.cost_usd is not None]
    return Cell(
        rows=len(results),
        statuses=Counter(result.status for result in results),
        success=Proportion(sum(result.success for result in results), len(results)),
        of_answers=Proportion(solved, len(known)),
        of_attainable=Proportion(sum(result.solved is True for result in attainable), len(attainable)),
        of_all=Proportion(solved, len(results) - (len(answers) - len(known))),
        solved_paper=Proportion(sum(result.solved_paper is True for result in papers), len(papers)),
        not_judged=len(answers) - len(known),
        gates={name: _gate(answers, name) for name in _gate_names(answers)},
        all_gates=Proportion(*_count([all(r.gates.values()) for r in answers if r.gates])),
        scores={name: _mean_score(answers, name) for name in _score_names(answers)},
        cost_usd=sum(costs) if costs else None,
        unknown_costs=sum(bool(result.usage.requests) and result.usage.cost_usd is None for result in results),
        tokens=_total_tokens(results),
        seconds=median_of([result.timings.total_s for result in results if result.timings.total_s is not None]),
    )


def _needs_judge(result: Result) -> bool:
    return result.judge is not None or (result.status.is_answer and result.solved is None)


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


def _broken_down(results: Sequence[Result], value_of: Callable[[Result], str]) -> dict[str, Cell]:
    values = sorted({value_of(result) for result in results}, key=lambda value: (_FIRST.get(value, 9), value))
    return {value: summarize_cell([result for result in results if value_of(result) == value]) for value in values}


def _over_epochs(results: Sequence[Result]) -> Mean:
    """Mean and standard error of the epochs' solve rates; an epoch without an answer has none."""
    epochs = sorted({result.epoch for result in results})
    rates = [summarize_cell([r for r in results if r.epoch == epoch]).of_answers.rate for epoch in epochs]
    return mean_of([rate for rate in rates if rate is not None])


def _failures(results: Sequence[Result]) -> list[Failure]:
    """What is in no solve rate, by reason, the most frequent first."""
    groups: dict[tuple[Status, str], list[str]] = {}
    for result in results:
        if not result.status.is_answer:
            reason = "no reason given" if result.error is None else result.error.message
            groups.setdefault((result.status, reason), []).append("/".join(map(str, result.key)))
    failures = [Failure(status, reason, tuple(episodes)) for (status, reason), episodes in groups.items()]
    return sorted(failures, key=lambda failure: (failure.status, -len(failure.episodes), failure.reason))
