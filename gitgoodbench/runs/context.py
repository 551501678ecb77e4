"""What all episodes of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from gitgoodbench.agents.base import Agent
from gitgoodbench.models.meter import Budget
from gitgoodbench.runs.bookkeeping import EpisodeBooks
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.result import AttemptRecord, Result
from gitgoodbench.runs.settings import SharedSettings
from gitgoodbench.runs.settle import Settling
from gitgoodbench.runs.spares import Spares
from gitgoodbench.runs.stop import Stop
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, Outcome, Scenario
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.workspace.store import RepositoryStore

Saved = tuple[Result, Outcome]
"""An episode that was played, and what its agent left."""

Attempts = tuple[AttemptRecord, ...]


class Log(Protocol):
    """What an episode has of an `EventLog`, wherever that lies."""

    def write(self, event: str, **details: Any) -> None: ...


class Elsewhere(Protocol):
    """Plays and settles episodes in other processes. Their files are here, and are written here."""

    def carry_out(self, planned: PlannedEpisode, run: RunContext, saved: Saved | None, attempts: Attempts) -> Result:
        """Play an episode and settle it, or settle what is saved of it; the result is in its folder.

        Raises:
            RunAborted: no episode of this run can succeed.
            EpisodeGivenUp: the run ends before this episode could.
            OSError: the folder cannot be written.
        """
        ...

    def settle(self, saved: Saved, planned: PlannedEpisode, run: RunContext) -> Result:
        """What `settle` gives.

        Raises:
            GitGoodBenchError, RunAborted, EpisodeGivenUp: it gives nothing.
        """
        ...


@dataclass(frozen=True)
class RunContext:
    """What all episodes of a run share. agents: the same agent for each scenario, by the scenario's name.

    panel: the judges; None for a run without. rules: see `Settling`. elsewhere: who plays and settles; None: we do.
    common_settings, common_spares: what this run shares with others; None: it has its own.
    """

    run_id: str
    paths: RunPaths
    scenarios: Mapping[str, Scenario]
    store: RepositoryStore
    provider: SandboxProvider
    agents: Mapping[str, Agent]
    budget: Budget
    options: EpisodeOptions
    log: Log
    books: EpisodeBooks
    stop: Stop
    panel: Panel | None = None
    rules: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Elsewhere | None = None
    common_settings: SharedSettings | None = None
    common_spares: Spares | None = None

    @cached_property
    def settings(self) -> SharedSettings:
        """What the episodes of one sample share."""
        return self.common_settings or SharedSettings(self.store, self.options)

    @cached_property
    def spares(self) -> Spares:
        """Sandboxes that wait for their next episode."""
        return self.common_spares or Spares(self.options.tool_set)

    @property
    def settling(self) -> Settling:
        """How the outcomes of this run are scored and judged."""
        return Settling(self.store, self.options.tool_set, self.panel, rules=self.rules, books=self.books)
