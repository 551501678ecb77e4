"""A run as a pandas table: one row per episode, and one type for each column."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pandas

from gitgoodbench.errors import Status
from gitgoodbench.reporting.frame import frame_of
from gitgoodbench.runs.result import Timings, UsageRecord
from tests.support.fake_runs import failed_result, make_result

RESULTS = [
    make_result(
        "s0",
        started="2026-01-02T03:04:05.600000+00:00",
        gates={"committed": True},
        scores={"exact_match": 0.5},
        facts={"attainable": True, "conflicts": 3, "share": 0.25, "note": "x", "mixed": 1, "files": ["a"]},
        usage=UsageRecord(requests=2, prompt_tokens=10, completion_tokens=5, cost_usd=0.25),
        timings=Timings(total_s=1.5),
    ),
    make_result(
        "s1", usage=UsageRecord(), solved=None, gates={}, scores={"other": None}, facts={"share": 1, "mixed": "many"}
    ),
    failed_result("s2", Status.SETUP_FAILED, "the repository is gone", usage=UsageRecord()),
]


def test_a_row_holds_what_its_result_says() -> None:
    frame = frame_of(RESULTS)
    row = frame.iloc[0]
    assert list(frame.sample_id) == ["s0", "s1", "s2"]
    assert row.started == datetime(2026, 1, 2, 3, 4, 5, 600000, tzinfo=UTC)
    assert (row.requests, row.prompt_tokens, row.cost_usd, row.total_s) == (2, 10, 0.25, 1.5)
    assert (row.gate_committed, row.score_exact_match) == (True, 0.5)
    assert (row.fact_attainable, row.fact_conflicts, row.fact_share, row.fact_note) == (True, 3, 0.25, "x")
    assert frame[["status", "error"]].iloc[2].tolist() == ["setup_failed", "the repository is gone"]


def test_what_is_unknown_is_missing_and_no_zero() -> None:
    frame = frame_of(RESULTS)
    assert frame.solved.isna().tolist() == [False, True, True]
    assert frame.gate_committed.isna().tolist() == [False, True, True]
    assert frame.score_other.isna().all()
    assert frame.judge_cost_usd.isna().all()
    assert pandas.isna(frame.started[1])
    assert frame.prompt_tokens.sum() == 10


def test_types_do_not_depend_on_what_a_run_holds() -> None:
    full, empty = frame_of(RESULTS).dtypes.astype(str), frame_of([]).dtypes.astype(str)
    assert list(empty.index) == list(full.index)[: len(empty)]
    assert empty.tolist() == full.tolist()[: len(empty)]
    assert empty[["model", "epoch", "started", "solved", "cost_usd", "total_s"]].tolist() == [
        "string", "Int64", "datetime64[us, UTC]", "boolean", "Float64", "Float64"
    ]  # fmt: skip


def test_a_fact_has_the_type_of_its_values() -> None:
    dtypes = frame_of(RESULTS).filter(like="fact_").dtypes.astype(str)
    assert dtypes.to_dict() == {
        "fact_attainable": "boolean",
        "fact_conflicts": "Int64",
        "fact_share": "Float64",
        "fact_note": "string",
        "fact_mixed": "string",
    }


def test_reports_do_not_load_pandas() -> None:
    script = "import sys, gitgoodbench.reporting.frame, gitgoodbench.reporting.tables; print('pandas' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"
