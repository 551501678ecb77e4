"""One raw row of a dataset, as a reader of parquet, CSV, JSON or Arrow hands it over, and the sample it is.

The published rows hold their scenario as a Python literal in a string. Copies of the dataset hold JSON or a struct
instead, or lists as strings, or numbers as whatever pandas made of them: all of these are read as the same sample.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, get_origin

from pydantic import BaseModel, ValidationError

from gitgoodbench.dataset.sample import DIFFICULTIES, LINE_LIMIT, LONG_LIMIT, Sample
from gitgoodbench.dataset.types import SampleType, playable_types, sample_type, sample_types
from gitgoodbench.errors import UserError

COLUMNS: Final = (
    "id",
    "name",
    "default_branch",
    "license",
    "stargazers",
    "created_at",
    "topics",
    "programming_language",
    "scenario",
    "sample_type",
    "project_size",
    "difficulty",
)
"""The columns of the published datasets, in their order."""

SCENARIO_LIMIT: Final = 256 * 1024
"""Characters of a scenario string; published ones have about a thousand."""

COMMIT: Final = "a commit id (40 or 64 lower-case hexadecimal digits)"
"""What a field that holds a commit must be, in words."""

COUNT: Final = "a whole number, 0 or more"
LINE: Final = f"a line of printable text, {LINE_LIMIT} characters at most"
LONG_TEXT: Final = f"a line of printable text, {LONG_LIMIT} characters at most"
_EXPECTED: Final[Mapping[str, str]] = {
    "id": "an id of letters, digits, _ . and -, 200 at most, that starts with a letter, a digit or _",
    "name": "a repository as owner/name",
    "default_branch": LONG_TEXT,
    "license": LINE,
    "stargazers": COUNT,
    "created_at": LINE,
    "topics": f"text, topics separated by semicolons, {LONG_LIMIT} characters at most",
    "programming_language": "the name of a programming language: 64 letters, digits, blanks and +#./*'()&_:!- at most",
    "scenario": "the fields of the scenario as a Python literal, as JSON or as a struct",
    "project_size": LINE,
    "difficulty": f"one of {', '.join(DIFFICULTIES)}",
}
_MISSING: Final = object()


@dataclass(frozen=True)
class Place:
    """Where a row stands: the file (or hub dataset), and the number of the row or line in it, counted from 1."""

    file: str
    number: int
    unit: str = "row"

    def __str__(self) -> str:
        return f"{self.file}, {self.unit} {self.number}"


class RowError(UserError):
    """A row that is no sample. One line: the file, the row, the field, what was expected there and what was found."""

    def __init__(self, place: Place, field: str | None, expected: str, found: object = _MISSING) -> None:
        subject = f"field {field}: " if field else ""
        rest = "but it is missing" if found is _MISSING else f"got {_shorten(found)}"
        super().__init__(f"{place}: {subject}expected {expected}, {rest}")
        self.place = place
        self.field = field


def read_sample(row: Mapping[str, object], place: Place) -> Sample:
    """The sample that a raw row holds. Columns that the published schema lacks are ignored.

    Raises:
        RowError: a field is missing or is not what it must be.
    """
    fields = _present({name: row.get(name) for name in COLUMNS})
    name = fields.get("sample_type", _MISSING)
    if not isinstance(name, str) or name not in sample_types() or not sample_type(name).playable:
        raise RowError(place, "sample_type", f"one of {', '.join(playable_types())}", name)
    topics = fields.get("topics")
    if isinstance(topics, list) and all(isinstance(topic, str) for topic in topics):
        fields["topics"] = ";".join(topics)
    scenario = _scenario(fields.pop("scenario", _MISSING), place)
    _refuse_lookalikes(fields, lambda field: _EXPECTED[field], place)
    spec = read_spec(sample_type(name), scenario, place)
    try:
        return Sample.model_validate({**fields, "spec": spec})
    except ValidationError as problem:
        field = str(problem.errors(include_url=False, include_input=False)[0]["loc"][0])
        raise RowError(place, field, _EXPECTED[field], fields.get(field, _MISSING)) from None


def read_spec(kind: SampleType, scenario: Mapping[str, Any], place: Place) -> BaseModel:
    """The fields of a scenario, as its sample type has them; others are ignored.

    Raises:
        RowError: a field is missing or is not what it must be.
    """
    declared = kind.spec.model_fields
    values = {name: scenario[name] for name in declared if name in scenario}
    for name, value in values.items():
        if isinstance(value, str) and get_origin(declared[name].annotation) in (list, tuple):
            values[name] = _parse(value)

    def expected(name: str, otherwise: str = "another value") -> str:
        return kind.expected.get(name) or declared[name].description or otherwise

    numbers = {f"scenario.{name}": values[name] for name in values if declared[name].annotation is not bool}
    _refuse_lookalikes(numbers, lambda field: expected(field.removeprefix("scenario.")), place)
    try:
        return kind.spec.model_validate(values)
    except ValidationError as problem:
        error = problem.errors(include_url=False, include_input=False)[0]
        if not error["loc"]:
            raise RowError(place, "scenario", error["msg"], scenario) from None
        name = str(error["loc"][0])
        raise RowError(place, f"scenario.{name}", expected(name, error["msg"]), values.get(name, _MISSING)) from None


def _scenario(value: object, place: Place) -> dict[str, Any]:
    parsed = _parse(value) if isinstance(value, str) else value
    if not isinstance(parsed, dict):
        raise RowError(place, "scenario", _EXPECTED["scenario"], value)
    return _present(parsed)


def _parse(text: str) -> object:
    """The value that a string spells as JSON or as a Python literal; the string itself where it spells none.

    JSON goes first: a JSON string read as Python means something else where it escapes `/` or a surrogate pair, and
    what Python's repr writes for a struct is never valid JSON.
    """
    if len(text) > SCENARIO_LIMIT:
        return text
    try:
        return _plain(json.loads(text))
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown escape in a literal is a warning to whoever wrote it
            return _plain(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _present(fields: Mapping[Any, object]) -> dict[str, Any]:
    """Fields that hold a value. Absent ones are None, NaN, NaT or NA, or an empty text where a number belongs."""
    plain = {str(name): _plain(value) for name, value in fields.items()}
    return {name: value for name, value in plain.items() if value is not None and value != ""}


def _plain(value: Any) -> Any:
    """A value of numpy, pandas or Arrow as one of Python's own; every kind of missing value as None."""
    if isinstance(value, str | bool | int | None):
        return value
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if type(value).__name__ == "NAType" or (isinstance(value, float | date) and value != value):
        return None
    return value.isoformat() if isinstance(value, date) else value


def _refuse_lookalikes(values: Mapping[str, Any], expected: Callable[[str], str], place: Place) -> None:
    """What pydantic would take: True is not the number 1, and a set has no order that a list could keep."""
    for name, value in values.items():
        if isinstance(value, bool | set):
            raise RowError(place, name, expected(name), value)


def _shorten(value: object, limit: int = 60) -> str:
    shown = repr(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}… ({len(shown)} characters)"
