"""Whether edit mappings cost the distance and are mappings, against zss's and apted's, and how long they take.

    python bench/ted_mapping.py [--random 10000] [--real 300] [--others 2000] [--timed 60] [--seed 0]

Random trees are of all shapes, with labels of one kind or many; real ones are pieces of Python's standard library, a
piece and an edited copy of it or an unrelated one. Each mapping is checked: its cost, counted from its pairs, is the
distance; no node is in two pairs; left and right, above and below are kept. The exit code is 1 where one fails.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import exp, log
from pathlib import Path
from random import Random
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from ted_exactness import real_pairs
from ted_others import apted_mapping, apted_mapping_cost, zss_mapping_cost
from ted_pairs import edited, pieces, renamed

from gitgoodbench.ted import TreeTooLarge, edit_mapping, fast, pairing, parse, plain
from gitgoodbench.ted.matching import aligned
from gitgoodbench.ted.postorder import Postorder
from tests.support.mappings import check_mapping
from tests.support.random_trees import random_pair

Pair = tuple[Postorder, Postorder]
_SIMPLE = re.compile(rb" +[\w.]+(\([^()'\"]*\)| = [^()'\"\[\]{}\\]+)")
DEFINITIONS = ("function_definition", "class_definition", "module")


def is_wrong(pair: Pair, distance: Callable[[Postorder, Postorder], int]) -> bool:
    try:
        check_mapping(edit_mapping(*pair), distance(*pair))
    except AssertionError:
        return True
    return False


def plain_distance(a: Postorder, b: Postorder) -> int:
    return int(plain.subtree_distances(a, b)[-1])


def is_wrong_beyond_the_fast_kernel(pair: Pair) -> bool:
    with patch.object(pairing, "MAX_NEEDLE", 0):
        return is_wrong(pair, plain_distance)


def costs_otherwise(pair: Pair) -> bool:
    own = edit_mapping(*pair).distance
    return own != zss_mapping_cost(*pair) or own != apted_mapping_cost(*pair)


def large_pairs(random: Random, least: int, most: int) -> Iterator[Pair]:
    """A piece of code, and in turn an edited copy of it or the piece before."""
    before = None
    for piece in pieces(random, least, most, kinds=DEFINITIONS, per_file=4):
        other = (
            parse(edited(random, piece.source, random.choice((0.02, 0.2, 0.5))), "python") if before is None else before
        )
        yield piece.tree.nodes, aligned(other, piece.tree)
        before = piece.tree if before is None else None


def random_pairs(random: Random, most: int) -> Iterator[Pair]:
    while True:
        yield random_pair(random, most, shared=random.random() < 0.2)


def tell(what: str, pairs: Iterable[Pair], wrong: Callable[[Pair], bool]) -> bool:
    """Count those that are wrong, print it, and say whether there are any."""
    found = list(pairs)
    bad = sum(wrong(pair) for pair in found)
    size = statistics.mean(len(tree) for pair in found for tree in pair)
    print(f"{what}: {len(found):,} pairs of {size:,.0f} nodes on average, {bad} wrong", flush=True)
    return bad > 0


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """The least processor time of some runs."""
    took = []
    for _ in range(times):
        start = time.process_time()
        run()
        took.append(time.process_time() - start)
    return min(took)


def compare_times(pairs: list[Pair]) -> None:
    """Print how much faster mappings are made than by apted, and how much slower than a distance."""
    apted, distances, own = [], [], []
    for pair in pairs:
        mapped = seconds(lambda pair=pair: pairing.pair_nodes(*pair))  # type: ignore[misc]
        own.append(mapped)
        distances.append(mapped / seconds(lambda pair=pair: fast.distance(*pair)))  # type: ignore[misc]
        apted.append(seconds(lambda pair=pair: apted_mapping(*pair), 1) / mapped)  # type: ignore[misc]
    sizes = [len(tree) for pair in pairs for tree in pair]
    print(
        f"{len(pairs)} pairs of {min(sizes)} to {max(sizes)} nodes: {1000 * statistics.median(own):.2f} ms (median), "
        f"{_mean(apted):,.0f} times as fast as apted (lowest {min(apted):,.0f}), {_mean(distances):.1f} distances"
    )


def tell_large(random: Random) -> None:
    """Print time and memory for large sources: versions of one, and two that have nothing to do with each other."""
    for lines in (2_000, 20_000):
        first, second = (_source(random, lines) for _ in range(2))
        for name, other in (
            ("three names replaced", renamed(random, first, 3)),
            ("2 % of the lines changed", _changed(random, first, 0.02)),
            ("20 % of the lines changed", _changed(random, first, 0.2)),
            ("unrelated", second),
        ):
            tree = parse(other, "python")
            _tell_one(f"{lines:,} lines, {name}", (aligned(parse(first, "python"), tree), tree.nodes))


def _changed(random: Random, source: bytes, rate: float) -> bytes:
    """A source, that share of its calls and assignments (lines) taken out, doubled, or with a name replaced."""
    lines = []
    for line in source.split(b"\n"):
        if not _SIMPLE.fullmatch(line) or random.random() >= rate:
            lines.append(line)
            continue
        choice = random.randrange(3)
        lines += ([b""], [line, line], [line.replace(b"self", b"other").replace(b" = ", b" = new or ")])[choice]
    return b"\n".join(lines)


def _source(random: Random, lines: int) -> bytes:
    """Whole modules, one after the other, up to so many lines."""
    found = b""
    for piece in pieces(random, 500, 6000, kinds=("module",)):
        found += piece.module.source
        if found.count(b"\n") >= lines:
            break
    return b"\n".join(found.split(b"\n")[:lines]) + b"\n"


def _tell_one(name: str, pair: Pair) -> None:
    """In a process of its own, whose memory is counted."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            said = f"distance {edit_mapping(*pair).distance:,}"
        except TreeTooLarge:
            said = "refused"
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
        print(f"{name}, {len(pair[0]):,} nodes: {said}, {time.process_time() - start:.1f} s, {more} MiB", flush=True)
        os._exit(0)
    os.waitpid(child, 0)


def _mean(ratios: list[float]) -> float:
    return exp(statistics.mean(log(ratio) for ratio in ratios))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, count in (("random", 10_000), ("real", 300), ("others", 2000), ("timed", 60), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=count)
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    half = arguments.others // 2
    failed = [
        tell("random", islice(random_pairs(random, 40), arguments.random), lambda pair: is_wrong(pair, plain_distance)),
        tell(
            "random, beyond the fast kernel",
            islice(random_pairs(random, 40), arguments.random // 5),
            is_wrong_beyond_the_fast_kernel,
        ),
        tell("real", islice(large_pairs(random, 20, 6000), arguments.real), lambda pair: is_wrong(pair, fast.distance)),
        tell("random, against zss and apted", islice(random_pairs(random, 40), half), costs_otherwise),
        tell("real, against zss and apted", islice(real_pairs(random, 40), half), costs_otherwise),
    ]
    for least, most in ((10, 50), (50, 300)):
        compare_times(list(islice(large_pairs(random, least, most), arguments.timed // 2)))
    tell_large(random)
    return int(any(failed))


if __name__ == "__main__":
    sys.exit(main())
