"""What eval, resume and report do after their flags are read: prepare, run with progress, print the table."""

from __future__ import annotations

import glob
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from gitgoodbench.agents.registry import named_agents, needs_of
from gitgoodbench.cli.machine import check_cache, check_machine, check_out, check_run, jobs_for
from gitgoodbench.cli.program import program
from gitgoodbench.errors import RunAborted, UserError
from gitgoodbench.reporting.files import write_summary
from gitgoodbench.reporting.plan import print_plan
from gitgoodbench.reporting.progress import watching
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.summary import RunSummary, account_of, read_run, summarize, varying_dimensions
from gitgoodbench.reporting.tables import make_console, print_report
from gitgoodbench.runs.activity import Activities, Activity
from gitgoodbench.runs.carrying import Followed, carry_out_together, in_groups
from gitgoodbench.runs.config import RunConfig, make_config
from gitgoodbench.runs.event_stream import STANDARD_OUTPUT, streaming
from gitgoodbench.runs.execute import Execution
from gitgoodbench.runs.inputs import Inputs, check_isolation, check_tools, default_tools, inputs_for, load_inputs
from gitgoodbench.runs.judging import choose_judge, judge_options, judges_itself, resolve_judge
from gitgoodbench.runs.manifest import read_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.predictions import saved_agent
from gitgoodbench.runs.preflight import Findings, in_words, preflight_run
from gitgoodbench.runs.redact import redact_command
from gitgoodbench.runs.result import Damaged
from gitgoodbench.runs.session import (
    PreparedRun,
    check_money,
    create_run,
    exit_code,
    fresh_run_folder,
    prepare_run,
    resolve,
    run_folder,
    stored_config,
)
from gitgoodbench.sandbox.base import Choice, EquippingProvider, SandboxSettings
from gitgoodbench.sandbox.none import NoSandboxes
from gitgoodbench.scenario import JudgedScenario, Scenario
from gitgoodbench.text import for_terminal, on_one_line
from gitgoodbench.tracing.runs import Tracing
from gitgoodbench.workspace.store import RepositoryStore

_ROWS_SHOWN = 5
_NAMED = 3


def evaluate_agents(
    fields: Mapping[str, Any],
    *,
    out: Path,
    run_id: str | None,
    dry_run: bool,
    events: str | None = None,
    tracing: Tracing | None = None,
) -> int:
    """One run for each agent, all checked before the first one starts; returns the exit code.

    Args:
        fields: of `RunConfig`, those that the user said; `agent` is a list.
        events: where events go; see `streaming`. tracing: who else hears what runs do.
    """
    fields = {"agent": [RunConfig.model_fields["agent"].default], "jobs": jobs_for(fields), **fields}
    agents = fields.pop("agent")
    fields["judge"] = choose_judge(fields, agents)
    fields["scenario"] = fields.get("scenario") or _scenarios_of_before(out, run_id)
    console = make_console(stderr=True)
    check_machine()
    inputs = load_inputs(make_config(**fields))
    agents = named_agents(agents, inputs.scenarios)
    configs = [make_config(**{"tools": default_tools(agent), **fields, "agent": agent}) for agent in agents]
    work = {agent: inputs_for(agent, inputs) for agent in agents}
    notices = [*_invalid_rows(inputs.suite.invalid), *_unplayed_scenarios(inputs, work)]
    for config in configs:
        check_tools(config.agent, config.tools)
        check_money(resolve_judge(resolve(config), inputs.scenarios.values()))
    if dry_run:
        _say_all(console, notices)
        print_plan(make_console(), inputs.suite, {agent: own.planned for agent, own in work.items()})
        return 0
    check_cache({episode.sample.name for episode in inputs.planned}, configs[0].repos)
    check_out(out)
    folders = [_folder(out, run_id, config, alone=len(configs) == 1) for config in configs]
    choices = _open_providers(configs)
    progress = RepositoryProgress(console)
    store = open_repositories(configs[0], progress)
    command = redact_command(["gitgoodbench", *sys.argv[1:]], os.environ)
    runs = [
        prepare_run(config, inputs, choice.provider, store, paths=paths, command=command)
        for config, choice, paths in zip(configs, choices, folders, strict=True)
    ]
    notices += [_sandbox_of(run, choice) for run, choice in zip(runs, choices, strict=True)]
    return run_all(runs, console, progress, notices, events, tracing)


