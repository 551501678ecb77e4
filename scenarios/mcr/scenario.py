"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`."""

from __future__ import annotations

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.plugin.base import ScenarioBase

from .episode import prepare
from .extended import ExtendedMergeTools
from .policies import reference_policies
from .prompt import TEMPLATES
from .scoring import score_merge


class MergeConflictResolution(ScenarioBase):
    """Scenario `mcr`: see gitgoodbench.scenario.Scenario."""

    name = "mcr"
    templates = TEMPLATES
    toolbox = ExtendedMergeTools

    prepare = staticmethod(prepare)
    score = staticmethod(score_merge)
    reference_agents = staticmethod(reference_policies)

    def applies_to(self, sample: Sample) -> bool:
        return sample.merge is not None
