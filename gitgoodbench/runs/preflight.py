"""Before the first episode of a session: whether the models of a run can be asked, and how."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Final, Protocol, runtime_checkable

from gitgoodbench.errors import CostLimitReached, UserError
from gitgoodbench.models.finding import Finding
from gitgoodbench.models.recording import recording
from gitgoodbench.runs.account import PREFLIGHT
from gitgoodbench.runs.bookkeeping import Account, Bookkeeper, open_books
from gitgoodbench.runs.config import RunConfig
from gitgoodbench.runs.ledger import Ledger
from gitgoodbench.runs.manifest import Manifest, read_manifest, write_manifest
from gitgoodbench.runs.plan import finished_result
from gitgoodbench.runs.redact import redact_url
from gitgoodbench.runs.session import PreparedRun
from gitgoodbench.scenario import JudgedScenario
from gitgoodbench.scoring.judge.panel import Panel

_MISSED: Final = {
    "agent": "called no tool; it plays all the same, and may give up every time",
    "judge": "gave no answer that can be read; it judges all the same, and may leave every episode unscored",
}
"""What follows from an answer to a preflight that is not the right one, by role."""

Findings = dict[str, Finding]
"""`agent gpt-4o`, `judge gpt-4o` -> what its preflight showed."""


@runtime_checkable
class Preflighted(Protocol):
    """An agent that can be tried before the first episode."""

    model: str | None
    name: str

    def preflight(self) -> Finding:
        """Ask once.

        Raises:
            RunAborted: no episode can succeed.
        """
        ...


def preflight_run(run: PreparedRun, known: MutableMapping[str, Finding] | None = None) -> Findings:
    """Try every model that the open episodes of a created run ask, and write into its manifest what was found.

    Args:
        known: what other runs of the same command found; judges that are known are not asked again.

    Raises:
        RunAborted: a model cannot be asked.
        UserError: a limit cannot be watched, since a server does not say what it used.
    """
    plays, judges = _open_work(run)
    agent = next(iter(run.agents.values()), None)
    plays &= isinstance(agent, Preflighted)
    judges &= run.panel is not None
    if not plays and not judges:
        return {}
    with run.paths.held():
        ledger = open_books(run.paths, run.config).ledger
        if ledger.limit_reached is not None:
            return {}
        try:
            found = _ask(run, ledger, plays=plays, judges=judges, known={} if known is None else known)
        except CostLimitReached:
            return {}
        _check_limits(run.config, found)
        write_manifest(run.paths, with_models(read_manifest(run.paths), found))
    return found


def _ask(
    run: PreparedRun, ledger: Ledger, *, plays: bool, judges: bool, known: MutableMapping[str, Finding]
) -> Findings:
    found: Findings = {}
    agent = next(iter(run.agents.values()))
    if plays and isinstance(agent, Preflighted):
        with recording(Bookkeeper(ledger, Account("", PREFLIGHT))):
            found[f"agent {agent.model or agent.name}"] = agent.preflight()
    if judges and run.panel is not None:
        names = [f"judge {model}" for model in run.panel.models]
        if not known.keys() >= set(names):
            known.update(preflight_judges(run.panel, ledger))
        found |= {name: known[name] for name in names}
    return found


def preflight_judges(panel: Panel, ledger: Ledger) -> Findings:
    """Try each judge.

    Raises:
        RunAborted: one of them cannot be asked.
    """
    with recording(Bookkeeper(ledger, Account("", PREFLIGHT))):
        return {f"judge {model}": finding for model, finding in panel.preflight().items()}


def with_models(manifest: Manifest, found: Mapping[str, Finding]) -> Manifest:
    """The manifest with what was found of models, beside what was found of others before."""
    entries = {
        name: dataclasses.asdict(finding) | {"address": redact_url(finding.address), "dialect": list(finding.dialect)}
        for name, finding in found.items()
    }
    return manifest.model_copy(update={"models": {**manifest.models, **entries}})


def _open_work(run: PreparedRun) -> tuple[bool, bool]:
    """Whether an episode is still to be played, and whether one is still to be judged."""
    plays = judges = False
    for episode in run.inputs.planned:
        result = finished_result(episode, run.paths)
        judged = isinstance(run.inputs.scenarios[episode.scenario], JudgedScenario)
        plays |= result is None
        judges |= judged and (result is None or result.awaits_judge)
    return plays, judges


def _check_limits(config: RunConfig, found: Mapping[str, Finding]) -> None:
    limits = {
        "--max-cost": config.max_cost,
        "--max-episode-cost": config.max_episode_cost,
        "--max-tokens": config.max_tokens,
    }
    given = [flag for flag, limit in limits.items() if limit is not None]
    for name, finding in found.items():
        flags = given if name.startswith("agent ") else given and [flag for flag in given if flag == "--max-cost"]
        if flags and not finding.usage:
            raise UserError(
                f"{flags[0]} cannot be watched: {finding.address} does not report how many tokens it used; leave it out"
            )


def in_words(found: Mapping[str, Finding]) -> Iterator[str]:
    """What a user should know of it, a line each."""
    for name, finding in found.items():
        if not finding.works:
            role, _, model = name.partition(" ")
            yield f"warning: asked for a test, {model} at {finding.address} {_MISSED[role]}"
        if finding.dialect:
            yield f"{name}: {'; '.join(finding.dialect)}"
