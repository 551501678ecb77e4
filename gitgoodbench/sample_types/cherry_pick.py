"""Sample type `cherry_pick`: a commit that repeats another one. It is mined, and no scenario plays it."""

from __future__ import annotations

from gitgoodbench.dataset.sample import CherryPickSpec
from gitgoodbench.dataset.types import SampleType


class CherryPicks(SampleType):
    """See the module."""

    spec = CherryPickSpec
    title = "cherry-picks"
    playable = False

    def commits(self, spec: CherryPickSpec) -> list[str]:
        return [spec.commit, *([spec.source] if spec.source_present else [])]