def resume_runs(
    names: Sequence[str], changes: Mapping[str, Any], events: str | None = None, tracing: Tracing | None = None
) -> int:
    """Resume runs from their manifests, with changes of what may change; returns the exit code."""
    console = make_console(stderr=True)
    check_machine()
    progress = RepositoryProgress(console)
    runs, notices = [], []
    choices: dict[tuple[object, ...], Choice] = {}  # runs that have the same share samples and sandboxes
    stores: dict[tuple[object, ...], RepositoryStore] = {}
    for paths in map(find_run, names):
        check_run(paths.folder)
        manifest = read_manifest(paths)
        config = stored_config(manifest, **changes)
        predicted = saved_agent(paths)
        inputs = load_inputs(config) if predicted is None else predicted.inputs_of(load_inputs(config))
        if predicted is None:
            room = (config.sandbox, config.tools, config.options_of_plugins)
            choice = choices[room] = choices.get(room) or open_provider(config)
        else:
            choice = Choice(NoSandboxes(), "predictions: no sandbox")
        check_cache({episode.sample.name for episode in inputs.planned}, config.repos)
        place = (config.repos, config.offline)
        store = stores[place] = stores.get(place) or open_repositories(config, progress)
        runs.append(
            prepare_run(
                config, inputs, choice.provider, store, paths=paths, command=manifest.command, own_agent=predicted
            )
        )
        notices.append(_sandbox_of(runs[-1], choice))
    return run_all(runs, console, progress, notices, events, tracing)


def run_all(
    runs: Sequence[PreparedRun],
    console: Console,
    progress: RepositoryProgress,
    notices: Iterable[str],
    events: str | None = None,
    tracing: Tracing | None = None,
) -> int:
    """Carry them out, in groups (`in_groups`), then print their table and what remains to be done.

    Args:
        events: where events go; where that is standard output, the table goes to standard error.
        notices: what the user should know of the runs. Said once nothing of the surroundings can end them any more, so
            that what does is the only line.
    """
    for run in runs:
        create_run(run)
    _say_all(console, notices)
    scenarios = {name: scenario for run in runs for name, scenario in run.inputs.scenarios.items()}
    say_who_judges(console, scenarios, [run.config for run in runs])
    _preflight(runs, console)
    executions: list[Execution] = []
    with streaming(events) as stream:
        for group in in_groups(runs):
            followed = [
                Followed(
                    run,
                    () if stream is None else (stream.of(run.manifest.run_id),),
                    None if tracing is None else tracing(run),
                )
                for run in group
            ]
            ended = _carry_out(followed, console, progress, runs[len(executions) :])
            executions += ended
            if any(execution.interrupted or execution.aborted or execution.broken for execution in ended):
                break
    begun = runs[: len(executions)]
    summaries = [summarize_run(run.paths) for run in begun]
    try:
        tables = make_console(stderr=events == STANDARD_OUTPUT)
        print_report(tables, summaries, by=varying_dimensions(summaries))
    finally:  # also where standard output is full
        _print_unfinished(console, runs, executions)
    return exit_code(executions)


def _preflight(runs: Sequence[PreparedRun], console: Console) -> None:
    """Try all models before the first episode is played.

    Raises:
        RunAborted: one cannot be asked; nothing was run.
    """
    known: Findings = {}
    for run in runs:
        try:
            found = preflight_run(run, known)
        except RunAborted as problem:
            raise RunAborted(f"{problem}; nothing was run; resume with: {resume_command(runs)}") from problem
        for line in in_words(found):
            say(console, line)


