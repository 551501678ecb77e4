"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.plugin.base import ScenarioBase

from .episode import prepare, preview
from .options import CommitOptions
from .policies import reference_policies
from .prompt import TEMPLATES
from .scoring import histories, score_commits, truth
from .tools import CommitTools, ExtendedCommitTools


class IterativeCommitting(ScenarioBase):
    """Scenario `icc`: see gitgoodbench.scenario.JudgedScenario."""

    name = "icc"
    options = CommitOptions
    denominators: ClassVar[Mapping[str, str]] = {"splittable": "splittable", "attainable": "attainable"}
    templates = TEMPLATES
    toolbox = ExtendedCommitTools
    published = CommitTools

    prepare = staticmethod(prepare)
    preview = staticmethod(preview)
    score = staticmethod(score_commits)
    truth = staticmethod(truth)
    histories = staticmethod(histories)
    reference_agents = staticmethod(reference_policies)

    def applies_to(self, sample: Sample) -> bool:
        return sample.chain is not None
