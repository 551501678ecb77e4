"""One row per episode: as a table to be read, and as data with the columns of `frame`."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gitgoodbench.reporting.columns import REPEATING_SOLVED
from gitgoodbench.reporting.layout import UNKNOWN, Sheet, percent
from gitgoodbench.runs.result import Result
from gitgoodbench.text import csv_cell

if TYPE_CHECKING:
    import pandas as pd

_HEAD = ("scenario", "sample", "epoch", "difficulty", "language", "status", "solved", "gates met")
_TAIL = ("turns", "tokens", "cost", "seconds")


def sample_sheets(labels: Sequence[str], runs: Sequence[Sequence[Result]]) -> list[Sheet]:
    """A table of each run: its episodes in the order of files."""
    return [Sheet(label, *_table(results)) for label, results in zip(labels, runs, strict=True)]


def _table(results: Sequence[Result]) -> tuple[list[str], list[list[str]]]:
    names = dict.fromkeys(name for result in results for name in result.scores if name not in REPEATING_SOLVED)
    rows = [
        [*_what(result), *(percent(result.scores.get(name)) for name in names), *_effort(result)] for result in results
    ]
    return [*_HEAD, *(name.replace("_", " ") for name in names), *_TAIL], rows


def _what(result: Result) -> list[str]:
    gates = f"{sum(result.gates.values())}/{len(result.gates)}" if result.gates else UNKNOWN
    solved = UNKNOWN if result.solved is None else "yes" if result.solved else "no"
    told = (result.scenario, result.sample_id, str(result.epoch), result.difficulty, result.language)
    return [*told, result.status.value, solved, gates]


def _effort(result: Result) -> list[str]:
    usage = result.usage
    known = usage.prompt_tokens is not None and usage.completion_tokens is not None
    tokens = (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
    return [
        UNKNOWN if result.turns is None else str(result.turns),
        str(tokens) if known else UNKNOWN,
        UNKNOWN if usage.cost_usd is None else f"${usage.cost_usd:.4f}",
        UNKNOWN if result.timings.total_s is None else f"{result.timings.total_s:.2f}",
    ]


def frame_csv(frame: pd.DataFrame) -> str:
    """A frame as CSV: unknown is an empty field, and no text is a formula of a spreadsheet (`csv_cell`).

    `pandas.read_csv(..., keep_default_na=False, na_values=[""])` gives the same values.
    """
    text = io.StringIO()
    safe = frame.assign(**{str(name): _safe(frame[name]) for name in frame.columns}).rename(columns=csv_cell)
    safe.to_csv(text, index=False, lineterminator="\n")
    return text.getvalue()


def _safe(column: pd.Series[Any]) -> pd.Series[Any]:
    kind = str(column.dtype)
    if kind.startswith("datetime"):
        return column.map(lambda moment: moment.isoformat(), na_action="ignore")
    return column.map(csv_cell, na_action="ignore") if kind == "string" else column


def frame_json(frame: pd.DataFrame) -> str:
    """A frame as JSON in ASCII: `columns`, name -> type, and `rows`. Unknown is null."""
    values = frame.astype(object).where(frame.notna(), None).to_dict("records")
    rows = [{str(name): _plain(value) for name, value in row.items()} for row in values]
    columns = {str(name): str(kind) for name, kind in frame.dtypes.items()}
    return json.dumps({"format": 1, "columns": columns, "rows": rows}, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return value.item() if hasattr(value, "item") else value.isoformat()
