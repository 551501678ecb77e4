"""A run of predictions: the agent that has made them elsewhere, and their copy in the folder of the run.

A wrong file is refused: no JSON, an unknown sample, two predictions of one episode. A prediction that cannot be applied
is the agent's failure. A sample that has none counts as not answered: its agent gave up.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import AgentFailed, GitGoodBenchError, Status, UserError
from gitgoodbench.files import make_durably, write_atomically
from gitgoodbench.models.meter import Budget
from gitgoodbench.runs.inputs import Inputs
from gitgoodbench.runs.manifest import read_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.prediction_lines import Line, Unusable, prediction_of, read_lines, trajectory_of
from gitgoodbench.scenario import Episode, Outcome, PredictedScenario, Prediction, RepositoryStore, Scenario
from gitgoodbench.text import did_you_mean

_NONE: Final = "no prediction was given"
_EPISODES, _GIVEN = "episodes", "given"


class PredictedAgent:
    """An `agents.base.AbsentAgent`: what it left is in a file of predictions.

    Args:
        only_given: the run has the episodes that there are predictions for, and no others.
    """

    def __init__(self, name: str, lines: Mapping[tuple[str, str], Line], *, only_given: bool = False) -> None:
        models = {line.model for line in lines.values()}
        self.name = name
        self.model = models.pop() if len(models) == 1 else None
        self._lines = lines
        self._only_given = only_given
        self.pins = {"predictions": hashlib.sha256(self.saved()).hexdigest()}
        if only_given:
            self.pins[_EPISODES] = _GIVEN

    def inputs_of(self, inputs: Inputs) -> Inputs:
        """What its run plays, of what was chosen.

        Raises:
            UserError: nothing is left.
        """
        if not self._only_given:
            return inputs
        planned = tuple(episode for episode in inputs.planned if episode.key[:2] in self._lines)
        if not planned:
            raise UserError(f"{self.name} has no answer to any of the {len(inputs.planned)} episodes that were chosen")
        used = {episode.scenario for episode in planned}
        scenarios = {name: scenario for name, scenario in inputs.scenarios.items() if name in used}
        return replace(inputs, scenarios=scenarios, planned=planned)

    def for_scenario(self, scenario: str) -> Self:  # noqa: ARG002
        return self

    def run(self, episode: Episode, budget: Budget) -> Trajectory:  # noqa: ARG002
        raise AgentFailed(f"{self.name} has worked elsewhere")

    def saved(self) -> bytes:
        """All predictions, as lines that say for which scenario they are."""
        lines = [
            json.dumps({**line.fields, "sample_id": sample_id, "scenario": scenario})
            for (scenario, sample_id), line in sorted(self._lines.items())
        ]
        return "".join(f"{line}\n" for line in lines).encode("ascii")

    def left(self, sample: Sample, scenario: Scenario, store: RepositoryStore) -> tuple[Outcome, Trajectory | None]:
        """See `AbsentAgent.left`."""
        line = self._lines.get((scenario.name, sample.id))
        if line is None:
            nothing = _outcome(Prediction(), sample, scenario, store)
            return replace(nothing, agent_status=Status.GAVE_UP, agent_error=_NONE), None
        try:
            predicted = prediction_of(line.fields)
            outcome = predicted if isinstance(predicted, Outcome) else _outcome(predicted, sample, scenario, store)
        except (Unusable, AgentFailed) as problem:
            outcome = Outcome(None, None, problem=str(problem))
        return outcome, trajectory_of(line, outcome)


def _outcome(prediction: Prediction, sample: Sample, scenario: Scenario, store: RepositoryStore) -> Outcome:
    if not isinstance(scenario, PredictedScenario):
        raise GitGoodBenchError(f"the scenario {scenario.name} does not say what a prediction is")
    return scenario.predicted(sample, store, prediction)


def check_scenarios(lines: Sequence[Line], installed: Mapping[str, Scenario]) -> None:
    """See that the scenarios that predictions name can be scored so.

    Raises:
        UserError: one is not installed, or does not say what a prediction is.
    """
    for line in lines:
        if line.scenario is None:
            continue
        if line.scenario not in installed:
            known = ", ".join(sorted(installed))
            raise UserError(f"{line.place}: there is no scenario {line.scenario!r}; installed are: {known}")
        if not isinstance(installed[line.scenario], PredictedScenario):
            raise UserError(f"{line.place}: the scenario {line.scenario} does not say what a prediction is")


def assign(lines: Iterable[Line], episodes: Sequence[PlannedEpisode]) -> dict[tuple[str, str], Line]:
    """The predictions by scenario and sample.

    Args:
        episodes: all that there are, before any selection.

    Raises:
        UserError: a sample is unknown, an episode has two predictions, or nobody says for which scenario one is.
    """
    scenarios: dict[str, list[str]] = {}
    for episode in episodes:
        scenarios.setdefault(episode.sample.id, []).append(episode.scenario)
    found: dict[tuple[str, str], Line] = {}
    for line in lines:
        key = _scenario_of(line, scenarios), line.sample_id
        if key in found:
            first = found[key].place.rpartition(", ")[2]
            raise UserError(f"{line.place}: {line.sample_id} has a prediction for {key[0]} already, {first}")
        found[key] = line
    return found


def _scenario_of(line: Line, scenarios: Mapping[str, Sequence[str]]) -> str:
    if line.sample_id not in scenarios:
        guess = did_you_mean(line.sample_id, scenarios)
        raise UserError(
            f"{line.place}: the suite has no sample {line.sample_id!r}; {guess}check --suite and --scenario"
        )
    fitting = sorted(set(scenarios[line.sample_id]))
    if line.scenario is None and len(fitting) == 1:
        return fitting[0]
    if line.scenario is None:
        raise UserError(f"{line.place}: {line.sample_id} is for {' and '.join(fitting)}: say which one in scenario")
    if line.scenario not in fitting:
        raise UserError(f"{line.place}: {line.sample_id} is for {' and '.join(fitting)}, not for {line.scenario}")
    return line.scenario


def save_predictions(paths: RunPaths, agent: PredictedAgent) -> None:
    """Put a copy into the folder of the run, for whoever resumes it.

    Raises:
        UserError: it cannot be written.
    """
    try:
        make_durably(paths.folder)
        write_atomically(paths.predictions, agent.saved())
    except OSError as problem:
        raise UserError(f"{paths.predictions} cannot be written: {problem.strerror}") from problem


def saved_agent(paths: RunPaths) -> PredictedAgent | None:
    """The agent of a run of predictions; None for other runs.

    Raises:
        UserError: the copy in its folder cannot be read.
    """
    manifest = read_manifest(paths)
    if "predictions" not in manifest.agent:
        return None
    path: Path = paths.predictions
    lines = read_lines(path) if path.stat().st_size else []
    by_episode = {(str(line.scenario), line.sample_id): line for line in lines}
    only_given = manifest.agent.get(_EPISODES) == _GIVEN
    return PredictedAgent(manifest.agent["name"], by_episode, only_given=only_given)