def _carry_out(
    group: Sequence[Followed], console: Console, progress: RepositoryProgress, unfinished: Sequence[PreparedRun]
) -> list[Execution]:
    names = _names([followed.run for followed in group])
    suites = dict.fromkeys(followed.run.manifest.suite.spec for followed in group)
    label = f"{_listed(list(names.values()), 'runs')} on {_listed(list(suites), 'suites')}"
    activities = {name: Activity(followed.run.paths) for name, followed in zip(names.values(), group, strict=True)}
    alone = len(group) == 1
    activity = next(iter(activities.values())) if alone else Activities(activities)
    hint = resume_command(unfinished)
    with watching(console, label, progress, activity, {} if alone else names) as observer:
        return carry_out_together(
            group,
            observer,
            announce=lambda: observer.note("stopping: running episodes are given up (Ctrl-C again ends at once)"),
            last_words=f"resume with: {hint}",
        )


def _names(runs: Sequence[PreparedRun]) -> dict[str, str]:
    """What to call runs, by their ids: their models or agents, or the ids where these are not different."""
    agents = [run.manifest.agent["model"] or run.manifest.agent["name"] for run in runs]
    ids = [run.manifest.run_id for run in runs]
    return dict(zip(ids, map(on_one_line, agents if len(set(agents)) == len(agents) else ids), strict=True))


def _listed(names: Sequence[str], what: str) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} {what}"


def _print_unfinished(console: Console, runs: Sequence[PreparedRun], executions: Sequence[Execution]) -> None:
    said: set[str] = set()
    for run, execution in zip(runs, executions, strict=False):
        say(console, f"results: {run.paths.folder}")
        if execution.aborted:
            say(console, f"gitgoodbench: the run was stopped: {execution.aborted}")
        elif execution.unfinished and execution.stopped in said:
            say(console, f"stopped early, too; {execution.unfinished} episodes are left")
        elif execution.unfinished and execution.stopped:
            said.add(execution.stopped)
            say(console, f"stopped early: {execution.stopped}; {execution.unfinished} episodes are left")
        elif execution.unfinished:
            say(
                console,
                f"{execution.unfinished} episodes failed for reasons of infrastructure; resume tries them again",
            )
    unfinished = [run for run, execution in zip(runs, executions, strict=False) if execution.unfinished]
    unfinished += runs[len(executions) :]
    if unfinished:
        say(console, f"resume with: {resume_command(unfinished)}")


def resume_command(runs: Sequence[PreparedRun]) -> str:
    """The command that resumes these runs."""
    return resume_line([run.paths.folder for run in runs])


def resume_line(folders: Sequence[Path]) -> str:
    """The command that resumes the runs in these folders."""
    return shlex.join([*program(), "resume", *map(str, folders)])


def summarize_run(paths: RunPaths) -> RunSummary:
    """The figures of a run, which are also written into its folder where that can be written."""
    damaged: list[Damaged] = []
    manifest, results = read_run(paths, details=False, damaged=damaged.append)
    for damage in damaged:
        mend = resume_line([paths.folder])
        sys.stderr.write(for_terminal(f"{damage}: its episode counts as not run; this scores it again: {mend}\n"))
    summary = summarize(manifest, results, account_of(paths))
    try:
        write_summary(paths, summary)
    except OSError as problem:
        sys.stderr.write(for_terminal(f"summary files not written: {problem}\n"))
    return summary


def find_run(name: str) -> RunPaths:
    """A run by its folder, or by its id under results/.

    Raises:
        UserError: there is none.
    """
    for folder in (Path(name), Path("results") / name):
        if (folder / "manifest.json").exists():
            return RunPaths(folder)
    raise UserError(f"{name} is not the folder of a run: no manifest.json in it, nor in results/{name}")


def open_provider(config: RunConfig) -> Choice:
    """Choose the sandbox provider."""
    from gitgoodbench.sandbox.select import make_provider

    settings = SandboxSettings(own=config.options.own, needs=needs_of(config.agent))
    choice = make_provider(config.sandbox, settings=settings)
    check_isolation(config.tools, choice.provider)
    return choice


