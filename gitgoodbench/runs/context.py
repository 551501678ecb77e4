"""What all episodes of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gitgoodbench.agents.base import Agent
from gitgoodbench.models.meter import Budget
from gitgoodbench.runs.bookkeeping import Books
from gitgoodbench.runs.events import EventLog
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.settings import SharedSettings
from gitgoodbench.runs.settle import Settling
from gitgoodbench.runs.spares import Spares
from gitgoodbench.runs.stop import Stop
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, Scenario
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.workspace.store import RepositoryStore


@dataclass(frozen=True)
class RunContext:
    """What all episodes of a run share. agents: the same agent for each scenario, by the scenario's name.

    panel: the judges; None for a run without. rules: see `Settling`.
    """

    run_id: str
    paths: RunPaths
    scenarios: Mapping[str, Scenario]
    store: RepositoryStore
    provider: SandboxProvider
    agents: Mapping[str, Agent]
    budget: Budget
    options: EpisodeOptions
    log: EventLog
    books: Books
    stop: Stop
    panel: Panel | None = None
    rules: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def settings(self) -> SharedSettings:
        """What the episodes of one sample share."""
        return SharedSettings(self.store, self.options)

    @cached_property
    def spares(self) -> Spares:
        """Sandboxes that wait for their next episode."""
        return Spares(self.options.tool_set)

    @property
    def settling(self) -> Settling:
        """How the outcomes of this run are scored and judged."""
        return Settling(self.store, self.options.tool_set, self.panel, rules=self.rules, books=self.books)
