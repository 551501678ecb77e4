"""Lists of repositories as SEART's GitHub search (https://seart-ghs.si.usi.ch) exports them as CSV.

Only the column `name` is needed. Names of columns are compared without regard to case, blanks and underscores; other
columns are ignored, and an empty cell means that the value is unknown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.readers import read_rows
from gitgoodbench.dataset.rows import Place, RowError
from gitgoodbench.errors import UserError
from gitgoodbench.mining.project import Project

_TRUE: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_repository_list(path: Path) -> list[Project]:
    """The repositories of a list, in its order, each once.

    Raises:
        UserError: the file cannot be read, or it lists nothing.
        RowError: a row has no name, or a value is not what its column holds.
    """
    if path.suffix.lower() != ".csv":
        raise UserError(f"{path}: a list of repositories is a .csv file with a column name (owner/name)")
    projects: dict[str, Project] = {}
    for place, row in read_rows(path):
        if isinstance(row, RowError):
            raise row
        project = _project(row, place)
        projects.setdefault(project.name.casefold(), project)
    if not projects:
        raise UserError(f"{path} lists no repository")
    return list(projects.values())


def _project(row: Mapping[str, object], place: Place) -> Project:
    cells = {_plain(name): str(value).strip() for name, value in row.items() if str(value or "").strip()}
    values: dict[str, Any] = {}
    for field, (columns, parse, expected) in _COLUMNS.items():
        cell = next((cells[column] for column in columns if column in cells), None)
        if cell is None:
            continue
        try:
            values[field] = parse(cell)
        except ValueError:
            raise RowError(place, columns[0], expected, cell) from None
    if "name" not in values:
        raise RowError(place, "name", "a repository as owner/name")
    return Project(**values)


def _plain(column: str) -> str:
    return "".join(column.lower().replace("_", " ").split())


def _name(cell: str) -> str:
    owner, separator, name = cell.removeprefix("https://github.com/").rstrip("/").partition("/")
    if not (owner and separator and name) or "/" in name:
        raise ValueError(cell)
    return f"{owner}/{name}"


def _count(cell: str) -> int:
    number = float(cell.replace(",", ""))
    if number < 0 or number != int(number):
        raise ValueError(cell)
    return int(number)


def _truth(cell: str) -> bool:
    try:
        return _TRUE[cell.lower()]
    except KeyError:
        raise ValueError(cell) from None


def _time(cell: str) -> str:
    return datetime.fromisoformat(cell.removesuffix("Z")).strftime("%Y-%m-%dT%H:%M:%S")


def _list(cell: str) -> str:
    """Topics are separated by semicolons, or a JSON list."""
    if cell.startswith("["):
        return ";".join(map(str, json.loads(cell.replace("'", '"'))))
    return ";".join(part.strip() for part in cell.split(";") if part.strip())


_NUMBER: Final = (_count, "a whole number, 0 or more")
_TIME: Final = (_time, "a time as 2024-05-31T12:00:00")
_COLUMNS: Final[Mapping[str, tuple[tuple[str, ...], Callable[[str], Any], str]]] = {
    "name": (("name", "fullname", "repository"), _name, "a repository as owner/name"),
    "programming_language": (("mainlanguage", "language"), str.lower, "the name of a programming language"),
    "default_branch": (("defaultbranch",), str, "text"),
    "license": (("license", "licence"), str, "text"),
    "stargazers": (("stargazers", "stars"), *_NUMBER),
    "created_at": (("createdat",), *_TIME),
    "topics": (("topics",), _list, "topics separated by semicolons"),
    "is_fork": (("isfork",), _truth, "true or false"),
    "is_archived": (("isarchived",), _truth, "true or false"),
    "branches": (("branches",), *_NUMBER),
    "contributors": (("contributors",), *_NUMBER),
    "last_commit": (("lastcommit", "pushedat"), *_TIME),
    "code_lines": (("codelines",), *_NUMBER),
}
