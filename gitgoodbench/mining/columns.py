"""The columns of a mined file: the published ones, then those of mining's own, among them those of sample types."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel

from gitgoodbench.dataset.rows import COLUMNS
from gitgoodbench.errors import UserError
from gitgoodbench.mining.contract import mined_types
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import Candidate

if TYPE_CHECKING:  # only parquet needs it
    import pyarrow

COMMON: Final = ("begun", "implausible_date", "content", "sketches")
"""Columns that every sample type may fill."""

_PROJECT: Final = ("is_fork", "is_archived", "branches", "contributors", "last_commit", "code_lines")


@dataclass(frozen=True)
class Column:
    """kind: the annotation of its values. default: its value in rows that have none. owner: whose it is, in words."""

    kind: Any
    default: Any
    owner: str


def mined_columns() -> dict[str, Column]:
    """Every column, in order.

    Raises:
        UserError: a sample type declares a column that is another one already.
    """
    columns = {name: Column(_project_kind(name), None, "the published columns") for name in COLUMNS}
    columns["committed"] = _of_candidate("committed")
    after = {name: _of_candidate(name) for name in COMMON}
    after["project_language"] = Column(str, None, "mining")
    after |= {name: Column(_project_kind(name), None, "mining") for name in _PROJECT}
    for name, kind in mined_types().items():
        for column, field in kind.columns.model_fields.items():
            own = Column(field.annotation, field.get_default(call_default_factory=True), f"the sample type {name}")
            known = {**columns, **after}.get(column)
            if known is not None and (known.kind != own.kind or known.owner in ("mining", "the published columns")):
                raise UserError(f"{own.owner} has a column {column!r}, which is one of {known.owner}: rename it")
            columns.setdefault(column, own)
    return columns | after


def arrow_schema(columns: Mapping[str, Column]) -> pyarrow.Schema:
    """The columns as Arrow has them.

    Raises:
        UserError: a sample type declares a column of a type that a file cannot hold.
    """
    import pyarrow

    fields = []
    for name, column in columns.items():
        try:
            fields.append((name, _arrow_type(column.kind)))
        except TypeError as problem:
            raise UserError(f"the column {name!r} of {column.owner} cannot be written: {problem}") from problem
    return pyarrow.schema(fields)


def _project_kind(name: str) -> Any:
    return Project.model_fields[name].annotation if name in Project.model_fields else str


def _of_candidate(name: str) -> Column:
    field = Candidate.model_fields[name]
    return Column(field.annotation, None if field.is_required() else field.default, "mining")


def _arrow_type(kind: Any) -> Any:
    """Of texts, numbers, truths, tuples of one type, models, and all of these or None."""
    import pyarrow

    plain = {str: pyarrow.string(), bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64()}
    if kind in plain:
        return plain[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _arrow_type(arguments[0])
    if (
        origin in (Union, types.UnionType)
        and len(others := [each for each in arguments if each is not type(None)]) == 1
    ):
        return _arrow_type(others[0])
    if origin is tuple and len(arguments) == 2 and arguments[1] is ...:
        return pyarrow.list_(_arrow_type(arguments[0]))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return pyarrow.struct([(name, _arrow_type(field.annotation)) for name, field in kind.model_fields.items()])
    raise TypeError(f"{kind} is no text, number or truth, nor a tuple or model of them")
