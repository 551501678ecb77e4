"""Compare the fast kernel of tree edit distance with the plain one on random trees, until told to stop.

    python bench/ted_fuzz.py [--pairs 1000000] [--most 12] [--seed 0] [--shared 0.05]

Distances and the closest subtree, with the node that wins a tie. Trees are of all shapes, with labels of one kind or of
many; half of the pairs are a tree and an edited copy. `--shared` of them have labels common to leaves and inner nodes,
for which the fast kernel must step back. A difference is printed as the seed of its pair, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import Random

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from gitgoodbench.ted import fast, plain
from tests.support.random_trees import random_pair


def differs(seed: int, most: int, shared: float) -> bool:
    """Whether the kernels disagree on the pair of this seed."""
    random = Random(seed)
    needle, haystack = random_pair(random, most, shared=random.random() < shared)
    distances = plain.subtree_distances(needle, haystack)
    node = int(np.argmin(distances))
    closest = fast.closest(needle, haystack)
    return closest != (int(distances[node]), node) or fast.distance(needle, haystack) != distances[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--most", type=int, default=12, help="nodes of a tree at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shared", type=float, default=0.05)
    arguments = parser.parse_args()
    start = time.process_time()
    for number in range(arguments.pairs):
        seed = arguments.seed * 10**9 + number
        if differs(seed, arguments.most, arguments.shared):
            print(f"pair {seed} of at most {arguments.most} nodes differs")
            return 1
        if number and number % 100_000 == 0:
            print(f"{number:,} pairs equal, {time.process_time() - start:.0f} s", flush=True)
    print(f"{arguments.pairs:,} pairs equal, {time.process_time() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
