"""Samples written back in the published schema, as JSONL, CSV or parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.rows import COLUMNS
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.text import csv_cell


def row_of(sample: Sample) -> dict[str, Any]:
    """The published row of a sample: every column, the scenario as a Python literal in a string."""
    fields = sample.model_dump()
    scenario = fields["spec"]
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in scenario.items()}
    return {name: repr(plain) if name == "scenario" else fields[name] for name in COLUMNS}


def write_samples(samples: Iterable[Sample], path: Path) -> None:
    """Write samples to a file, whole or not at all. The suffix says the format: .jsonl, .csv or .parquet.

    Raises:
        UserError: the suffix is none of these, or the file cannot be written.
    """
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise UserError(f"{path}: samples are written to {', '.join(_WRITERS)} files")
    content = writer([row_of(sample) for sample in samples])
    try:
        write_atomically(path, content)
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror}") from problem


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    text = io.StringIO(newline="")
    # The CRLF of RFC 4180 is also what makes the module quote a field that holds a lone CR.
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([csv_cell(row[name]) for name in COLUMNS] for row in rows)
    return text.getvalue().encode()


def _parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema([(name, pyarrow.int64() if name == "stargazers" else pyarrow.string()) for name in COLUMNS])
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema=schema), buffer)
    return buffer.getvalue()


_WRITERS: Final[Mapping[str, Callable[[Sequence[Mapping[str, Any]]], bytes]]] = {
    ".jsonl": _json_lines,
    ".csv": _csv,
    ".parquet": _parquet,
}
