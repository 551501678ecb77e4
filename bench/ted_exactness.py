"""Whether tree edit distances are those of independent implementations, on random trees and on the standard library's.

    python bench/ted_exactness.py [--pairs 5000] [--searches 500] [--seed 0]

Half of the pairs are random trees of all shapes, half are pieces of Python code, related and not. Both kernels must
give the distance that zss and apted give; a search must give the least distance that zss finds for any subtree, and the
first subtree with it. The exit code is 1 where one does not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from ted_others import apted_distance, zss_distance
from ted_pairs import edited, pieces

from gitgoodbench.ted import fast, parse, plain
from gitgoodbench.ted.matching import aligned
from gitgoodbench.ted.postorder import Postorder
from tests.support.random_trees import random_pair

KINDS = ("function_definition", "expression_statement", "if_statement", "return_statement", "assignment", "call")


def random_pairs(random: Random, most: int) -> Iterator[tuple[Postorder, Postorder]]:
    while True:
        yield random_pair(random, most, shared=random.random() < 0.1)


def real_pairs(random: Random, most: int) -> Iterator[tuple[Postorder, Postorder]]:
    """A piece of code, and in turn an edited copy of it or the piece before."""
    while True:
        before = None
        for piece in pieces(random, 3, most, kinds=KINDS, per_file=8):
            other = parse(edited(random, piece.source, 0.3), "python") if before is None else before
            if len(other) <= 2 * most:
                yield piece.tree.nodes, aligned(other, piece.tree)
            before = piece.tree if before is None else None


def wrong_distance(a: Postorder, b: Postorder) -> bool:
    expected = zss_distance(a, b)
    distances = (fast.distance(a, b), int(plain.subtree_distances(a, b)[-1]), apted_distance(a, b))
    return any(distance != expected for distance in distances)


def wrong_search(needle: Postorder, haystack: Postorder) -> bool:
    each = [zss_distance(needle, haystack.subtree(node)) for node in range(len(haystack))]
    return fast.closest(needle, haystack) != (min(each), each.index(min(each)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--searches", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    failed = False
    for name, source in (("random", random_pairs), ("real", real_pairs)):
        for what, wrong, count, most in (
            ("distances", wrong_distance, arguments.pairs // 2, 40),
            ("searches", wrong_search, arguments.searches // 2, 25),
        ):
            pairs = list(islice(source(random, most), count))
            bad = sum(wrong(*pair) for pair in pairs)
            size = sum(len(tree) for pair in pairs for tree in pair) / (2 * len(pairs))
            print(f"{name} trees of {size:.0f} nodes on average: {count} {what}, {bad} differ", flush=True)
            failed = failed or bad > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
