"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`.

Scoring and the reference agents are loaded where they are used: numpy and what else they need would stay in the memory
of every process that only plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.plugin.base import SettingScenarioBase
from gitgoodbench.resolving.episode import ResolvingSetting
from gitgoodbench.resolving.extended import EditingTools
from gitgoodbench.resolving.tools import ResolvingTools
from gitgoodbench.sample_types.specs import MergeSpec
from gitgoodbench.scenario import Outcome, Policy, Prediction, RepositoryStore, Verdict

from .episode import begin, lay_out, read
from .prompt import TEMPLATES


class MergeConflictResolution(SettingScenarioBase[ResolvingSetting]):
    """Scenario `mcr`: see gitgoodbench.scenario.Scenario."""

    name = "mcr"
    sizes: ClassVar[Mapping[str, str]] = {"conflicts": "conflicts"}
    features: ClassVar[Mapping[str, str]] = {
        "conflicts": "conflicts",
        "files_in_conflict": "files in conflict",
        "conflict_lines": "lines in conflict",
        "attainable": "attainable",
    }
    templates = TEMPLATES
    toolbox = EditingTools
    published = ResolvingTools

    read = staticmethod(read)
    lay_out = staticmethod(lay_out)
    begin = staticmethod(begin)

    def applies_to(self, sample: Sample) -> bool:
        return isinstance(sample.spec, MergeSpec)

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
        from .scoring import score_merge

        return score_merge(sample, store, outcome)

    def load_scoring(self) -> None:
        from . import scoring  # noqa: F401

    def truth(self, sample: Sample, store: RepositoryStore) -> Outcome:
        from .scoring import truth

        return truth(sample, store)

    def predicted(self, sample: Sample, store: RepositoryStore, prediction: Prediction) -> Outcome:
        from .scoring import predicted

        return predicted(sample, store, prediction)

    def reference_agents(self) -> Mapping[str, Policy]:
        from .policies import reference_policies

        return reference_policies()
