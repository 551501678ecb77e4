"""The parts of a reward add up to it, and an environment whose framework is missing says what to install."""

from __future__ import annotations

import math
from importlib import import_module
from importlib.util import find_spec

import pytest

from gitgoodbench import Scored, Status, UserError
from gitgoodbench.frameworks.components import EXACT_WEIGHT, GRADED_WEIGHT, Components, metrics_of


def scored(*, solved: bool | None, reward: float) -> Scored:
    return Scored(
        status=Status.COMPLETED, solved=solved, solved_paper=None, gates={"committed": True},
        scores={"ted_similarity": 0.5, "ast_match": None}, facts={}, reward=reward,
    )  # fmt: skip


@pytest.mark.parametrize(("solved", "reward"), [(True, 1.0), (False, 0.0), (False, 0.45), (None, 0.9), (False, 0.9)])
def test_the_parts_add_up_to_the_reward(solved: bool | None, reward: float) -> None:
    parts = Components.of(scored(solved=solved, reward=reward))
    assert math.isclose(EXACT_WEIGHT * parts.exact + GRADED_WEIGHT * parts.graded, reward, abs_tol=1e-12)
    assert 0 <= parts.graded <= 1
    assert parts.exact == float(bool(solved))


def test_metrics_leave_out_what_is_unknown() -> None:
    assert metrics_of(scored(solved=None, reward=0.2)) == {
        "gate_committed": 1.0,
        "ted_similarity": 0.5,
        "answered": 1.0,
    }


@pytest.mark.skipif(find_spec("verifiers") is not None, reason="it is installed")
def test_a_framework_that_is_missing_is_told_in_one_line() -> None:
    with pytest.raises(UserError) as refused:
        import_module("gitgoodbench.frameworks.verifiers")
    assert str(refused.value) == (
        "verifiers is not installed, which this environment is for: pip install 'gitgoodbench[verifiers]'"
    )
