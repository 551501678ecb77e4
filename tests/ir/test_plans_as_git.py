"""Random plans through the tools give the commits that `git rebase -i` makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tools_exactness import compare_plan


@pytest.mark.parametrize("seed", range(4))
def test_a_plan_through_the_tools_gives_what_git_rebase_gives(tmp_path: Path, seed: int) -> None:
    assert not compare_plan(seed, tmp_path).startswith("differs")
