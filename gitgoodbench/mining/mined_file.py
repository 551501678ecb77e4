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
from gitgoodbench.dataset.rows import COLUMNS, Place, RowError
from gitgoodbench.dataset.types import sample_type, sample_types
from gitgoodbench.errors import UserError
from gitgoodbench.files import replacing
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import Candidate, MinedRow, spec_fields

SUFFIXES: Final = (".parquet", ".jsonl")

_PROJECT_COLUMNS: Final = ("is_fork", "is_archived", "branches", "contributors", "last_commit", "code_lines")
_CANDIDATE_COLUMNS: Final = (
    "committed", "attainable", "files", "base", "commits", "file_lines", "all_lines", "sources_only",
    "begun", "content", "sketches",
)  # fmt: skip
MINED_COLUMNS: Final = (*COLUMNS, *_CANDIDATE_COLUMNS, "project_language", *_PROJECT_COLUMNS)
"""The published columns, then those of mining's own."""

_ROWS_IN_GROUP: Final = 4096
_TEXT: Final = "a row of `gitgoodbench mine`"


def write_mined(rows: Iterable[MinedRow], path: Path) -> int:
    """Write rows to a .parquet or .jsonl file, whole or not at all, and say how many. Equal rows give equal bytes.

    Raises:
        UserError: the suffix is another one, or the file cannot be written.
    """
    check_suffix(path)
    writer = _parquet_writer if path.suffix.lower() == ".parquet" else _json_writer
    count = 0
    try:
        with replacing(path) as partial, partial.open("wb") as file, writer(file) as write:
            remaining = iter(rows)
            while group := [mined_fields(row) for row in islice(remaining, _ROWS_IN_GROUP)]:
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


def mined_fields(row: MinedRow) -> dict[str, Any]:
    """A row as plain values, by column."""
    project = row.project.model_dump()
    candidate = row.candidate.model_dump(include=set(_CANDIDATE_COLUMNS))
    own = {
        "id": row.id,
        "programming_language": row.language,
        "scenario": repr(spec_fields(row.candidate.spec)),
        "sample_type": row.sample_type,
        "project_size": row.project.size,
        "difficulty": row.candidate.difficulty,
        "project_language": row.project.programming_language,
    }
    fields = {**project, **candidate, **own}
    return {name: fields[name] for name in MINED_COLUMNS}


def _mined_row(row: Mapping[str, Any], place: Place) -> MinedRow:
    name = row.get("sample_type")
    if name not in sample_types():
        raise RowError(place, "sample_type", f"one of {', '.join(sample_types())}", name)
    spec = sample_type(str(name)).spec
    try:
        project = Project.model_validate({**row, "programming_language": row.get("project_language")})
        candidate = Candidate.model_validate(
            {
                **{name: row[name] for name in _CANDIDATE_COLUMNS if row.get(name) is not None},
                "spec": spec.model_validate(_scenario(row.get("scenario"), place)),
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
def _json_writer(file: IO[bytes]) -> Iterator[Any]:
    def write(rows: list[dict[str, Any]]) -> None:
        file.writelines(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)

    yield write


@contextmanager
def _parquet_writer(file: IO[bytes]) -> Iterator[Any]:
    import pyarrow
    import pyarrow.parquet

    schema = _schema()
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:

        def write(rows: list[dict[str, Any]]) -> None:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))

        yield write


def _schema() -> Any:
    import pyarrow

    text, number, truth = pyarrow.string(), pyarrow.int64(), pyarrow.bool_()
    texts = pyarrow.list_(text)
    file = pyarrow.struct([("path", text), ("kinds", texts), ("regions", number)])
    others = {
        **dict.fromkeys(("stargazers", "committed", "begun", "file_lines", "all_lines"), number),
        **dict.fromkeys(("branches", "contributors", "code_lines"), number),
        **dict.fromkeys(("attainable", "sources_only", "is_fork", "is_archived"), truth),
        "files": pyarrow.list_(file),
        "commits": texts,
        "sketches": texts,
    }
    return pyarrow.schema([(name, others.get(name, text)) for name in MINED_COLUMNS])
