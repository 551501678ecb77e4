"""A solution of an episode that meets every gate: the real commits, or what a reference agent leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import EpisodeError, SetupFailed
from gitgoodbench.harbor.verify import mean_score
from gitgoodbench.models.meter import Budget
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, Outcome, RepositoryStore, Scenario, ScenarioWithTruth, Verdict


@dataclass(frozen=True)
class Solution:
    """An outcome, and the mean of its scores."""

    outcome: Outcome
    full: float


def find_solution(
    sample: Sample, raw: Scenario, scoring: Any, store: RepositoryStore, provider: SandboxProvider
) -> Solution:
    """The real commits where these are a solution; else the best of what reference agents leave (a rebase that leaves
    everything as it was is none).

    Args:
        scoring: the scenario that scores, contained.

    Raises:
        SetupFailed: nothing known solves it.
        EpisodeError: it cannot be set up.
    """
    if isinstance(raw, ScenarioWithTruth):
        truth = raw.truth(sample, store)
        verdict = scoring.score(sample, store, truth)
        if _is_met(verdict) and truth.bundle is not None:
            return Solution(truth, mean_score(verdict))
    best: Solution | None = None
    for name, policy in sorted(raw.reference_agents().items()):
        outcome = _played(name, policy, sample, raw, store, provider)
        if outcome is None or outcome.bundle is None:
            continue
        verdict = scoring.score(sample, store, outcome)
        if _is_met(verdict) and (best is None or mean_score(verdict) > best.full):
            best = Solution(outcome, mean_score(verdict))
    if best is None:
        raise SetupFailed(f"no known solution of {sample.id} meets every gate")
    return best


def _is_met(verdict: Verdict) -> bool:
    return verdict.problem is None and verdict.solved is not False and all(verdict.gates.values())


def _played(
    name: str, policy: Any, sample: Sample, raw: Scenario, store: RepositoryStore, provider: SandboxProvider
) -> Outcome | None:
    with provider.open(run_id="harbor", episode_id=sample.id) as sandbox:
        episode = raw.prepare(sample, store, sandbox, EpisodeOptions())
        try:
            ReferenceAgent(name, {raw.name: policy}).run(episode, Budget())
            return episode.outcome()
        except EpisodeError:
            return None
