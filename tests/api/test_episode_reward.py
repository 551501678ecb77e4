"""What an episode is worth as one number."""

from typing import Any

import pytest

from gitgoodbench.api.scored import reward_of
from tests.support.fake_runs import make_result

MET = {"clean": True}


@pytest.mark.parametrize(
    ("changes", "reward"),
    [
        pytest.param({"solved": True, "scores": {}}, 1.0, id="solved"),
        pytest.param({"gates": {"clean": False}, "scores": {"a": 1.0}}, 0.0, id="a gate is not met"),
        pytest.param({"gates": {}, "scores": {"a": 1.0}}, 0.0, id="no gates were looked at"),
        pytest.param({"gates": MET, "scores": {}}, 0.0, id="nothing was scored"),
        pytest.param({"gates": MET, "scores": {"a": 0.5, "b": 1.0}}, 0.675, id="the mean of scores"),
        pytest.param({"gates": MET, "scores": {"a": 0.5, "b": None}}, 0.225, id="unknown counts as 0"),
        pytest.param({"gates": MET, "scores": {"a": None}}, 0.0, id="all unknown"),
        pytest.param({"gates": MET, "scores": {"a": 1.0}}, 0.9, id="an unsolved one stays below 1"),
    ],
)
def test_reward(changes: dict[str, Any], reward: float) -> None:
    assert reward_of(make_result(**{"solved": False, **changes})) == pytest.approx(reward, abs=1e-12)
