"""What the kernels of tree edit distance cost, all in one run.

    python bench/ted.py [--pairs 40] [--json FILE] [--picture docs/ted.png]

Needles are functions of 200 to 300 nodes of the standard library. Haystacks are the function alone after a change, and
the whole file after it (up to 6,000 nodes). The change: lines edited (5 to 60 % of them), three names replaced
everywhere, or another function and its file instead. For each needle: the fast kernel, the plain one pass, and the
plain kernel on one subtree after another. Then needles of 10 to 3,000 nodes with 20 % of their lines edited, also with
zss and apted as far as they finish within a time limit; the distance of two trees is all that these two are asked for.

Times are processor times, the best of several. Ratios are geometric means, with the lowest one beside them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import ted_others
import ted_pairs
from joblib import Parallel, delayed
from ted_pairs import Pair, Piece

from gitgoodbench.ted import fast, plain
from gitgoodbench.ted.postorder import Postorder
from gitgoodbench.ted.search import search

SIZES: Final = (10, 30, 100, 300, 1_000, 3_000)
PATIENCE_S: Final = 20.0
"""An implementation that takes longer for one pair is not asked about larger ones."""

TARGETS: Final = {
    "edited": 40.0,
    "renamed": 100.0,
    "unrelated": 20.0,
    "plain, one pass : per subtree": 5.0,
    "zss": 1_000.0,
    "apted": 1_000.0,
    "two threads": 1.8,
}
Kernel = Callable[[Postorder, Postorder], Any]


def timed(kernel: Kernel, needle: Postorder, haystack: Postorder, tries: int = 3) -> float:
    """Seconds of processor time for one call, the best of some tries of at least 20 ms each."""
    begun = time.process_time()
    kernel(needle, haystack)
    once = time.process_time() - begun
    if once > 1:
        return once
    repeats = max(1, int(0.02 / max(once, 1e-7)))
    best = once
    for _ in range(tries):
        begun = time.process_time()
        for _ in range(repeats):
            kernel(needle, haystack)
        best = min(best, (time.process_time() - begun) / repeats)
    return best


def summary(ratios: Iterable[float]) -> dict[str, float]:
    values = np.array(list(ratios))
    return {"mean": float(np.exp(np.log(values).mean())), "lowest": float(values.min()), "pairs": len(values)}


def classes(random: Random, count: int) -> dict[str, list[Pair]]:
    """Pairs of the three kinds."""
    found = list(islice(ted_pairs.pieces(random, 200, 300, kinds=("function_definition",)), count))
    rates = np.linspace(0.05, 0.6, count)
    return {
        "edited": [
            ted_pairs.changed_pair(piece, ted_pairs.edited(random, piece.source, rate))
            for piece, rate in zip(found, rates, strict=True)
        ],
        "renamed": [ted_pairs.changed_pair(piece, ted_pairs.renamed(random, piece.source, 3)) for piece in found],
        "unrelated": [ted_pairs.unrelated_pair(piece, found[(place + 7) % count]) for place, piece in enumerate(found)],
    }


def measure_searches(pairs: Sequence[tuple[Postorder, Postorder]], *, one_by_one: int) -> dict[str, Any]:
    """The three searches on each pair, the slowest on some; all must agree."""
    fast_s, plain_s, singly, distances, computed = [], [], [], [], []
    for number, (needle, haystack) in enumerate(pairs):
        expected = plain.subtree_distances(needle, haystack)
        node = int(np.argmin(expected))
        if fast.closest(needle, haystack) != (int(expected[node]), node):
            raise RuntimeError("the kernels differ")
        distances.append(float(expected[node]) / len(needle))
        fast_s.append(timed(fast.closest, needle, haystack))
        plain_s.append(timed(plain.subtree_distances, needle, haystack, tries=2))
        cells = search(needle.labels, needle.leftmost, haystack.labels, haystack.leftmost, False)[2]
        computed.append(cells / plain.cells(needle, haystack))
        if number < one_by_one:
            each = timed(plain.subtree_distances_one_by_one, needle, haystack, tries=1)
            singly.append(each / plain_s[-1])
    return {
        "haystack, nodes": float(np.mean([len(haystack) for _, haystack in pairs])),
        "distance, share of the needle": float(np.mean(distances)),
        "fast, us": 1e6 * float(np.exp(np.log(fast_s).mean())),
        "plain, us": 1e6 * float(np.exp(np.log(plain_s).mean())),
        "fast : plain": summary(np.array(plain_s) / np.array(fast_s)),
        "plain, one pass : per subtree": summary(singly),
        "cells computed, share of the plain pass": float(np.mean(computed)),
    }


def measure_sizes(random: Random, count: int) -> dict[str, Any]:
    """Seconds over size for each kernel and implementation; how many times as long as the fast kernel others take."""
    kernels: dict[str, Kernel] = {
        "fast": fast.closest,
        "plain, one pass": plain.subtree_distances,
        "plain, per subtree": plain.subtree_distances_one_by_one,
        "fast, distance": fast.distance,
        "zss": ted_others.zss_distance,
        "apted": ted_others.apted_distance,
    }
    curve: dict[str, list[tuple[int, float]]] = {name: [] for name in kernels}
    ratios: dict[str, list[float]] = {"zss": [], "apted": []}
    for size in SIZES:
        kinds = ("function_definition", "class_definition", "module", "expression_statement", "if_statement")
        chosen: list[Piece] = list(
            islice(ted_pairs.pieces(random, size * 9 // 10, size * 11 // 10, kinds=kinds), count)
        )
        pairs = [ted_pairs.changed_pair(piece, ted_pairs.edited(random, piece.source, 0.2)) for piece in chosen]
        for name, kernel in kernels.items():
            if curve[name] and (curve[name][-1][0] != _before(size) or curve[name][-1][1] > PATIENCE_S / 8):
                continue
            print(size, name, file=sys.stderr)
            seconds = [timed(kernel, pair.needle, pair.alone, tries=1) for pair in pairs]
            curve[name].append((size, float(np.exp(np.log(seconds).mean()))))
            if name in ratios:
                own_seconds = [timed(fast.distance, pair.needle, pair.alone) for pair in pairs]
                ratios[name] += [other / own for other, own in zip(seconds, own_seconds, strict=True)]
    return {"curve": curve, "ratios": {name: summary(values) for name, values in ratios.items()}}


def _before(size: int) -> int:
    return SIZES[SIZES.index(size) - 1]


def measure_threads(pairs: Sequence[Pair]) -> float:
    """How many times as fast two threads are: the least wall times of joblib on the same searches."""

    def run(threads: int) -> float:
        begun = time.perf_counter()
        Parallel(n_jobs=threads, backend="threading", batch_size=8)(
            delayed(fast.closest)(pair.needle_in_file, pair.file) for pair in pairs for _ in range(8)
        )
        return time.perf_counter() - begun

    times = [(run(1), run(2)) for _ in range(9)]
    return min(one for one, _ in times) / min(two for _, two in times)


_START: Final = """
import time
begun = time.perf_counter(), time.process_time()
import numpy as np
from gitgoodbench.ted.fast import closest
from gitgoodbench.ted.postorder import Postorder
tree = Postorder(np.array([1, 2], np.int32), np.array([0, 0], np.int32))
closest(tree, tree)
print(time.perf_counter() - begun[0], time.process_time() - begun[1])
"""


def measure_start() -> list[float]:
    """Wall and processor seconds of imports and first call in a new process, with a warm cache; the best of five."""
    runs = [subprocess.run([sys.executable, "-c", _START], stdout=subprocess.PIPE, check=True).stdout for _ in range(6)]
    return [min(times) for times in zip(*[map(float, run.split()) for run in runs[1:]], strict=True)]


_PEAK: Final = """
import pathlib, sys
import numpy as np
from gitgoodbench.ted.fast import closest
from gitgoodbench.ted.postorder import Postorder
arrays = np.load(sys.argv[1])
trees = [Postorder(arrays[f"labels{side}"], arrays[f"leftmost{side}"]) for side in (0, 1)]
small = Postorder(np.array([1, 2, 3], np.int32), np.array([0, 0, 0], np.int32))
closest(small, trees[1].subtree(40))
lines = lambda: pathlib.Path("/proc/self/status").read_text().splitlines()
peak = lambda: next(int(line.split()[1]) for line in lines() if line.startswith("VmHWM"))
before = peak()
closest(*trees)
print((peak() - before) / 1024)
"""


def measure_memory(pair: tuple[Postorder, Postorder], folder: Path) -> float:
    """MiB by which one search raises the peak of a new process."""
    file = folder / "pair.npz"
    arrays = {f"{name}{side}": getattr(tree, name) for side, tree in enumerate(pair) for name in ("labels", "leftmost")}
    np.savez(file, **arrays)
    done = subprocess.run([sys.executable, "-c", _PEAK, str(file)], stdout=subprocess.PIPE, check=True)
    file.unlink()
    return float(done.stdout)


def draw(curve: dict[str, list[tuple[int, float]]], file: Path) -> None:
    """The time for one pair over its size."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    markers = dict(zip(curve, "osD^vx", strict=True))
    for name, points in curve.items():
        sizes, seconds = zip(*points, strict=True)
        axes.loglog(sizes, seconds, marker=markers[name], label=name, linewidth=2.2 if name == "fast" else 1.2)
    axes.set_xlabel("nodes of each tree, 20 % of the lines edited")
    axes.set_ylabel("processor seconds for one pair")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(file, dpi=110)


