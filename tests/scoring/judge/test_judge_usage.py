"""What several questions used together."""

from __future__ import annotations

from gitgoodbench.models.meter import Usage
from gitgoodbench.scoring.judge.record import total_usage


def test_usage_is_summed_and_what_is_unknown_in_one_part_is_unknown_in_the_sum() -> None:
    first, second = Usage(1, 10, 2, 3, 0.25), Usage(2, 20, 4, 6, 0.5)
    assert total_usage([first, second, Usage()]) == Usage(3, 30, 6, 9, 0.75)
    assert total_usage([first, Usage(1, None, None, None, None)]) == Usage(2, None, None, None, None)
    assert total_usage([Usage()]) == Usage(0, 0, 0, 0, 0.0)
