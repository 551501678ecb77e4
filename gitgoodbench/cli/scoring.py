"""What `gitgoodbench score` does after its flags are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console

from gitgoodbench.cli.machine import check_machine, check_run, default_jobs
from gitgoodbench.cli.running import (
    find_run,
    open_repositories,
    say,
    say_who_judges,
    summarize_run,
)
from gitgoodbench.contained.scenario import contained
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.errors import UserError
from gitgoodbench.plugins import SCENARIOS, SCORES, Plugin, plugins
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.summary import varying_dimensions
from gitgoodbench.reporting.tables import make_console, print_report
from gitgoodbench.runs.bookkeeping import open_books
from gitgoodbench.runs.config import JUDGING
from gitgoodbench.runs.damage import damaged_results
from gitgoodbench.runs.judging import judge_options
from gitgoodbench.runs.manifest import pin_scoring, read_manifest, write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.preflight import in_words, preflight_judges, with_models
from gitgoodbench.runs.rescore import Rescored, choose_rejudging, rescore_run
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.session import EXIT_INFRASTRUCTURE, check_money, stored_config
from gitgoodbench.runs.settle import Rejudge, Settling
from gitgoodbench.scenario import load_scenarios
from gitgoodbench.scores import scores_for
from gitgoodbench.scoring.judge.panel import open_panel


def score_runs(names: Sequence[str], fields: Mapping[str, Any], *, unscored: bool) -> int:
    """Score runs from their saved outcomes, print the table, and return the exit code.

    Args:
        fields: of `RunConfig`, those that the user said.
    """
    console = make_console(stderr=True)
    check_machine()
    judge = {name: value for name, value in fields.items() if name in JUDGING}
    changes = {"jobs": default_jobs()} | {name: value for name, value in fields.items() if name not in JUDGING}
    folders = [find_run(name) for name in names]
    for paths in folders:
        check_run(paths.folder)
    problems = 0
    for paths in folders:
        for damage in damaged_results(paths):
            say(console, str(damage))
        rescored = _score(paths, console, changes, judge, unscored=unscored)
        changed = [entry for entry in rescored if entry.changed]
        failed = [entry for entry in rescored if entry.problem]
        problems += len(failed) + sum(1 for _ in damaged_results(paths))
        say(console, f"{paths.folder}: {len(rescored)} outcomes scored, {len(changed)} results changed")
        if anew := sum(entry.prompts_changed for entry in rescored):
            say(console, f"  {anew} of {len(rescored)} have other prompts than before: every judge was asked again")
        for entry in failed:
            say(console, f"  {'/'.join(map(str, entry.before.key))} could not be scored: {entry.problem}")
        problems += sum(entry.after.awaits_judge for entry in rescored)
        kept = [entry.after for entry in rescored if judge and keeps_verdict(entry.after)]
        problems += len(kept)
        for result in kept:
            assert result.judge is not None
            say(console, f"  {'/'.join(map(str, result.key))} keeps its verdict: {result.judge.problem}")
    summaries = [summarize_run(paths) for paths in folders]
    print_report(make_console(), summaries, by=varying_dimensions(summaries))
    return EXIT_INFRASTRUCTURE if problems else 0


def keeps_verdict(result: Result) -> bool:
    """Whether judges were asked in vain about an episode that had a verdict."""
    return result.judge is not None and result.judge.verdict is not None and result.judge.problem is not None


def _score(
    paths: RunPaths,
    console: Console,
    changes: Mapping[str, Any],
    judge: Mapping[str, Any],
    *,
    unscored: bool,
) -> list[Rescored]:
    manifest = read_manifest(paths)
    config = stored_config(manifest, **changes)
    suite = load_suite(config.suite, skip_invalid=config.skip_invalid, offline=config.offline)
    if suite.fingerprint != manifest.suite.fingerprint:
        raise UserError(
            f"the suite {config.suite} is not what run {paths.folder} was made with "
            f"(fingerprint {manifest.suite.fingerprint[:12]}, now {suite.fingerprint[:12]})"
        )
    samples = {sample.id: sample for sample in suite.samples}
    progress = RepositoryProgress(console)
    store = open_repositories(config, progress)
    installed = load_scenarios()
    scenarios = {name: contained(installed[name], config.score) for name in manifest.scenarios if name in installed}
    rejudge, config = choose_rejudging(config, scenarios, judge, unscored=unscored)
    options = judge_options(config) if rejudge in (Rejudge.ALL, Rejudge.OPEN) else None
    if options is not None:
        check_money(config, agent=False)
        say_who_judges(console, scenarios, [config])
    panel = None if options is None else open_panel(options)
    with paths.held(), progress.shown():
        books = open_books(paths, config)
        found = {} if panel is None else preflight_judges(panel, books.ledger)
        for line in in_words(found):
            say(console, line)
        pinned = pin_scoring(_scoring_plugins(scenarios, config.score))
        write_manifest(paths, with_models(manifest, found).model_copy(update={"rescored": pinned}))
        settling = Settling(store, manifest.config.tools, panel, rejudge, pinned.rules, books)
        return rescore_run(paths, manifest, samples, scenarios, settling, jobs=config.jobs)


def _scoring_plugins(scenarios: Iterable[str], wanted: Sequence[str] | None) -> list[Plugin]:
    """The scenarios and scores that make the verdicts of a run."""
    used = {(SCENARIOS, name) for name in scenarios}
    used |= {(SCORES, score) for name in scenarios for score in scores_for(name, wanted)}
    return [plugins(group)[name] for group, name in sorted(used) if name in plugins(group)]
