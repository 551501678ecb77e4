"""Replaying the rows of a dataset: which cannot be set up, which cannot be solved, and which are not what they say.

Every row is played by `oracle` and `tool-oracle` in each scenario that applies to it and has these agents. Besides,
and also where no scenario applies, its sample type compares it with the repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.findings import Finding, Kind, RowReport
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import EpisodeError, GitGoodBenchError, Status, UserError
from gitgoodbench.following import Following
from gitgoodbench.mining.replaying import Replaying, Stage, unwatched
from gitgoodbench.models.meter import Budget
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, Scenario, Verdict
from gitgoodbench.workspace.network import Progress
from gitgoodbench.workspace.store import RepositoryStore

_AGENTS: Final[Mapping[str, Kind]] = {"oracle": Kind.ORACLE, "tool-oracle": Kind.TOOL_ORACLE}
_EPISODE: Final = Budget()


@dataclass(frozen=True)
class Validator:
    """What all rows are replayed with."""

    scenarios: Mapping[str, Scenario]
    store: RepositoryStore
    provider: SandboxProvider


@dataclass
class _Notes:
    """What is known of a row so far."""

    scenarios: list[str] = field(default_factory=list)
    attainable: bool | None = None
    findings: list[Finding] = field(default_factory=list)


def load_dataset_rows(spec: str, *, offline: bool = False) -> tuple[tuple[Sample, ...], tuple[str, ...]]:
    """The samples of a suite, or of every parquet file in a folder, and why rows are none.

    Raises:
        UserError: nothing can be read.
    """
    folder = Path(spec).expanduser()
    if not folder.is_dir():
        suite = load_suite(spec, skip_invalid=True, offline=offline)
        return suite.samples, suite.invalid
    files = sorted(folder.rglob("*.parquet"))
    if not files:
        raise UserError(f"{spec} is a folder without parquet files; name a suite, a file or the folder of a dataset")
    suites = [load_suite(str(file), skip_invalid=True) for file in files]
    samples = tuple(sample for suite in suites for sample in suite.samples)
    return samples, tuple(reason for suite in suites for reason in suite.invalid)


def validate_samples(
    samples: Sequence[Sample], validator: Validator, jobs: int, progress: Progress = lambda _: None
) -> Iterator[RowReport]:
    """A report for every sample, as they come, `jobs` at a time. Threads are enough: the work is Git's.

    Args:
        progress: told of each repository how many of its rows are done, and what is under way.
    """
    from joblib import Parallel, delayed

    replaying = Replaying(samples, progress)

    def replay(sample: Sample) -> RowReport:
        with replaying.row(sample) as stage:
            return validate_sample(sample, validator, stage)

    def replayed() -> Iterator[RowReport]:
        parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered", batch_size=1)
        yield from parallel(delayed(replay)(sample) for sample in samples)

    yield from Following(replayed())


def validate_sample(sample: Sample, validator: Validator, stage: Stage = unwatched) -> RowReport:
    """Replay one row. Every error becomes a finding."""
    notes = _Notes()
    try:
        kind = sample_type(sample.sample_type)
        stage("opening the repository")
        mirror = validator.store.mirror(sample.name, kind.commits(sample.spec)).borrow()
        stage("comparing the row with the repository")
        notes.findings += kind.validate(mirror, sample.spec)
        if not any(finding.ends_replay for finding in notes.findings):
            for scenario in validator.scenarios.values():
                if scenario.applies_to(sample):
                    _play(sample, scenario, validator, notes, stage)
    except GitGoodBenchError as problem:
        notes.findings.append(Finding(Kind.SETUP, " ".join(str(problem).split())))
    except Exception as problem:  # a fault of ours costs this row alone
        notes.findings.append(Finding(Kind.SETUP, f"{type(problem).__name__}: {' '.join(str(problem).split())}"))
    findings = tuple(dict.fromkeys(notes.findings))
    return RowReport(sample, tuple(notes.scenarios), notes.attainable, findings)


def _play(sample: Sample, scenario: Scenario, validator: Validator, notes: _Notes, stage: Stage) -> None:
    """Let the reference agents play the sample in a scenario."""
    policies = scenario.reference_agents()
    notes.scenarios.append(scenario.name)
    for name, kind in _AGENTS.items():
        if name not in policies:
            continue
        try:
            agent = ReferenceAgent(name, {scenario.name: policies[name]})
            facts, reason = _attempt(sample, scenario, agent, validator, stage)
        except EpisodeError as problem:
            cause = Kind.SETUP if problem.status is Status.SETUP_FAILED else kind
            notes.findings.append(Finding(cause, f"{scenario.name}: {' '.join(str(problem).split())}"))
            continue
        attainable = facts.get("attainable")
        if isinstance(attainable, bool):
            notes.attainable = attainable
        if reason is not None and (kind is Kind.ORACLE or attainable is not False):
            notes.findings.append(Finding(kind, f"{scenario.name}: {reason}"))


def _attempt(
    sample: Sample, scenario: Scenario, agent: ReferenceAgent, validator: Validator, stage: Stage
) -> tuple[Mapping[str, Any], str | None]:
    """The episode's facts, and why the agent has not solved it; None where it has."""
    stage(f"preparing {scenario.name} for {agent.name}")
    with validator.provider.open(run_id="validate", episode_id=sample.id) as sandbox:
        episode = scenario.prepare(sample, validator.store, sandbox, EpisodeOptions())
        stage(f"{agent.name} plays {scenario.name}")
        trajectory = agent.run(episode, _EPISODE)
        outcome = episode.outcome()
    stage(f"scoring {agent.name} in {scenario.name}")
    verdict = scenario.score(sample, validator.store, outcome)
    if trajectory.status is not Status.COMPLETED:
        return episode.facts, f"{trajectory.status}: {trajectory.error}"
    return episode.facts, _objection(verdict)


def _objection(verdict: Verdict) -> str | None:
    """Why a verdict is not that of a solved sample. Where a judge has the last word, every gate must be met."""
    if verdict.problem is not None:
        return verdict.problem
    missed = [gate for gate, met in verdict.gates.items() if not met]
    if verdict.solved is False or (verdict.solved is None and missed):
        return f"gates missed: {', '.join(missed)}" if missed else "the result is not the real one"
    return None
