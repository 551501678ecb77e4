"""The plug-in: what the harness finds through the entry point `gitgoodbench.scenarios`.

Scoring and the reference agents are loaded where they are used: numpy and what else they need would stay in the memory
of every process that only plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.plugin.base import SettingScenarioBase
from gitgoodbench.sample_types.specs import FileCommitChainSpec
from gitgoodbench.scenario import HistoryPair, Outcome, Policy, Prediction, RepositoryStore, Verdict

from .episode import CommitSetting, begin, lay_out, read
from .options import CommitOptions
from .prompt import TEMPLATES
from .tools import CommitTools, ExtendedCommitTools


class IterativeCommitting(SettingScenarioBase[CommitSetting]):
    """Scenario `icc`: see gitgoodbench.scenario.JudgedScenario."""

    name = "icc"
    sizes: ClassVar[Mapping[str, str]] = {"commits": "commits"}
    options = CommitOptions
    denominators: ClassVar[Mapping[str, str]] = {"splittable": "splittable", "attainable": "attainable"}
    features: ClassVar[Mapping[str, str]] = {
        "hunks": "hunks",
        "commits": "commits",
        "files_changed": "files",
        "hunks_pure": "each hunk of one commit",
        "attainable": "attainable",
    }
    templates = TEMPLATES
    toolbox = ExtendedCommitTools
    published = CommitTools

    read = staticmethod(read)
    lay_out = staticmethod(lay_out)
    begin = staticmethod(begin)

    def applies_to(self, sample: Sample) -> bool:
        return isinstance(sample.spec, FileCommitChainSpec)

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
        from .scoring import score_commits

        return score_commits(sample, store, outcome)

    def load_scoring(self) -> None:
        from . import scoring  # noqa: F401

    def truth(self, sample: Sample, store: RepositoryStore) -> Outcome:
        from .scoring import truth

        return truth(sample, store)

    def predicted(self, sample: Sample, store: RepositoryStore, prediction: Prediction) -> Outcome:
        from .scoring import predicted

        return predicted(sample, store, prediction)

    def histories(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
        from .scoring import histories

        return histories(sample, store, outcome)

    def reference_agents(self) -> Mapping[str, Policy]:
        from .policies import reference_policies

        return reference_policies()
