"""The miner against brute force on whole repositories: the same merges, files, stages, regions and chains?

    python -m bench.mining_exactness REPOSITORY...

Brute force (tests/mining/brute_force.py) is independent code: it runs `git merge` in a clean clone for every merge
of two commits, and walks history commit by commit for the chains. Lines are counted again for up to 120 chains.
Prints a Markdown table; exits with 1 on any difference.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.options import SOURCE_SUFFIXES
from tests.mining import brute_force
from tests.mining.test_mining_by_brute_force import conflicts_of
from tests.support.mining import Mined, mine_all

SELECTION = ("--branches", "--remotes")
RECOUNTED = 120


def merges_differ(repository: Path, mined: Mined) -> int:
    """How many merges only one of the two finds, or finds otherwise."""
    with TemporaryDirectory() as folder:
        clone = brute_force.CleanClone(repository, Path(folder) / "clone")
        expected, _ = brute_force.conflicting_merges(clone, *SELECTION)
        found = {merge.oid: conflicts_of(merge, clone) for merge in mined.merges}
    return sum(found.get(oid) != expected.get(oid) for oid in found.keys() | expected.keys())


def chains_differ(repository: Path, mined: Mined) -> int:
    """How many chains only one of the two finds; those that the miner reports as not countable do not count."""
    expected = brute_force.chains(repository, *SELECTION, at_least=3, at_most=6, suffixes=SOURCE_SUFFIXES)
    found = {(chain.path, chain.commits) for chain in mined.chains}
    return len(found - expected) + abs(len(expected - found) - mined.chains_missing_object)


def lines_differ(repository: Path, mined: Mined) -> int:
    """How many chains have other counts of lines."""
    chains = list(mined.chains)
    sample = chains if len(chains) <= RECOUNTED else random.Random(1).sample(chains, RECOUNTED)
    return sum(
        (chain.file_lines, chain.all_lines) != brute_force.chain_lines(repository, chain.path, chain.commits)
        for chain in sample
    )


def main() -> int:
    print(
        "| repository | commits | merges | conflicting | attainable | differing | chains | differing | s | by force s |"
    )
    print("|---" * 10 + "|")
    wrong = 0
    for name in sys.argv[1:]:
        repository = Path(name)
        begun = time.perf_counter()
        mined = mine_all(Mirror(repository).borrow(refs=True))
        seconds = time.perf_counter() - begun
        begun = time.perf_counter()
        merges = merges_differ(repository, mined)
        chains = chains_differ(repository, mined) + lines_differ(repository, mined)
        brute = time.perf_counter() - begun
        counts = mined.merge_counts
        shown = repository.parent.name if repository.name in ("repo", ".git") else repository.name
        print(
            f"| {shown} | {mined.commits} | {counts.conflicting + counts.clean} | {counts.conflicting} "
            f"| {sum(merge.attainable for merge in mined.merges)} | {merges} | {len(mined.chains)} | {chains} "
            f"| {seconds:.1f} | {brute:.0f} |", flush=True,
        )  # fmt: skip
        wrong += merges + chains
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
