"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`."""

from __future__ import annotations

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.plugin.base import ScenarioBase

from .episode import prepare, preview
from .extended import ExtendedMergeTools
from .policies import reference_policies
from .prompt import TEMPLATES
from .scoring import score_merge, truth
from .tools import MergeTools


class MergeConflictResolution(ScenarioBase):
    """Scenario `mcr`: see gitgoodbench.scenario.Scenario."""

    name = "mcr"
    templates = TEMPLATES
    toolbox = ExtendedMergeTools
    published = MergeTools

    prepare = staticmethod(prepare)
    preview = staticmethod(preview)
    score = staticmethod(score_merge)
    truth = staticmethod(truth)
    reference_agents = staticmethod(reference_policies)

    def applies_to(self, sample: Sample) -> bool:
        return sample.merge is not None
