"""Whether a run may stand on a leaderboard: complete, scored by one set of rules, and as its manifest says."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePath
from typing import Any

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.select import select_samples
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.file_models import RateFigure
from gitgoodbench.reporting.files import cell_json
from gitgoodbench.reporting.leaderboard import Candidate, Entry, PartFigures, Provenance, Rows, rows_hash
from gitgoodbench.reporting.summary import Figures, account_of, summarize
from gitgoodbench.runs.damage import damaged_results
from gitgoodbench.runs.manifest import Manifest, deciding, episodes_fingerprint
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result

_RATES = ("success", "of_answers", "of_attainable", "of_all", "all_gates")


def candidate_of(paths: RunPaths, manifest: Manifest, results: tuple[Result, ...]) -> Candidate:
    """A run as an entry.

    Raises:
        UserError: it is incomplete, changed, or cannot be checked; the message says what to do.
    """
    _check_complete(paths, manifest, results)
    _check_unchanged(manifest, results)
    rules = _rules_of(paths, results)
    summary = summarize(manifest, results, account_of(paths))
    total, suite = summary.total, manifest.suite
    played = {(result.scenario, result.sample_id) for result in results}
    entry = Entry(
        run_id=manifest.run_id,
        created=manifest.created,
        agent=summary.agent,
        model=summary.model,
        epochs=manifest.config.epochs,
        results=_verdicts(results),
        overall=_part(summary.overall),
        scenarios={name: _part(figures) for name, figures in summary.scenarios.items()},
        cost_usd=total.cost_usd,
        unknown_costs=total.unknown_costs,
        tokens=total.tokens,
        median_seconds=total.seconds,
        provenance=_provenance(manifest, rules),
    )
    rows = Rows(
        suite=PurePath(suite.spec).name if suite.revision is None else suite.spec,
        revision=suite.revision,
        fingerprint=suite.fingerprint,
        episodes=rows_hash(played),
        samples=len({sample for _, sample in played}),
    )
    return Candidate(rows, entry)


def _check_complete(paths: RunPaths, manifest: Manifest, results: tuple[Result, ...]) -> None:
    mend = f"`gitgoodbench resume {paths.folder}` completes it"
    if (damage := next(damaged_results(paths), None)) is not None:
        raise UserError(f"run {manifest.run_id} is incomplete: {damage}; {mend}")
    if len(results) < manifest.plan.episodes:
        missing = manifest.plan.episodes - len(results)
        raise UserError(
            f"run {manifest.run_id} is incomplete: {missing} of {manifest.plan.episodes} episodes are missing; {mend}"
        )
    unfinished = [result for result in results if result.is_unfinished]
    if unfinished:
        example = "/".join(map(str, unfinished[0].key))
        raise UserError(
            f"run {manifest.run_id} is incomplete: {len(unfinished)} episodes are {unfinished[0].status.value}, "
            f"such as {example}; {mend}"
        )


def _check_unchanged(manifest: Manifest, results: tuple[Result, ...]) -> None:
    """That the results are of this run and of no other, and of the rows that were planned."""
    for result in results:
        if result.run_id not in (None, manifest.run_id) or result.agent != manifest.agent["name"]:
            raise UserError(
                f"run {manifest.run_id} was changed: the result of {'/'.join(map(str, result.key))} is of run "
                f"{result.run_id}, agent {result.agent}; run it anew"
            )
    try:
        suite = load_suite(manifest.suite.spec, skip_invalid=True, offline=True)
    except UserError as problem:
        raise UserError(f"run {manifest.run_id} cannot be checked against its rows: {problem}") from problem
    if suite.fingerprint != manifest.suite.fingerprint:
        raise UserError(
            f"the rows of {manifest.suite.spec} have changed since run {manifest.run_id}: give it the rows that it was "
            "played on, or run it anew"
        )
    names = {result.sample_id for result in results}
    chosen = select_samples([sample for sample in suite.samples if sample.id in names], manifest.config.selection)
    order = {sample.id: at for at, sample in enumerate(chosen)}
    keys = sorted(
        (result.key for result in results if result.sample_id in order), key=lambda key: (key[2], order[key[1]], key[0])
    )
    if episodes_fingerprint("/".join(map(str, key)) for key in keys) != manifest.plan.fingerprint:
        raise UserError(f"run {manifest.run_id} was changed: its results are not of the episodes that it planned")


def _rules_of(paths: RunPaths, results: tuple[Result, ...]) -> dict[str, str]:
    rules = {json.dumps(result.scored_by, sort_keys=True) for result in results if result.gates or result.scores}
    if len(rules) > 1:
        raise UserError(
            f"the episodes of {paths.folder} were scored by different rules: `gitgoodbench score {paths.folder}` "
            "scores all by those of now"
        )
    found: dict[str, str] = json.loads(rules.pop()) if rules else {}
    return found


def _verdicts(results: tuple[Result, ...]) -> str:
    told: list[Any] = [
        [*result.key, result.status.value, result.solved, dict(result.gates), dict(result.scores)] for result in results
    ]
    return hashlib.sha256(json.dumps(sorted(told, key=str), sort_keys=True).encode()).hexdigest()


def _part(figures: Figures) -> PartFigures:
    cell = cell_json(figures.total)
    rates = {name: RateFigure.model_validate(cell[name]) for name in _RATES}
    scores = {name: mean["mean"] for name, mean in cell["scores"].items()}
    return PartFigures(episodes=figures.total.rows, scores=scores, **rates)


def _provenance(manifest: Manifest, rules: dict[str, str]) -> Provenance:
    """The pins of the manifest; of paths and servers of its machine it has nothing."""
    settings = {name: value for name, value in deciding(manifest).items() if name.startswith("--")}
    return Provenance(
        gitgoodbench=manifest.gitgoodbench,
        git=manifest.host.git,
        packages={name: pin.rule for name, pin in manifest.distributions.items()},
        scenarios=manifest.scenarios,
        plugins=manifest.plugins,
        sandbox=manifest.sandbox,
        judge=manifest.judge,
        settings=settings,
        rules=rules,
        plan=manifest.plan.fingerprint,
    )
