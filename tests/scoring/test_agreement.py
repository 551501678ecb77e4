"""Kappa against published and hand-computed values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.scoring.agreement import Agreement, agreement, cohen_kappa, fleiss_kappa


def pairs_of(table: Sequence[Sequence[int]]) -> list[tuple[str, str]]:
    """The pairs behind a table of counts: the first rater down, the second across."""
    return [(str(i), str(j)) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]


def close(found: float | None, expected: float, digits: float) -> bool:
    return found == pytest.approx(expected, abs=digits)


def test_cohen_by_hand_on_20_episodes() -> None:
    # a: win 10, loss 10; b: win 12, loss 8; both win 9, both loss 7.
    # observed 16/20 = 0.8; expected 0.5 * 0.6 + 0.5 * 0.4 = 0.5; kappa (0.8 - 0.5) / 0.5 = 0.6.
    # A = 0.45 (1 - 1.1 * 0.4)^2 + 0.35 (1 - 0.9 * 0.4)^2 = 0.14112 + 0.14336 = 0.28448
    # B = 0.16 (0.05 (0.6 + 0.5)^2 + 0.15 (0.4 + 0.5)^2) = 0.16 * 0.182 = 0.02912
    # C = (0.6 - 0.5 * 0.4)^2 = 0.16; variance (0.28448 + 0.02912 - 0.16) / (20 * 0.25) = 0.03072; error 0.175271
    found = agreement([("win", "win")] * 9 + [("win", "loss")] + [("loss", "win")] * 3 + [("loss", "loss")] * 7)
    assert (found.name, found.raters, found.subjects) == ("Cohen's kappa", 2, 20)
    assert close(found.observed, 0.8, 1e-12)
    assert close(found.expected, 0.5, 1e-12)
    assert close(found.kappa, 0.6, 1e-12)
    assert found.interval == pytest.approx((0.6 - 1.959964 * 0.175271, 0.6 + 1.959964 * 0.175271), abs=1e-5)


def test_cohen_on_the_diagnoses_of_fleiss_levin_and_paik_table_18_1() -> None:
    # Statistical Methods for Rates and Proportions, 3rd edition, 18.1: kappa 0.68, standard error 0.087 (or .088)
    found = cohen_kappa(pairs_of([[75, 1, 4], [5, 4, 1], [0, 0, 10]]))
    assert close(found.observed, 0.89, 1e-12)
    assert close(found.expected, 0.66, 1e-12)
    assert close(found.kappa, 0.676, 5e-4)
    assert found.interval is not None
    assert close((found.interval[1] - found.interval[0]) / (2 * 1.959964), 0.0877, 5e-5)


def test_fleiss_on_his_example_of_14_raters() -> None:
    # The worked example of ten subjects, 14 raters, five categories: P 0.378, P_e 0.213, kappa 0.210.
    # Standard error 0.09237 as irrCAC (Gwet's own package) computes it.
    counts = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    found = agreement([[str(k) for k, count in enumerate(row) for _ in range(count)] for row in counts])
    assert (found.name, found.raters, found.subjects) == ("Fleiss' kappa", 14, 10)
    assert close(found.observed, 0.378, 5e-4)
    assert close(found.expected, 0.213, 5e-4)
    assert close(found.kappa, 0.210, 5e-4)
    assert found.interval is not None
    assert close((found.interval[1] - found.interval[0]) / (2 * 1.959964), 0.09237, 5e-6)


def test_fleiss_by_hand_on_three_judges_and_four_episodes() -> None:
    # www, wwl, lll, ltw. Shares: w 6/12, l 5/12, t 1/12; expected 36/144 + 25/144 + 1/144 = 62/144.
    # Agreeing pairs 1, 1/3, 1, 0: observed 7/12. kappa (84/144 - 62/144) / (82/144) = 22/82.
    # By chance, per episode: 6/12, 17/36, 5/12, 4/12; linearized values (x - e - 2(1 - k)(c - e)) / (1 - e):
    # 0.821535, -0.277811, 1.035693, -0.506246; squares of their distances from kappa sum to 1.793120; / 12 = 0.149427.
    found = agreement([("w", "w", "w"), ("w", "w", "l"), ("l", "l", "l"), ("l", "t", "w")])
    assert close(found.observed, 7 / 12, 1e-12)
    assert close(found.expected, 62 / 144, 1e-12)
    assert close(found.kappa, 22 / 82, 1e-12)
    error = 0.149427**0.5
    assert found.interval == pytest.approx((22 / 82 - 1.959964 * error, min(1.0, 22 / 82 + 1.959964 * error)), abs=1e-5)


def test_perfect_and_perfectly_wrong_agreement() -> None:
    right = agreement([("win", "win")] * 5 + [("loss", "loss")] * 5)
    assert (right.kappa, right.interval) == (1.0, (1.0, 1.0))
    wrong = agreement([("win", "loss")] * 5 + [("loss", "win")] * 5)
    assert wrong.kappa == -1.0
    assert agreement([("w", "w", "w"), ("l", "l", "l")]).kappa == 1.0


@pytest.mark.parametrize("ratings", [[("win", "win")] * 7, [("win", "win", "win")] * 7])
def test_one_category_alone_has_no_kappa(ratings: list[tuple[str, ...]]) -> None:
    found = agreement(ratings)
    assert (found.observed, found.expected, found.kappa, found.interval) == (1.0, 1.0, None, None)


def test_nothing_and_a_single_episode() -> None:
    assert cohen_kappa([]) == Agreement("Cohen's kappa", 2, 0, None, None, None, None)
    assert agreement([]).kappa is None
    single = agreement([("win", "loss")])
    assert (single.kappa, single.interval) == (0.0, None)
    assert fleiss_kappa([("win", "loss", "tie")]).interval is None


@pytest.mark.parametrize("ratings", [[("win",)], [("win", "loss"), ("win", "loss", "tie")]])
def test_ratings_that_do_not_fit_together_are_refused(ratings: list[tuple[str, ...]]) -> None:
    with pytest.raises(ValueError, match="the same two or more raters"):
        agreement(ratings)


RATINGS = st.integers(2, 5).flatmap(
    lambda raters: st.lists(st.tuples(*[st.sampled_from(["win", "tie", "loss"])] * raters), min_size=2, max_size=40)
)


@given(RATINGS)
def test_a_kappa_lies_in_its_interval_and_does_not_depend_on_the_order(ratings: list[tuple[str, ...]]) -> None:
    found = agreement(ratings)
    mirrored = agreement([tuple(reversed(subject)) for subject in reversed(ratings)])
    assert mirrored.kappa == (None if found.kappa is None else pytest.approx(found.kappa))
    if found.kappa is None:
        return
    assert found.interval is not None
    assert -1 <= found.interval[0] <= found.kappa + 1e-12
    assert found.kappa - 1e-12 <= found.interval[1] <= 1


@pytest.mark.parametrize("raters", [2, 3])
def test_the_same_answer_in_every_epoch_says_no_more_than_one_epoch(raters: int) -> None:
    once = [("w", "w", "w"), ("w", "w", "l"), ("l", "l", "l"), ("l", "t", "w"), ("t", "t", "t"), ("w", "t", "t")]
    ratings = [rating[-raters:] for rating in once]
    m = len(ratings)
    single = agreement(ratings).interval
    clustered = agreement(ratings * 4, clusters=[*range(m)] * 4)
    independent = agreement(ratings * 4).interval
    assert single is not None
    assert clustered.interval is not None
    assert clustered.kappa is not None
    assert independent is not None
    factor = math.sqrt(m / (m - 1)) if raters == 2 else 1.0  # Fleiss, Cohen and Everitt divide by n
    assert clustered.kappa == pytest.approx(agreement(ratings).kappa)
    assert clustered.interval[0] == pytest.approx(clustered.kappa - factor * (clustered.kappa - single[0]))
    assert independent[0] > clustered.interval[0]


def test_epochs_of_one_sample_alone_have_no_interval() -> None:
    assert agreement([("w", "w"), ("w", "l"), ("l", "l")], clusters=["s"] * 3).interval is None


def test_a_category_of_one_rater_alone_counts_in_the_interval() -> None:
    # a says x, x, y, y; b says x, x, y, z. observed 3/4; expected 1/2 * 1/2 + 1/2 * 1/4 = 3/8; kappa 3/8 / (5/8) = 3/5.
    # (1 - (p_b + p_a) 2/5 - 3/4 + 2 * 3/8 * 2/5) / (5/8): x, x: (0.55 - 1.0 * 0.4) / 0.625 = 0.24, twice;
    # y, y: (0.55 - 0.75 * 0.4) / 0.625 = 0.4; y, z: (-0.45 - (0.25 + 0) * 0.4) / 0.625 = -0.88.
    # error: sqrt(2 * 0.24^2 + 0.4^2 + 0.88^2) / 4 = sqrt(1.0496) / 4 = 0.256125
    found = cohen_kappa([("x", "x"), ("x", "x"), ("y", "y"), ("y", "z")])
    assert found.kappa == pytest.approx(0.6)
    assert found.interval == pytest.approx((0.6 - 1.959964 * 0.256125, 1.0), abs=1e-5)
    mirrored = cohen_kappa([("x", "x"), ("x", "x"), ("y", "y"), ("z", "y")])
    assert mirrored.interval == pytest.approx(found.interval)


def test_no_interval_leaves_minus_1_to_1() -> None:
    found = cohen_kappa([("x", "y"), ("y", "x"), ("x", "x"), ("x", "y")])
    assert found.interval is not None
    assert found.interval[0] == -1.0


def test_every_agreement_names_its_statistic_and_its_raters() -> None:
    cohen, fleiss = "Cohen's kappa", "Fleiss' kappa"
    assert cohen_kappa([]) == Agreement(cohen, 2, 0, None, None, None, None)
    assert cohen_kappa([("x", "x")] * 3) == Agreement(cohen, 2, 3, 1.0, 1.0, None, None)
    assert fleiss_kappa([]) == Agreement(fleiss, 0, 0, None, None, None, None)
    assert fleiss_kappa([("x", "x", "x")] * 2) == Agreement(fleiss, 3, 2, 1.0, 1.0, None, None)
