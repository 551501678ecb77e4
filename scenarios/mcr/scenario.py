"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import EpisodeOptions, Outcome, Policy, ToolSet, Verdict
from gitgoodbench.shell_tools import ShellTools
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.store import RepositoryStore

from .episode import MergeEpisode, prepare
from .extended import ExtendedMergeTools
from .policies import reference_policies
from .prompt import template_hash
from .scoring import score_merge


class MergeConflictResolution:
    """Scenario `mcr`: see gitgoodbench.scenario.Scenario."""

    name = "mcr"

    def applies_to(self, sample: Sample) -> bool:
        return sample.merge is not None

    def tool_sets(self) -> Sequence[ToolSet]:
        return tuple(ToolSet)

    def prepare(
        self, sample: Sample, store: RepositoryStore, sandbox: Sandbox, options: EpisodeOptions
    ) -> MergeEpisode:
        return prepare(sample, store, sandbox, options)

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
        return score_merge(sample, store, outcome)

    def reference_agents(self) -> Mapping[str, Policy]:
        return reference_policies()

    def fingerprint(self) -> str:
        schemas = [tool.schema for tool in _all_tools()]
        text = template_hash() + json.dumps(schemas, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def _all_tools() -> list[Tool]:
    """Every tool of every tool set. Only their schemas are wanted, so they belong to instances without a state."""
    merge, shell = object.__new__(ExtendedMergeTools), object.__new__(ShellTools)
    return [Tool.of(function) for function in (*merge.functions(), *shell.functions())]
