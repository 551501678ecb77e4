"""Raw rows out of a file: parquet, JSONL, JSON or CSV."""

from __future__ import annotations

import codecs
import csv
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from gitgoodbench.dataset.rows import Place, RowError
from gitgoodbench.errors import UserError
from gitgoodbench.text import from_csv_cell

Row = Mapping[str, object] | RowError
"""A raw row, or why there is none at its place."""

_OBJECT: Final = "a JSON object"


def read_rows(path: Path) -> Iterator[tuple[Place, Row]]:
    """The rows of a file with the place of each, in order. The suffix says the format (see `SUFFIXES`).

    Raises:
        UserError: there is no such file, its suffix is none of these, or it is broken as a whole.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: samples are read from {', '.join(SUFFIXES)} files")
    try:
        yield from reader(path)
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8: byte 0x{problem.object[problem.start]:02x} cannot be read") from problem
    except OSError as problem:
        raise UserError(f"{path} cannot be read: {problem.strerror or problem}") from problem


def _read_parquet(path: Path) -> Iterator[tuple[Place, Row]]:
    import pyarrow
    import pyarrow.parquet

    with path.open("rb") as file:
        try:
            batches = [batch.to_pylist() for batch in pyarrow.parquet.ParquetFile(file).iter_batches()]
        except (pyarrow.ArrowException, OSError) as problem:
            raise UserError(f"{path} cannot be read as parquet: {_first_line(problem)}") from problem
    rows = (row for batch in batches for row in batch)
    for number, row in enumerate(rows, start=1):
        yield Place(str(path), number), row


def _read_json_lines(path: Path) -> Iterator[tuple[Place, Row]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if line.strip():
                place = Place(str(path), number, "line")
                yield place, _json_row(line, place)


def _json_row(line: bytes, place: Place) -> Row:
    try:
        row = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return RowError(place, None, _OBJECT, line[:200].decode("utf-8", "replace"))
    return row if isinstance(row, dict) else RowError(place, None, _OBJECT, row)


def _read_json(path: Path) -> Iterator[tuple[Place, Row]]:
    """A JSON list of objects; pandas also writes JSON lines under this suffix."""
    content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    if not content.lstrip().startswith(b"["):
        yield from _read_json_lines(path)
        return
    try:
        rows = json.loads(content.decode("utf-8"))
    except (json.JSONDecodeError, RecursionError) as problem:
        raise UserError(f"{path} is not JSON: {_first_line(problem)}") from problem
    for number, row in enumerate(rows, start=1):
        place = Place(str(path), number)
        yield place, row if isinstance(row, dict) else RowError(place, None, _OBJECT, row)


def _read_csv(path: Path) -> Iterator[tuple[Place, Row]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        limit = csv.field_size_limit(sys.maxsize)  # process-wide, so it is put back
        try:
            lines = [line for line in reader if line]
        except csv.Error as problem:
            raise UserError(f"{path}, line {reader.line_num} cannot be read as CSV: {problem}") from problem
        finally:
            csv.field_size_limit(limit)
    header = lines[0] if lines else []
    for number, line in enumerate(lines[1:], start=1):
        place = Place(str(path), number)
        if len(line) == len(header):
            yield place, dict(zip(header, map(from_csv_cell, line), strict=True))
        else:
            yield place, RowError(place, None, f"{len(header)} columns as in the header", len(line))


def _first_line(problem: BaseException) -> str:
    return next(iter(str(problem).split("\n")), "") or type(problem).__name__


_READERS: Final[Mapping[str, Callable[[Path], Iterator[tuple[Place, Row]]]]] = {
    ".parquet": _read_parquet,
    ".jsonl": _read_json_lines,
    ".json": _read_json,
    ".csv": _read_csv,
}
SUFFIXES: Final = tuple(_READERS)
