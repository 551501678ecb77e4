"""Mine one repository in one pass over its history."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.process import Git
from gitgoodbench.mining.chains import Chain, ChainMiner
from gitgoodbench.mining.cherry_picks import CherryPick, CherryPickMiner
from gitgoodbench.mining.history import read_history
from gitgoodbench.mining.merge_spool import MergeSpool
from gitgoodbench.mining.merges import ConflictingMerge, MergeCounts, MergeMiner
from gitgoodbench.mining.options import MiningOptions
from gitgoodbench.mining.spool import Spool
from gitgoodbench.mining.steps import Tell, tell_nobody
from gitgoodbench.workspace.scratch import ScratchRepository


@dataclass(frozen=True)
class MinedRepository:
    """What a repository holds. Everything is in a fixed order: that of history, parents first.

    commits: how many were visited. unreadable_commits: those among them whose changes are unknown, since an object
        is missing; no chain goes through them.
    chains_missing_object, chains_out_of_time: chains left out, as for merges in `merge_counts`.
    patches_missing_object: commits that could not be compared with others by patch id.
    """

    merges: Spool[ConflictingMerge]
    chains: Spool[Chain]
    cherry_picks: Spool[CherryPick]
    commits: int
    unreadable_commits: int
    merge_counts: MergeCounts
    chains_missing_object: int
    chains_out_of_time: int
    patches_missing_object: int


def mine_repository(repository: Git, options: MiningOptions | None = None, tell: Tell = tell_nobody) -> MinedRepository:
    """Mine a repository, which is only read. Memory grows neither with history nor with what is found.

    Raises:
        GitError: the repository cannot be walked.
    """
    options = options or MiningOptions()
    commits = unreadable = 0
    chains: Spool[Chain] = Spool()
    with ExitStack() as stack:
        scratch = stack.enter_context(ScratchRepository(repository)).git
        reader = stack.enter_context(ObjectReader(scratch))
        spool = stack.enter_context(MergeSpool())
        picks = stack.enter_context(CherryPickMiner(scratch, reader, options))
        merge_miner = MergeMiner(repository, reader, spool, options)
        chain_miner = ChainMiner(scratch, options)
        for commit in read_history(repository, scratch, options.refs):
            tell("reading commits", commits, None)
            commits += 1
            unreadable += commit.changes is None
            merge_miner.visit(commit)
            chain_miner.visit(commit)
            picks.visit(commit)
            if chain_miner.ready:
                chains.extend(chain_miner.chains())
        chains.extend(chain_miner.chains())
        return MinedRepository(
            merges=Spool(merge_miner.merges(tell)),
            chains=chains,
            cherry_picks=Spool(picks.cherry_picks(tell)),
            commits=commits,
            unreadable_commits=unreadable,
            merge_counts=merge_miner.counts,
            chains_missing_object=chain_miner.missing_object,
            chains_out_of_time=chain_miner.out_of_time,
            patches_missing_object=picks.missing_object,
        )
