"""The data of the overview: runs, samples, and a line of figures for each episode, from which pages count.

Episodes are columns of equal length, so that thousands of them are read at once. A task is what several runs may have
in common: scenario, sample, epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gitgoodbench.plugin_options import deciding_options
from gitgoodbench.reporting.cells import FORMER_TRAITS
from gitgoodbench.reporting.pages.reference import installed_scenarios, kinds_of, sizes
from gitgoodbench.reporting.pages.shown import Shown
from gitgoodbench.reporting.published import PublishedFigure, published_figures
from gitgoodbench.runs.costs import costs_of
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.underway import UnderWay
from gitgoodbench.scenario import Scenario
from gitgoodbench.text import one_line

Task = tuple[str, str, int]
_T_TABLE: Final = 100
"""Degrees of freedom up to which Student's t is a table; above, an expansion is exact to 1e-8."""


def overview_data(shown: Sequence[Shown]) -> dict[str, Any]:
    """All that the overview shows, and what the other pages filter by."""
    names = {result.scenario for each in shown for result in each.run.results}
    scenarios = installed_scenarios(names)
    tasks = _tasks(shown)
    facts = sizes(scenarios)
    groups = _groups(shown)
    return {
        "runs": [
            _run(each, scenarios, group, short)
            for each, group, short in zip(shown, groups, _short_names(shown), strict=True)
        ],
        "groups": max(groups, default=0) + 1,
        "scenarios": [_scenario(name, shown) for name in sorted(names)],
        "sizes": facts,
        "tasks": _task_columns(tasks, facts),
        "episodes": _episode_columns(shown, {task: number for number, task in enumerate(tasks)}),
        "published": [_published(figure) for figure in published_figures(names) if figure.scenario is not None],
        "t95": _t_table() if any(epoch > 1 for _, _, epoch in tasks) else [],
    }


def _tasks(shown: Sequence[Shown]) -> dict[Task, Result]:
    """Every task once, with the first result that knows most of its sample."""
    tasks: dict[Task, Result] = {}
    for each in shown:
        for result in each.run.results:
            known = tasks.get(result.key)
            if known is None or len(result.facts) > len(known.facts):
                tasks[result.key] = result
    return {key: tasks[key] for key in sorted(tasks)}


def _groups(shown: Sequence[Shown]) -> list[int]:
    """The runs by what they played: runs of one number have the same samples in each scenario that both play.

    A run with episodes left may lack some.
    """
    groups: list[list[Shown]] = []
    numbers = []
    for each in shown:
        number = next((i for i, group in enumerate(groups) if all(_same(each, other) for other in group)), len(groups))
        if number == len(groups):
            groups.append([])
        groups[number].append(each)
        numbers.append(number)
    return numbers


def _same(one: Shown, other: Shown) -> bool:
    if one.run.manifest.suite.fingerprint != other.run.manifest.suite.fingerprint:
        return False
    mine, theirs = _samples(one), _samples(other)
    return all(
        mine[name] == theirs[name]
        or (_unfinished(one) and mine[name] < theirs[name])
        or (_unfinished(other) and mine[name] > theirs[name])
        or (_unfinished(one) and _unfinished(other))
        for name in mine.keys() & theirs.keys()
    )


def _samples(shown: Shown) -> dict[str, set[str]]:
    samples: dict[str, set[str]] = {}
    for result in shown.run.results:
        samples.setdefault(result.scenario, set()).add(result.sample_id)
    return samples


def _unfinished(shown: Shown) -> bool:
    return len(shown.run.results) < shown.run.manifest.plan.episodes


def _short_names(shown: Sequence[Shown]) -> list[str]:
    """What runs are called where there is little room: the model, else the agent; the run's name where two share it."""
    usual = [str(each.run.manifest.agent.get("model") or each.run.manifest.agent["name"]) for each in shown]
    return [name if usual.count(name) == 1 else each.name for name, each in zip(usual, shown, strict=True)]


