"""How often the intervals of `gitgoodbench compare` hold the true difference, and what power its formula gives.

Two agents are made up: each sample is hard for both by chance, each agent has a gift for each sample, and epochs are
drawn from these. `plain` is the bootstrap's 2.5 and 97.5 %, `expanded` takes them further out, `score` is Tango's
interval with as many pairs as there are samples, `used` is what `compare` prints, `episodes` draws episodes as if they
were independent.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.comparing.bootstrap import FEWEST, ratio_interval, tail_of
from gitgoodbench.comparing.differences import Differences
from gitgoodbench.comparing.exact import Interval, exchange_p, score_interval
from gitgoodbench.comparing.power import needed_samples

Floats = NDArray[np.float64]

KINDS = ("plain", "expanded", "score", "used", "episodes")
SHAPES = [(samples, epochs) for samples in (10, 30, 120) for epochs in (1, 5)]
AGENTS = [(0.1, 0.0, 2.0), (0.3, 0.1, 2.0), (0.02, 0.03, 2.0), (0.5, 0.3, 1.0)]
"""The worse agent's rate on a usual sample, what the better one has more, and how much samples differ (logits)."""


def main() -> None:
    """Print both tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=1000, help="simulated comparisons for each line")
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    generator = np.random.default_rng(chosen.seed)
    print(f"share of {chosen.runs} intervals that hold the true difference (95 % are wanted)")
    print(f"{'samples':>8}{'epochs':>8}{'rate':>8}{'true':>8}", *(f"{kind:>9}" for kind in KINDS))
    for agents in AGENTS:
        truth = float(np.subtract(*outcomes(generator, 1_000_000, 1, agents)).mean())
        for samples, epochs in SHAPES:
            held = dict.fromkeys(KINDS, 0)
            for _ in range(chosen.runs):
                for kind, (low, high) in intervals(np.subtract(*outcomes(generator, samples, epochs, agents))):
                    held[kind] += low - 1e-6 <= truth <= high + 1e-6
            shares = (f"{held[kind] / chosen.runs:9.3f}" for kind in KINDS)
            print(f"{samples:8}{epochs:8}{agents[0]:8.2f}{truth:8.3f}", *shares, flush=True)
    print(
        f"\npower of the exact test with as many samples as the formula says, {chosen.runs} simulations (80 % wanted)"
    )
    print(f"{'flips':>8}{'true':>8}{'samples':>9}{'power':>8}")
    for flips, delta in ((0.1, 0.05), (0.2, 0.1), (0.3, 0.1), (0.3, 0.2), (0.5, 0.3)):
        needed = needed_samples(flips, delta, whole=True) or 0
        chances = [(flips + delta) / 2, (flips - delta) / 2, 1 - flips]
        draws = generator.choice([1, -1, 0], p=chances, size=(chosen.runs, needed))
        seen = np.mean([exchange_p(draw.tolist()) < 0.05 for draw in draws])
        print(f"{flips:8.2f}{delta:8.2f}{needed:9}{seen:8.3f}", flush=True)


def outcomes(
    generator: np.random.Generator, samples: int, epochs: int, agents: tuple[float, float, float]
) -> tuple[Floats, Floats]:
    """Who solved what: samples down, epochs across."""
    rate, more, spread = agents
    usual = np.log([[(rate + more) / (1 - rate - more)], [rate / (1 - rate)]])
    hard, gift = generator.normal(0, spread, samples), generator.normal(0, spread / 2, (2, samples))
    chances = 1 / (1 + np.exp(-(usual + hard + gift)))
    solved = generator.random((2, samples, epochs)) < chances[:, :, np.newaxis]
    return solved[0].astype(float), solved[1].astype(float)


def intervals(differences: Floats) -> Iterator[tuple[str, Interval]]:
    """Each kind of interval of the mean difference."""
    samples, epochs = differences.shape
    sums, counts = differences.sum(1), np.full(samples, float(epochs))
    if samples >= FEWEST:
        drawn = resampled(sums, counts)
        yield "plain", tuple(np.percentile(drawn, [2.5, 97.5]))
        yield "expanded", tuple(np.percentile(drawn, [100 * tail_of(samples), 100 - 100 * tail_of(samples)]))
    above, below = float((differences > 0).sum()) / epochs, float((differences < 0).sum()) / epochs
    yield "score", score_interval(above, below, samples)
    by_sample = Differences.of((place, float(value)) for place, row in enumerate(differences) for value in row)
    used = by_sample.interval()[0]
    if used is not None:
        yield "used", used
    single = ratio_interval(differences.ravel(), np.ones(differences.size))
    if single is not None:
        yield "episodes", single


def resampled(sums: Floats, counts: Floats) -> Floats:
    """A thousand means over samples that are drawn with replacement."""
    drawn = np.random.default_rng(0).integers(len(sums), size=(1000, len(sums)))
    return np.asarray(sums[drawn].sum(1) / counts[drawn].sum(1))


if __name__ == "__main__":
    main()
