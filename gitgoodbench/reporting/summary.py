"""A run in numbers. Everything is derived from the result files, and can be derived again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.errors import Status
from gitgoodbench.plugin_options import deciding_options
from gitgoodbench.reporting.cells import FORMER_TRAITS
from gitgoodbench.reporting.cells import Cell as Cell
from gitgoodbench.reporting.cells import summarize_cell as summarize_cell
from gitgoodbench.reporting.judging import Judging, summarize_judging
from gitgoodbench.runs.account import NOTHING_SPENT, Account, read_account
from gitgoodbench.runs.manifest import Manifest, read_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Damaged, Result, examine
from gitgoodbench.scoring.statistics import Mean, mean_of

DIMENSIONS: Final[Mapping[str, Callable[[Result], str]]] = {
    "difficulty": lambda result: result.difficulty,
    "language": lambda result: result.language,
}
"""What the figures of each scenario are broken down by."""

_FIRST = {"easy": 0, "medium": 1, "hard": 2}


@dataclass(frozen=True)
class Figures:
    """Of some results of one run: all together, and broken down: dimension -> value -> cell.

    epochs: the solve rate (of answers), mean and error over epochs. judging: None where nobody judged.
    """

    total: Cell
    by: Mapping[str, Mapping[str, Cell]]
    epochs: Mean
    judging: Judging | None


@dataclass(frozen=True)
class Failure:
    """Why some episodes are no answers: a status, a reason, and which episodes."""

    status: Status
    reason: str
    episodes: tuple[str, ...]


@dataclass(frozen=True)
class RunSummary:
    """One run. scenarios: the figures of each, by name. missing: episodes not run yet.

    options: of plug-ins, where they decide results and are not the default. judged: the scenarios that need a judge.
    scored_by: the rules that results were scored by, in words -> how many.
    """

    run_id: str
    agent: str
    model: str | None
    suite: str
    tools: str
    options: tuple[str, ...]
    planned: int
    missing: int
    overall: Figures
    scenarios: Mapping[str, Figures]
    failures: Sequence[Failure]
    judged: tuple[str, ...]
    scored_by: Mapping[str, int]
    account: Account = NOTHING_SPENT

    @property
    def total(self) -> Cell:
        return self.overall.total

    @property
    def label(self) -> str:
        return self.agent if self.model is None else f"{self.agent} ({self.model})"


def varying_dimensions(summaries: Sequence[RunSummary]) -> list[str]:
    """The dimensions in which the runs have more than one value, so that a breakdown says more than the whole."""
    return [
        name for name in DIMENSIONS if len({value for summary in summaries for value in summary.overall.by[name]}) > 1
    ]


def read_run(
    folder: RunPaths, *, details: bool = True, damaged: Callable[[Damaged], object] = lambda _: None
) -> tuple[Manifest, tuple[Result, ...]]:
    """The manifest and all whole results of a run; copies that lie elsewhere than an episode's result do not count.

    Args:
        details: whether results have theirs, which are most of their memory. damaged: hears of results that cannot be
            read.

    Raises:
        UserError: the folder is not a run's.
    """
    manifest, own = read_manifest(folder), []
    for path in folder.result_files():
        result = examine(path)
        if isinstance(result, Damaged):
            damaged(result)
        elif result is not None and folder.episode(*result.key).result == path:
            own.append(result if details else result.model_copy(update={"details": None}))
    return manifest, tuple(own)


def account_of(folder: RunPaths) -> Account:
    """What the ledger of a run holds; nothing where it has none, or none that can be read."""
    try:
        return read_account(folder.ledger)
    except OSError:
        return NOTHING_SPENT


def summarize(manifest: Manifest, results: Sequence[Result], account: Account = NOTHING_SPENT) -> RunSummary:
    """The figures of a run. account: what its ledger holds."""
    model = manifest.agent.get("model")
    return RunSummary(
        run_id=manifest.run_id,
        agent=str(manifest.agent["name"]),
        model=None if model is None else str(model),
        suite=manifest.suite.spec,
        tools=manifest.config.tools.value,
        options=deciding_options(manifest.config.opt),
        planned=manifest.plan.episodes,
        missing=max(0, manifest.plan.episodes - len(results)),
        overall=_figures(results, _traits(manifest), account),
        scenarios={
            name: _figures([result for result in results if result.scenario == name], _traits(manifest, name), account)
            for name in sorted({result.scenario for result in results})
        },
        failures=_failures(results),
        judged=tuple(sorted({result.scenario for result in results if _needs_judge(result)})),
        account=account,
        scored_by=dict(sorted(Counter(_rules(result) for result in results if result.gates or result.scores).items())),
    )


def _rules(result: Result) -> str:
    return ", ".join(f"{name} {rule}" for name, rule in result.scored_by.items()) or "unknown rules of before"


def _traits(manifest: Manifest, scenario: str | None = None) -> Mapping[str, str]:
    """The facts that figures are counted by, and the words for them: those of a scenario, or of all."""
    declared = manifest.denominators
    if scenario is not None:
        return declared.get(scenario, FORMER_TRAITS)
    return {fact: word for facts in declared.values() for fact, word in facts.items()} or FORMER_TRAITS


def _figures(results: Sequence[Result], traits: Mapping[str, str], account: Account) -> Figures:
    by = {name: _broken_down(results, value_of, traits, account) for name, value_of in DIMENSIONS.items()}
    return Figures(summarize_cell(results, traits, account), by, _over_epochs(results), summarize_judging(results))


def _needs_judge(result: Result) -> bool:
    return result.judge is not None or (result.status.is_answer and result.solved is None)


def _broken_down(
    results: Sequence[Result], value_of: Callable[[Result], str], traits: Mapping[str, str], account: Account
) -> dict[str, Cell]:
    values = sorted({value_of(result) for result in results}, key=lambda value: (_FIRST.get(value, 9), value))
    return {
        value: summarize_cell([result for result in results if value_of(result) == value], traits, account)
        for value in values
    }


def _over_epochs(results: Sequence[Result]) -> Mean:
    """Mean and standard error of the epochs' solve rates; an epoch without an answer has none."""
    epochs = sorted({result.epoch for result in results})
    rates = [summarize_cell([r for r in results if r.epoch == epoch]).of_answers.rate for epoch in epochs]
    return mean_of([rate for rate in rates if rate is not None])


def _failures(results: Sequence[Result]) -> list[Failure]:
    """Episodes that are no answers, by reason, the most frequent first."""
    groups: dict[tuple[Status, str], list[str]] = {}
    for result in results:
        if not result.status.is_answer:
            reason = "no reason given" if result.error is None else result.error.message
            groups.setdefault((result.status, reason), []).append("/".join(map(str, result.key)))
    failures = [Failure(status, reason, tuple(episodes)) for (status, reason), episodes in groups.items()]
    return sorted(failures, key=lambda failure: (failure.status, -len(failure.episodes), failure.reason))
