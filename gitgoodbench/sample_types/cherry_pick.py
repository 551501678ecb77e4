"""Sample type `cherry_pick`: a commit that repeats another one. It is mined, and no scenario plays it."""

from __future__ import annotations

from gitgoodbench.mining.contract import MinedType, Miner, Walk
from gitgoodbench.sample_types.cherry_picks import CherryPickMiner
from gitgoodbench.sample_types.specs import CherryPickSpec


class CherryPicks(MinedType):
    """See the module."""

    spec = CherryPickSpec
    rank = 3
    title = "cherry-picks"
    summary = "commits that repeat another one"
    playable = False

    def commits(self, spec: CherryPickSpec) -> list[str]:
        return [spec.commit, *([spec.source] if spec.source_present else [])]

    def miner(self, walk: Walk) -> Miner:
        return CherryPickMiner(walk)
