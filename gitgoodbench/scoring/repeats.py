"""What several attempts at one sample show: pass@k and pass^k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

from gitgoodbench.scoring.statistics import Mean, mean_of


@dataclass(frozen=True)
class Attempts:
    """The answers to one sample: `solved` of `answers`."""

    solved: int
    answers: int


def pass_at_k(samples: Sequence[Attempts], k: int) -> Mean:
    """Chance that at least one of k attempts solves a sample; mean over the samples, and its standard error.

    For c solved of n answers 1 - C(n - c, k) / C(n, k), which is unbiased (M. Chen et al., arXiv 2107.03374, section
    2.1). A sample with fewer than k answers says nothing of k attempts: it is left out, and `count` is without it.
    """
    return _over_samples(samples, k, lambda solved, answers: 1 - comb(answers - solved, k) / comb(answers, k))


def pass_hat_k(samples: Sequence[Attempts], k: int) -> Mean:
    """pass^k, the chance that all of k attempts solve a sample; mean over the samples, and its standard error.

    For c solved of n answers C(c, k) / C(n, k) (S. Yao et al., tau-bench, arXiv 2406.12045). Samples with fewer than k
    answers are left out, as in `pass_at_k`.
    """
    return _over_samples(samples, k, lambda solved, answers: comb(solved, k) / comb(answers, k))


def _over_samples(samples: Sequence[Attempts], k: int, chance: Callable[[int, int], float]) -> Mean:
    return mean_of([chance(sample.solved, sample.answers) for sample in samples if sample.answers >= k])
