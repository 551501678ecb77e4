"""Hunks as the tools show them, applied as text by `git apply --cached`, give what the tools commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tools_exactness import compare_division


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 65, 103])
def test_shown_hunks_applied_by_git_give_the_committed_file(tmp_path: Path, seed: int) -> None:
    assert set(compare_division(seed, tmp_path)) == {"the same file"}
