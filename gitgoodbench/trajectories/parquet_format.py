"""Rows as parquet, everything of an episode in typed columns, so that `datasets` loads them as they are."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from gitgoodbench.trajectories.rows import Row

_ROWS_AT_ONCE: Final = 200


def columns_of(row: Row) -> dict[str, Any]:
    """One row.

    Tools, arguments of calls, gates, scores and rules are JSON texts: their fields differ from row to row, and parquet
    would give every row the fields of all.
    """
    metadata = row.metadata()
    kept = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in metadata.items()}
    return {**kept, "messages": [_message(message) for message in row.messages], "tools": json.dumps(list(row.tools))}


def write_parquet(rows: Iterable[Row], path: Path) -> None:
    """Write rows to a file, some hundred at a time.

    Raises:
        OSError: it cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    with pq.ParquetWriter(path, schema) as writer:
        waiting = iter(rows)
        while part := [columns_of(row) for row in itertools.islice(waiting, _ROWS_AT_ONCE)]:
            writer.write_table(pa.Table.from_pylist(part, schema=schema))


def _message(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "role": message["role"],
        "content": message.get("content"),
        "reasoning_content": message.get("reasoning_content"),
        "tool_calls": message.get("tool_calls"),
        "tool_call_id": message.get("tool_call_id"),
    }


def _schema() -> Any:
    import pyarrow as pa

    text, number, whole, truth = pa.string(), pa.float64(), pa.int64(), pa.bool_()
    function = pa.struct({"name": text, "arguments": text})
    call = pa.struct({"id": text, "type": text, "function": function})
    message = pa.struct(
        {
            "role": text,
            "content": text,
            "reasoning_content": text,
            "tool_calls": pa.list_(call),
            "tool_call_id": text,
        }
    )
    return pa.schema(
        {
            "id": text,
            "run_id": text,
            "scenario": text,
            "sample_id": text,
            "epoch": whole,
            "messages": pa.list_(message),
            "tools": text,
            "reward": number,
            "reward_rule": text,
            "solved": truth,
            "status": text,
            "gates": text,
            "scores": text,
            "agent": text,
            "model": text,
            "repository": text,
            "language": text,
            "difficulty": text,
            "sample_type": text,
            "license": text,
            "tokens": whole,
            "tokens_estimated": truth,
            "turns": whole,
            "cost_usd": number,
            "commits": pa.list_(text),
            "suite": text,
            "harness": text,
            "rules": text,
            "masked": whole,
            "asides": whole,
        }
    )
