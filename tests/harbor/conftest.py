"""Tasks of the built-in suite, and what is collected of their workspaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.cli import run
from tests.support.harbor import CHAIN, MERGE


@pytest.fixture(scope="session")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A merge as mcr, a chain as icc and ir."""
    out = tmp_path_factory.mktemp("tasks")
    chosen = ["--sample", MERGE, "--sample", CHAIN]
    assert run(["export", "harbor", "mini", *chosen, "--network", "compose", "--out", str(out)]) == 0
    return out