def _run(shown: Shown, scenarios: Mapping[str, Scenario], group: int, short: str) -> dict[str, Any]:
    manifest = shown.run.manifest
    total = shown.account.total()
    return {
        "name": shown.name,
        "who": shown.who,
        "short": short,
        "agent": str(manifest.agent["name"]),
        "model": manifest.agent.get("model"),
        "suite": manifest.suite.spec,
        "fingerprint": manifest.suite.fingerprint,
        "group": group,
        "tools": manifest.config.tools.value,
        "options": list(deciding_options(manifest.config.opt)),
        "sandbox": manifest.sandbox.get("kind"),
        "created": manifest.created,
        "version": manifest.gitgoodbench,
        "planned": manifest.plan.episodes,
        "done": len(shown.run.results),
        "running": UnderWay(shown.paths).worker() is not None,
        "kinds": kinds_of(str(manifest.agent["name"]), scenarios),
        "spent": {"cost": total.cost_usd, "unknown": total.unknown, "requests": total.requests},
    }


def _scenario(name: str, shown: Sequence[Shown]) -> dict[str, Any]:
    """traits: facts that are denominators, and the words for them, as the runs' manifests have them."""
    declared = [each.run.manifest.denominators.get(name, FORMER_TRAITS) for each in shown]
    return {"name": name, "traits": {fact: word for facts in declared for fact, word in facts.items()}}


def _task_columns(tasks: Mapping[Task, Result], sizes: Mapping[str, str]) -> dict[str, Any]:
    return {
        "scenario": [scenario for scenario, _, _ in tasks],
        "sample": [sample for _, sample, _ in tasks],
        "epoch": [epoch for _, _, epoch in tasks],
        "repository": [result.name for result in tasks.values()],
        "language": [result.language for result in tasks.values()],
        "difficulty": [result.difficulty for result in tasks.values()],
        "attainable": [result.attainable for result in tasks.values()],
        "sizes": {fact: [_count(result, fact) for result in tasks.values()] for fact in sizes},
    }


def _count(result: Result, fact: str) -> int | None:
    value = result.facts.get(fact)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _episode_columns(shown: Sequence[Shown], numbers: Mapping[Task, int]) -> dict[str, Any]:
    """Values of gates and scores stand in columns of their own, by name; an episode without one has null there."""
    every = [(number, each, result) for number, each in enumerate(shown) for result in each.run.results]
    results = [result for _, _, result in every]
    costs = [costs_of([result], each.account) for _, each, result in every]
    return {
        "run": [number for number, _, _ in every],
        "task": [numbers[result.key] for result in results],
        "key": [each.key(result) for _, each, result in every],
        "status": [result.status.value for result in results],
        "answer": [result.status.is_answer for result in results],
        "success": [result.success for result in results],
        "solved": [result.solved for result in results],
        "attainable": [result.attainable for result in results],
        "awaiting": [result.awaits_judge for result in results],
        "verdict": [None if result.judge is None else result.judge.verdict for result in results],
        "cost": [cost for cost, _ in costs],
        "unknown": [unknown for _, unknown in costs],
        "tokens": [_tokens(result) for result in results],
        "seconds": [result.timings.total_s for result in results],
        "turns": [result.turns for result in results],
        "error": [None if result.error is None else one_line(result.error.message, 200) for result in results],
        "gates": {name: [result.gates.get(name) for result in results] for name in _names(r.gates for r in results)},
        "scores": {name: [result.scores.get(name) for result in results] for name in _names(r.scores for r in results)},
        "traits": {fact: [_trait(result, fact) for result in results] for fact in _trait_facts(shown)},
    }


def _tokens(result: Result) -> int | None:
    usage = result.usage
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return usage.prompt_tokens + usage.completion_tokens


def _trait(result: Result, fact: str) -> bool | None:
    value = result.facts.get(fact)
    return value if isinstance(value, bool) else None


def _trait_facts(shown: Sequence[Shown]) -> list[str]:
    declared = (facts for each in shown for facts in each.run.manifest.denominators.values())
    return _names([*declared, FORMER_TRAITS])


def _names(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every key once, in the order of its first appearance."""
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def _published(figure: PublishedFigure) -> dict[str, Any]:
    return {
        "label": figure.label,
        "source": figure.source,
        "corpus": figure.corpus,
        "scenario": figure.scenario,
        "rows": figure.rows,
        "solved": figure.solved,
        "rate": figure.solve_rate,
    }


def _t_table() -> list[float]:
    """97.5 % quantiles of Student's t, from one degree of freedom on."""
    from scipy.special import stdtrit

    return [float(stdtrit(degrees, 0.975)) for degrees in range(1, _T_TABLE + 1)]
