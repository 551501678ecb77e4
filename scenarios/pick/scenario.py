"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`.

Scoring and the reference agents are loaded where they are used, as those of merges are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.plugin.base import SettingScenarioBase
from gitgoodbench.sample_types.specs import CherryPickSpec
from gitgoodbench.scenario import Outcome, Policy, Prediction, RepositoryStore, Verdict

from .episode import PickSetting, begin, lay_out, read
from .prompt import TEMPLATES
from .tools import ExtendedPickTools, PickTools


class Picking(SettingScenarioBase[PickSetting]):
    """Scenario `pick`: see gitgoodbench.scenario.Scenario."""

    name = "pick"
    denominators: ClassVar[Mapping[str, str]] = {"attainable": "attainable", "core": "core"}
    sizes: ClassVar[Mapping[str, str]] = {"conflicts": "conflicts"}
    features: ClassVar[Mapping[str, str]] = {
        "conflicts": "conflicts",
        "files_in_conflict": "files in conflict",
        "conflict_lines": "lines in conflict",
        "attainable": "attainable",
        "core": "core",
        "revert": "revert",
    }
    templates = TEMPLATES
    toolbox = ExtendedPickTools
    published = PickTools

    read = staticmethod(read)
    lay_out = staticmethod(lay_out)
    begin = staticmethod(begin)

    def applies_to(self, sample: Sample) -> bool:
        return isinstance(sample.spec, CherryPickSpec)

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
        from .scoring import score_pick

        return score_pick(sample, store, outcome)

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
