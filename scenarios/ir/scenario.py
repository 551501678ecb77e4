"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`."""

from __future__ import annotations

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.plugin.base import ScenarioBase

from .episode import prepare, preview
from .extended import ExtendedRebaseTools
from .policies import reference_policies
from .prompt import TEMPLATES
from .scoring import histories, score_rebase, truth
from .tools import RebaseTools


class InteractiveRebase(ScenarioBase):
    """Scenario `ir`: see gitgoodbench.scenario.JudgedScenario."""

    name = "ir"
    templates = TEMPLATES
    toolbox = ExtendedRebaseTools
    published = RebaseTools

    prepare = staticmethod(prepare)
    preview = staticmethod(preview)
    score = staticmethod(score_rebase)
    truth = staticmethod(truth)
    histories = staticmethod(histories)
    reference_agents = staticmethod(reference_policies)

    def applies_to(self, sample: Sample) -> bool:
        return sample.chain is not None
