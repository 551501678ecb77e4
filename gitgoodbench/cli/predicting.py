"""What `gitgoodbench score FILE --suite SUITE` does after its flags are read."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gitgoodbench.agents.registry import agent_names
from gitgoodbench.cli.machine import check_cache, check_machine, check_out, default_jobs
from gitgoodbench.cli.running import open_repositories, run_all
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.tables import make_console
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.inputs import Inputs, load_inputs
from gitgoodbench.runs.judging import choose_judge
from gitgoodbench.runs.plan import PlannedEpisode, plan_episodes
from gitgoodbench.runs.prediction_lines import Line, read_lines
from gitgoodbench.runs.predictions import PredictedAgent, assign, check_scenarios, save_predictions
from gitgoodbench.runs.redact import redact_command
from gitgoodbench.runs.session import fresh_run_folder, prepare_run, run_folder
from gitgoodbench.sandbox.none import KIND, NoSandboxes
from gitgoodbench.scenario import PredictedScenario, ToolSet, load_scenarios
from gitgoodbench.tracing.runs import Tracing


def score_predictions(
    files: Sequence[str],
    fields: Mapping[str, Any],
    *,
    agent: str | None,
    out: Path,
    run_id: str | None,
    events: str | None = None,
    tracing: Tracing | None = None,
) -> int:
    """Make a run of a file of predictions, and print its table; returns the exit code.

    Args:
        fields: of `RunConfig`, those that the user said, with `suite`.
        events, tracing: as in `run_all`.
    """
    if len(files) != 1:
        raise UserError(f"--suite {fields['suite']}: give one file of predictions, not {len(files)}")
    if not agent:
        raise UserError("--agent NAME is needed: who made the predictions, for tables and the run's folder")
    check_machine()
    lines = read_lines(Path(files[0]))
    return score_lines(lines, fields, agent=agent, out=out, run_id=run_id, events=events, tracing=tracing)


def predictable_episodes(fields: Mapping[str, Any]) -> tuple[PlannedEpisode, ...]:
    """The episodes of a suite, before any selection, whose scenarios say what a prediction is.

    Args:
        fields: of `RunConfig`, with `suite`.
    """
    installed = load_scenarios()
    able = tuple(name for name in sorted(installed) if isinstance(installed[name], PredictedScenario))
    kept = ("suite", "scenario", "skip_invalid", "offline", "repos")
    chosen = {name: value for name, value in fields.items() if name in kept and value}
    everything = load_inputs(make_config(**{"scenario": able, **chosen, "tools": ToolSet.SHELL, "sandbox": KIND}))
    return plan_episodes(everything.suite.samples, everything.scenarios, 1)


def score_lines(
    lines: Sequence[Line],
    fields: Mapping[str, Any],
    *,
    agent: str,
    out: Path,
    run_id: str | None,
    only_given: bool = False,
    events: str | None = None,
    tracing: Tracing | None = None,
) -> int:
    """As `score_predictions`, for predictions that are read already.

    Args:
        only_given: see `PredictedAgent`.
    """
    installed = load_scenarios()
    if agent in agent_names(installed):
        raise UserError(f"--agent {agent}: an installed agent has that name; choose another for the predictions")
    check_scenarios(lines, installed)
    fields = {"jobs": default_jobs(), **fields}
    fields["judge"] = choose_judge(fields, ())
    config = make_config(**{**fields, "agent": agent, "tools": ToolSet.SHELL, "sandbox": KIND})
    assigned = assign(lines, predictable_episodes(fields))
    chosen = config.scenario or tuple(sorted({scenario for scenario, _ in assigned}))
    config = config.model_copy(update={"scenario": chosen})
    player = PredictedAgent(agent, assigned, only_given=only_given)
    inputs = player.inputs_of(load_inputs(config))
    check_cache({episode.sample.name for episode in inputs.planned}, config.repos)
    check_out(out)
    paths = fresh_run_folder(out, config) if run_id is None else run_folder(out, run_id)
    console = make_console(stderr=True)
    progress = RepositoryProgress(console)
    run = prepare_run(
        config, inputs, NoSandboxes(), open_repositories(config, progress), paths=paths,
        command=redact_command(["gitgoodbench", *sys.argv[1:]], os.environ), own_agent=player,
    )  # fmt: skip
    save_predictions(paths, player)
    return run_all([run], console, progress, [_counts(assigned, inputs)], events, tracing)


def _counts(assigned: Mapping[tuple[str, str], Line], inputs: Inputs) -> str:
    planned = {episode.key[:2] for episode in inputs.planned}
    given = len(planned & assigned.keys())
    aside = len(assigned.keys() - planned)
    said = f"{given} predictions for {len(planned)} episodes of {', '.join(sorted(inputs.scenarios))}"
    missing = f"; {len(planned) - given} without one count as not answered" if given < len(planned) else ""
    return said + missing + (f"; {aside} predictions are for episodes that were not chosen" if aside else "")
