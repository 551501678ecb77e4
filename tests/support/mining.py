"""What the miners of merges, chains and cherry-picks find, in their own words rather than as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gitgoodbench.git.process import Git
from gitgoodbench.mining.contract import Found
from gitgoodbench.mining.options import MiningOptions
from gitgoodbench.mining.repository import open_walk, show_history
from gitgoodbench.mining.spool import Spool
from gitgoodbench.sample_types.chains import Chain, ChainMiner
from gitgoodbench.sample_types.merges import ConflictingMerge, MergeCounts, MergeMiner
from gitgoodbench.sample_types.picks import CherryPickMiner


@dataclass(frozen=True)
class Mined:
    """See the miners."""

    merges: Spool[ConflictingMerge]
    chains: Spool[Chain]
    cherry_picks: Spool[Found]
    commits: int
    unreadable_commits: int
    merge_counts: MergeCounts
    chains_missing_object: int
    chains_out_of_time: int
    picks_left_out: Mapping[str, int]


def mine_all(repository: Git, options: MiningOptions | None = None) -> Mined:
    """Let them see one history."""
    with open_walk(repository, options or MiningOptions()) as walk:
        merges, chains, picks = MergeMiner(walk), ChainMiner(walk), CherryPickMiner(walk)
        seen = show_history(walk, (merges, chains, picks))
        return Mined(
            Spool(merges.merges()),
            chains.chains(),
            Spool(picks.found()),
            seen.commits,
            seen.unreadable,
            merges.seen,
            chains.missing_object,
            chains.out_of_time,
            picks.left_out,
        )
