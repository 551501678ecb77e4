from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench import Run, evaluate


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Two agents on the same two merges and two chains of the built-in suite, without a judge."""
    out: Path = tmp_path_factory.mktemp("runs")
    samples = ["mini_tidewater_merge_000[06]", "mini_tidewater_file_commit_chain_0002"]
    return [
        evaluate("mini", agent, out=out, run_id=agent, sample=samples, scenario=["mcr", "icc"], sandbox="local")
        for agent in ("tool-oracle", "union")
    ]
