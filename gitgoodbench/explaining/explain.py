"""The explanation of runs, scenario by scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gitgoodbench.errors import UserError
from gitgoodbench.explaining.analysis import LEAST_CASES, Explanation, explain
from gitgoodbench.explaining.features import SOLVED, PlayedRun, cases_of
from gitgoodbench.explaining.labels import Relabelled, relabel


@dataclass(frozen=True)
class ExplainedScenario:
    """One scenario. others: samples that not every run has an answer to; they are left out."""

    scenario: str
    outcome: str
    mean: float
    others: int
    explanation: Explanation
    difficulty: Relabelled | None


@dataclass(frozen=True)
class ExplanationFile:
    """What `gitgoodbench report --explain --format json` prints. too_few: scenarios with fewer than 20 samples, and how
    many they have."""

    format: Literal[1]
    runs: Sequence[str]
    scenarios: Sequence[ExplainedScenario]
    too_few: dict[str, int]


def explain_runs(runs: Sequence[PlayedRun], outcome: str = SOLVED) -> ExplanationFile:
    """What goes with success in these runs.

    Raises:
        UserError: no scenario has enough samples, a run is named twice, or no answer has such a score.
    """
    _check(runs, outcome)
    found, too_few = [], {}
    for scenario in sorted({result.scenario for run in runs for result in run.results}):
        cases, others = cases_of(runs, scenario, outcome)
        if len(cases) < LEAST_CASES:
            too_few[scenario] = len(cases)
            continue
        explanation = explain(cases)
        published = {result.sample_id: result.difficulty for run in runs for result in run.results}
        found.append(
            ExplainedScenario(
                scenario=scenario,
                outcome=outcome,
                mean=sum(case.outcome for case in cases) / len(cases),
                others=others,
                explanation=explanation,
                difficulty=relabel(cases, published, explanation.predictions),
            )
        )
    if not found:
        told = ", ".join(f"{count} of {name}" for name, count in too_few.items()) or "none"
        raise UserError(
            f"too few samples whose {outcome} is known in every run of the scenario ({told}): at least {LEAST_CASES} "
            "of a scenario are needed; where a judge was not asked, give --outcome SCORE"
        )
    return ExplanationFile(1, [run.id for run in runs], found, too_few)


def _check(runs: Sequence[PlayedRun], outcome: str) -> None:
    for name, count in Counter(run.id for run in runs).items():
        if count > 1:
            raise UserError(f"run {name} is named {count} times: name it once")
    scores = sorted({name for run in runs for result in run.results for name in result.scores})
    if outcome != SOLVED and outcome not in scores:
        raise UserError(f"no answer of these runs has a score {outcome!r}: choose {', '.join([SOLVED, *scores])}")
