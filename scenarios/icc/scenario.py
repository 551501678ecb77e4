"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import EpisodeOptions, Outcome, Policy, ToolSet, Verdict
from gitgoodbench.shell_tools import ShellTools
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.store import RepositoryStore

from .episode import CommitEpisode, prepare
from .policies import reference_policies
from .prompt import template_hash
from .scoring import histories, score_commits
from .tools import ExtendedCommitTools


class IterativeCommitting:
    """Scenario `icc`: see gitgoodbench.scenario.Scenario."""

    name = "icc"

    def applies_to(self, sample: Sample) -> bool:
        return sample.chain is not None

    def tool_sets(self) -> Sequence[ToolSet]:
        return tuple(ToolSet)

    def prepare(
        self, sample: Sample, store: RepositoryStore, sandbox: Sandbox, options: EpisodeOptions
    ) -> CommitEpisode:
        return prepare(sample, store, sandbox, options)

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
        return score_commits(sample, store, outcome)

    def histories(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
        return histories(sample, store, outcome)

    def reference_agents(self) -> Mapping[str, Policy]:
        return reference_policies()

    def fingerprint(self) -> str:
        schemas = [tool.schema for tool in _all_tools()]
        text = template_hash() + json.dumps(schemas, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def _all_tools() -> list[Tool]:
    """Every tool of every tool set. Only their schemas are wanted, so they belong to instances without a state."""
    commits, shell = object.__new__(ExtendedCommitTools), object.__new__(ShellTools)
    return [Tool.of(function) for function in (*commits.functions(), *shell.functions())]
