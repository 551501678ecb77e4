"""Rows as CSV and JSON. The first columns have the names that the documentation promises."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from gitgoodbench.feedback.report.groups import Group, Table
from gitgoodbench.feedback.report.rows import EditRow
from gitgoodbench.feedback.report.usage import Amount
from gitgoodbench.text import clean_json, csv_cell, on_one_line

COLUMNS: Final = (
    "source", "session", "edit", "commit", "path", "language", "model", "state", "reward", "kept", "evidence",
    "committed_by", "normalised", "size", "measure", "reason", "variant", "randomised", "time", "week", "folder",
    "person", "survival", "survival_day", "input_tokens", "output_tokens", "cost", "latency",
)  # fmt: skip
"""Of an edit. Tokens, cost and latency are its share of the model's answers that led to it."""

_MEANS: Final = ("reward", "kept", "normalised", "survival")
_COUNTS: Final = ("edits", "scored", "superseded", "not_applied", "indirect", "pending", "sessions", "commits")


def record_of(row: EditRow) -> dict[str, Any]:
    """An edit as a JSON object; what is unknown, in part or as a whole, is null."""
    of_key = {"source": row.key.source, "session": row.key.session, "edit": row.key.edit}
    evidence = [{"kind": one.kind, "detail": one.detail} for one in row.evidence]
    of_usage = {name: whole(getattr(row.usage, name)) for name in COLUMNS[-4:]}
    rest = {name: getattr(row, name) for name in COLUMNS[3:-4] if name != "evidence"}
    record = {**of_key, **rest, "evidence": evidence, **of_usage}
    return {name: clean_json(record[name]) for name in COLUMNS}


def group_records(tables: Iterable[Table]) -> Iterator[dict[str, Any]]:
    """Groups as JSON objects; lower and upper ends of 95 % intervals over commits beside each mean."""
    for table in tables:
        for group in table.groups:
            yield clean_json(
                {"by": table.by, "group": group.name, "committed_by": group.committed_by, **_figures(group)}
            )


def as_json(records: Iterable[dict[str, Any]]) -> str:
    """A JSON array, an object a line."""
    lines = ",\n".join(json.dumps(one) for one in records)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def as_csv(records: Iterable[dict[str, Any]], columns: Iterable[str] | None = None) -> str:
    """A table for spreadsheets, with a line of names; evidence by its kinds."""
    some = list(records)
    names = list(columns or (some[0] if some else ()))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([csv_cell(_flat(one[name])) for name in names] for one in some)
    return text.getvalue()


def whole(amount: Amount) -> float | None:
    """An amount that is known completely."""
    return amount.value if amount.complete else None


def _figures(group: Group) -> dict[str, Any]:
    figures: dict[str, Any] = {name: getattr(group, name) for name in _COUNTS}
    for name in _MEANS:
        mean = getattr(group, name)
        figures |= {name: mean.value, f"{name}_low": mean.low, f"{name}_high": mean.high, f"{name}_edits": mean.edits}
    usage = group.usage
    figures |= {name: whole(getattr(usage, name)) for name in ("input_tokens", "output_tokens", "cost", "latency")}
    figures["kept_nodes"] = group.kept_nodes
    for name in ("tokens", "cost", "latency"):
        figures[f"{name}_per_kept_node"] = None if group.per_node is None else whole(getattr(group.per_node, name))
    return figures


def _flat(value: Any) -> Any:
    if isinstance(value, list):
        return ";".join(str(one["kind"]) for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return on_one_line(value)
    return "" if value is None else value
