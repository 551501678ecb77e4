"""Mining against the slow and plain way, on random histories; and against the merge scenario's own replay."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitgoodbench.git.attainable import solve, truth_blobs_needed
from gitgoodbench.git.conflicts import read_conflicts
from gitgoodbench.git.objects import read_blobs, read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.git.replay import Stages
from gitgoodbench.mining.options import SOURCE_SUFFIXES, MiningOptions
from gitgoodbench.sample_types.chains import ChainOptions
from gitgoodbench.sample_types.merges import ConflictingMerge
from gitgoodbench.workspace.scratch import ScratchRepository
from tests.mining import brute_force
from tests.support.mining import Mined, mine_all
from tests.support.random_history import random_repository

OPTIONS = MiningOptions(own=(ChainOptions(min_commits=2, max_commits=3),))


@settings(max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_mining_finds_what_brute_force_finds(random: Random) -> None:
    with TemporaryDirectory() as folder:
        git = random_repository(random, Path(folder, "repository"), commits=14)
        check(git, Path(folder))


def check(git: Git, folder: Path) -> Mined:
    repository = Path(git.git_dir)
    mined = mine_all(git, OPTIONS)
    clone = brute_force.CleanClone(repository, folder / "clone")
    conflicts, failed = brute_force.conflicting_merges(clone, "--branches")
    assert {merge.oid: conflicts_of(merge, clone) for merge in mined.merges} == conflicts
    assert mined.merge_counts.no_base == len(failed)
    assert all("unrelated histories" in reason for reason in failed.values())
    for merge in mined.merges:
        assert (merge.conflicts, merge.attainable) == as_the_scenario_counts(git, merge)
    chains = brute_force.chains(repository, "--branches", at_least=2, at_most=3, suffixes=SOURCE_SUFFIXES)
    assert {(chain.path, chain.commits) for chain in mined.chains} == chains
    assert len(mined.chains) == len(chains)
    for chain in mined.chains:
        lines = brute_force.chain_lines(repository, chain.path, chain.commits)
        assert (chain.file_lines, chain.all_lines) == lines
    return mined


def conflicts_of(merge: ConflictingMerge, clone: brute_force.CleanClone) -> brute_force.Conflicts:
    return {file.path: (stages_of(file.stages, clone), file.regions) for file in merge.files}


def stages_of(stages: Stages, clone: brute_force.CleanClone) -> frozenset[brute_force.Stage]:
    numbered = enumerate((stages.base, stages.local, stages.incoming), 1)
    return frozenset(
        (number, entry.mode, clone.stage_id(entry.mode, entry.oid)) for number, entry in numbered if entry is not None
    )


def as_the_scenario_counts(git: Git, merge: ConflictingMerge) -> tuple[int, bool]:
    with ScratchRepository(git) as scratch:
        model = read_conflicts(scratch.git, scratch.replay(*merge.parents))
        truth = read_tree(scratch.git, merge.oid)
        blobs = read_blobs(scratch.git, truth_blobs_needed(model, truth))
        return len(model.conflicts), solve(model, truth, blobs).attainable