def _open_providers(configs: Sequence[RunConfig]) -> list[Choice]:
    """The provider of each run. Agents without programs of their own share one."""
    choices: dict[str | None, Choice] = {}
    owners = [None if needs_of(config.agent) is None else config.agent for config in configs]
    for config, owner in zip(configs, owners, strict=True):
        if owner not in choices:
            choices[owner] = open_provider(config)
    return [choices[owner] for owner in owners]


def open_repositories(config: RunConfig, progress: RepositoryProgress) -> RepositoryStore:
    """The repository store that the flags ask for."""
    from gitgoodbench.workspace.store import open_store

    return open_store(config.repos, None, config.offline, progress)


def _sandbox_of(run: PreparedRun, choice: Choice) -> str:
    """Where a run's agent works: its own needs may have changed the choice."""
    if run.provider is not choice.provider and isinstance(run.provider, EquippingProvider):
        return run.provider.summary
    return choice.reason


def _unplayed_scenarios(inputs: Inputs, work: Mapping[str, Inputs]) -> Iterator[str]:
    """Name, in a line, the agents that do not play every scenario."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for agent, own in work.items():
        if len(own.scenarios) < len(inputs.scenarios):
            groups.setdefault(tuple(own.scenarios), []).append(agent)
    parts = [f"only {' and '.join(scenarios)}: {', '.join(agents)}" for scenarios, agents in groups.items()]
    if parts:
        yield f"some agents do not play every scenario; {'; '.join(parts)}"


def say(console: Console, text: str) -> None:
    console.print(text, markup=False, soft_wrap=True)


def _say_all(console: Console, notices: Iterable[str]) -> None:
    for notice in dict.fromkeys(notices):
        say(console, notice)


def _invalid_rows(invalid: Sequence[str]) -> Iterator[str]:
    for problem in invalid[:_ROWS_SHOWN]:
        yield f"left out: {problem}"
    if len(invalid) > _ROWS_SHOWN:
        yield f"left out: {len(invalid) - _ROWS_SHOWN} more rows (all are in manifest.json)"


def say_who_judges(console: Console, scenarios: Mapping[str, Scenario], configs: Sequence[RunConfig]) -> None:
    """Name the judges of runs whose configurations are resolved, and warn where a model judges itself."""
    judged = sorted(name for name, scenario in scenarios.items() if isinstance(scenario, JudgedScenario))
    if not judged:
        return
    options = next((options for config in configs if (options := judge_options(config)) is not None), None)
    if options is None:
        say(console, f"no judge: solved stays unknown for {', '.join(judged)}; the gates are reported (--judge llm)")
        return
    where = "" if options.base_url is None else f" at {options.base_url}"
    times = "" if options.repeats == 1 else f", {options.repeats} times"
    say(console, f"judged by {', '.join(options.models)}{where}, in both orders{times}")
    for judge in dict.fromkeys(judge for config in configs if (judge := judges_itself(config)) is not None):
        say(
            console,
            f"warning: {judge} judges its own work, and models tend to prefer that: name another with --judge-model",
        )


def _scenarios_of_before(out: Path, run_id: str | None) -> tuple[str, ...]:
    """The scenarios of a run that carries on: those that it began with, whatever is installed now."""
    if run_id is None:
        return ()
    for paths in map(RunPaths, (run_folder(out, run_id).folder, *sorted(out.glob(f"{glob.escape(run_id)}-*")))):
        if paths.manifest.exists():
            config = read_manifest(paths).config
            if paths.folder.name in (run_id, f"{run_id}-{config.agent}"):
                return config.scenario
    return ()


def _folder(out: Path, run_id: str | None, config: RunConfig, *, alone: bool) -> RunPaths:
    if run_id is None:
        return fresh_run_folder(out, config)
    return run_folder(out, run_id if alone else f"{run_id}-{config.agent}")
