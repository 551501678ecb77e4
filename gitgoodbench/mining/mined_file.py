"""The file that mining writes: one row for each candidate, as parquet or JSON lines."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Final

from pydantic import ValidationError

from gitgoodbench.dataset.readers import read_rows
from gitgoodbench.dataset.rows import Place, RowError
from gitgoodbench.errors import UserError
from gitgoodbench.files import replacing
from gitgoodbench.mining.columns import COMMON, Column, arrow_schema, mined_columns
from gitgoodbench.mining.contract import mined_types
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import Candidate, MinedRow, spec_fields

SUFFIXES: Final = (".parquet", ".jsonl")

_ROWS_IN_GROUP: Final = 4096
_TEXT: Final = "a row of `gitgoodbench mine`"


def write_mined(rows: Iterable[MinedRow], path: Path) -> int:
    """Write rows to a .parquet or .jsonl file, whole or not at all, and say how many. Equal rows give equal bytes.

    Raises:
        UserError: the suffix is another one, the file cannot be written, or sample types disagree about a column.
    """
    check_suffix(path)
    columns = mined_columns()
    writer = _parquet_writer if path.suffix.lower() == ".parquet" else _json_writer
    count = 0
    try:
        with replacing(path) as partial, partial.open("wb") as file, writer(file, columns) as write:
            remaining = iter(rows)
            while group := [mined_fields(row, columns) for row in islice(remaining, _ROWS_IN_GROUP)]:
                count += len(group)
                write(group)
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror or problem}") from problem
    return count


def read_mined(*paths: Path) -> Iterator[MinedRow]:
    """The rows of mined files, in order.

    Raises:
        UserError: a file cannot be read.
        RowError: a row is none that `write_mined` wrote.
    """
    for place, row in chain.from_iterable(read_rows(path) for path in paths):
        if isinstance(row, RowError):
            raise row
        yield _mined_row(row, place)


def check_suffix(path: Path) -> None:
    """Raises UserError where no mined file can have this name."""
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"{path}: mined candidates are written to {' or '.join(SUFFIXES)} files")


def mined_fields(row: MinedRow, columns: Mapping[str, Column]) -> dict[str, Any]:
    """A row as plain values, by column."""
    fields = {
        **row.project.model_dump(),
        **row.candidate.columns.model_dump(),
        **row.candidate.model_dump(include={"committed", *COMMON}),
        "id": row.id,
        "programming_language": row.language,
        "scenario": repr(spec_fields(row.candidate.spec)),
        "sample_type": row.sample_type,
        "project_size": row.project.size,
        "difficulty": row.candidate.difficulty,
        "project_language": row.project.programming_language,
    }
    return {name: fields.get(name, column.default) for name, column in columns.items()}


def _mined_row(row: Mapping[str, Any], place: Place) -> MinedRow:
    name = row.get("sample_type")
    types = mined_types()
    if name not in types:
        raise RowError(place, "sample_type", f"one of {', '.join(sorted(types))}", name)
    kind = types[str(name)]
    present = {column: value for column, value in row.items() if value is not None}
    try:
        project = Project.model_validate({**row, "programming_language": row.get("project_language")})
        candidate = Candidate.model_validate(
            {
                **{name: present[name] for name in ("committed", *COMMON) if name in present},
                "spec": kind.spec.model_validate(_scenario(row.get("scenario"), place)),
                "columns": kind.columns.model_validate(present),
                "language": row.get("programming_language"),
                "difficulty": row.get("difficulty"),
            }
        )
    except ValidationError as problem:
        error = problem.errors(include_url=False)[0]
        field = ".".join(map(str, error["loc"]))
        raise RowError(place, field, f"{_TEXT} ({error['msg']})", error["input"]) from None
    return MinedRow(str(row["id"]), project, candidate)


def _scenario(text: object, place: Place) -> object:
    try:
        return ast.literal_eval(str(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise RowError(place, "scenario", "the fields of the scenario as a Python literal", text) from None


@contextmanager
def _json_writer(file: IO[bytes], _: Mapping[str, Column]) -> Iterator[Any]:
    def write(rows: list[dict[str, Any]]) -> None:
        file.writelines(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)

    yield write


@contextmanager
def _parquet_writer(file: IO[bytes], columns: Mapping[str, Column]) -> Iterator[Any]:
    import pyarrow
    import pyarrow.parquet

    schema = arrow_schema(columns)
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:

        def write(rows: list[dict[str, Any]]) -> None:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))

        yield write