def report(found: dict[str, Any]) -> bool:
    """Print everything, and whether all targets are met."""
    met = True
    print(f"{'':44}{'mean':>10}{'lowest':>10}{'pairs':>7}")

    def line(name: str, ratios: dict[str, float], target: float) -> None:
        nonlocal met
        met = met and ratios["mean"] >= target
        verdict = f"   target {target:,.0f} {'met' if ratios['mean'] >= target else 'MISSED'}"
        print(f"{name:44}{ratios['mean']:10,.1f}{ratios['lowest']:10,.1f}{ratios['pairs']:7.0f}{verdict}")

    singly = "plain, one pass : per subtree"
    for name, values in found["searches"].items():
        line(f"{name}, fast : plain", values["fast : plain"], TARGETS[name.split(",")[0]])
        line(f"{name}, one pass : per subtree", values[singly], TARGETS[singly])
    for name, ratios in found["sizes"]["ratios"].items():
        line(f"fast distance : {name}", ratios, TARGETS[name])
    for name, values in found["searches"].items():
        print(f"{name}: " + ", ".join(f"{key} {value:,.3g}" for key, value in values.items() if ":" not in key))
    for name, points in found["sizes"]["curve"].items():
        print(f"{name:20}" + "".join(f"{size:>8,}: {1e3 * seconds:10,.3f} ms" for size, seconds in points))
    met = met and bool(found["two threads"] >= TARGETS["two threads"])
    print(f"two threads: {found['two threads']:.2f} times one (target {TARGETS['two threads']})")
    print(f"import and first call: {found['start, s'][0]:.2f} s, {found['start, s'][1]:.2f} s of processor time")
    print("peak memory of a search, MiB: " + ", ".join(f"{name} {peak:.1f}" for name, peak in found["memory"].items()))
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=40, help="needles of 200 to 300 nodes")
    parser.add_argument("--curve-pairs", type=int, default=5, help="pairs of each size of the curve")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    found: dict[str, Any] = {"start, s": measure_start(), "searches": {}, "memory": {}}
    kinds = classes(random, arguments.pairs)
    for name, pairs in kinds.items():
        alone = [(pair.needle, pair.alone) for pair in pairs]
        in_file = [(pair.needle_in_file, pair.file) for pair in pairs]
        found["searches"][f"{name}, alone"] = measure_searches(alone, one_by_one=8)
        print(name, file=sys.stderr)
        found["searches"][f"{name}, in its file"] = measure_searches(in_file, one_by_one=1)
        print(name, "in its file", file=sys.stderr)
    found["two threads"] = measure_threads([*kinds["edited"], *kinds["unrelated"]])
    found["sizes"] = measure_sizes(random, arguments.curve_pairs)
    largest = max(kinds["unrelated"], key=lambda pair: len(pair.file))
    module = next(ted_pairs.pieces(random, 2_700, 3_300, kinds=("module",)))
    other = next(ted_pairs.pieces(random, 2_700, 3_300, kinds=("module",)))
    folder = arguments.json.parent if arguments.json else Path()
    for name, pair in {
        "250 nodes in a file": (largest.needle_in_file, largest.file),
        "3,000 nodes in 3,000": (ted_pairs.unrelated_pair(module, other).needle, other.tree.nodes),
    }.items():
        found["memory"][name] = measure_memory(pair, folder)
    met = report(found)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if arguments.picture:
        draw(found["sizes"]["curve"], arguments.picture)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
