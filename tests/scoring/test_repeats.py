"""pass@k and pass^k, against hand-computed values and against every choice of k answers."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.scoring.repeats import Attempts, pass_at_k, pass_hat_k
from gitgoodbench.scoring.statistics import Mean

THREE_EPOCHS = [Attempts(2, 3), Attempts(0, 3), Attempts(3, 3)]


@pytest.mark.parametrize(
    ("k", "at", "hat"),
    [
        (1, (2 / 3 + 0 + 1) / 3, (2 / 3 + 0 + 1) / 3),
        (2, (1 + 0 + 1) / 3, (1 / 3 + 0 + 1) / 3),
        (3, (1 + 0 + 1) / 3, (0 + 0 + 1) / 3),
    ],
)
def test_three_samples_in_three_epochs_as_computed_by_hand(k: int, at: float, hat: float) -> None:
    assert pass_at_k(THREE_EPOCHS, k).mean == pytest.approx(at)
    assert pass_hat_k(THREE_EPOCHS, k).mean == pytest.approx(hat)


def test_the_standard_error_is_that_over_samples() -> None:
    # 2/3, 0, 1 around 5/9: squares 0.012346 + 0.308642 + 0.197531; s = 0.509175; s / sqrt(3) = 0.293972
    assert pass_at_k(THREE_EPOCHS, 1).standard_error == pytest.approx(0.293972, abs=1e-6)


def test_a_sample_with_fewer_than_k_answers_is_left_out_and_not_taken_for_a_failure() -> None:
    samples = [*THREE_EPOCHS, Attempts(1, 1), Attempts(0, 0)]
    assert pass_at_k(samples, 1).count == 4
    assert pass_at_k(samples, 2) == pass_at_k(THREE_EPOCHS, 2)
    assert pass_hat_k(samples, 4) == Mean(None, None, 0)


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))))
def test_both_are_the_share_among_all_choices_of_k_answers(case: tuple[int, int, int]) -> None:
    solved, answers, k = case
    choices = list(combinations([True] * solved + [False] * (answers - solved), k))
    sample = [Attempts(solved, answers)]
    assert pass_at_k(sample, k).mean == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_hat_k(sample, k).mean == pytest.approx(sum(map(all, choices)) / len(choices))
