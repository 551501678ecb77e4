"""A report as one HTML file: it loads nothing, runs nothing, and shows all text from logs and commits as text."""

from __future__ import annotations

import base64
import datetime
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, StrictUndefined

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.records import EditResult
from gitgoodbench.feedback.report import words
from gitgoodbench.feedback.report.asking import Answer, opened
from gitgoodbench.feedback.report.compare import Difference, compare_groups
from gitgoodbench.feedback.report.groups import DIMENSIONS, Table, correlations, group_of, group_rows, is_randomised
from gitgoodbench.feedback.report.plots import bars_of, dots_of, scatter_of, weeks_of
from gitgoodbench.feedback.report.rows import EditRow
from gitgoodbench.feedback.report.sides import Sides, sides_of
from gitgoodbench.feedback.repository import Repository
from gitgoodbench.feedback.store.results import edit_result_of
from gitgoodbench.files import write_atomically
from gitgoodbench.text import clean, on_one_line, one_line

_SHOWN: Final = 6
"""Best and worst matches that are shown, of each."""
_PIECES: Final = 3
"""Pieces of a match that are shown."""
_LONGEST: Final = 160
"""Characters of a name, a path or a reason."""
_USUAL: Final = ("assistant", "model", "language", "folder")
_COMPARED: Final = ("assistant", "model", "variant")
_MOST_GROUPS: Final = 40


@dataclass(frozen=True)
class Match:
    """An edit whose code is shown. further: pieces of it that are not."""

    row: EditRow
    pieces: tuple[Sides, ...]
    further: int


def write_page(file: Path, repository: Repository, found: Answer, by: Sequence[str] = ()) -> None:
    """Write the page, whole or not at all.

    Raises:
        UserError: the file cannot be written, or secrets cannot be looked for.
    """
    name = repository.roots[0].name if repository.roots else repository.common.name
    text = page_of(name, repository, found, by or usual_dimensions(found.rows))
    try:
        write_atomically(file, clean(text).encode())
    except OSError as problem:
        raise UserError(
            f"{file} cannot be written ({problem.strerror}): name a file in a folder that is yours"
        ) from problem


def usual_dimensions(rows: Sequence[EditRow]) -> list[str]:
    """Assistants, models, languages and folders; variants and people where several are known."""
    several = [name for name in ("variant", "person") if len({DIMENSIONS[name](row) for row in rows} - {None}) > 1]
    return [*_USUAL, *several]


def page_of(name: str, repository: Repository, found: Answer, by: Sequence[str]) -> str:
    """The page's text."""
    rows = found.rows
    people = [row for row in rows if row.committed_by is None]
    tables = [group_rows(rows, one) for one in by]
    best, worst = matches_of(repository, rows)
    style = _text("page.css")
    return _environment().from_string(_text("page.html.j2")).render(
        name=name,
        made=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        style=style,
        digest=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        days=found.days,
        all=group_of("all", people),
        apart=len(rows) - len(people),
        span=_span(rows),
        tables=[(table, dots_of(table.groups[:_MOST_GROUPS]), len(table.groups)) for table in tables],
        bars=bars_of([row.reward for row in rows if row.counts and row.reward is not None]),
        scatter=scatter_of(rows),
        weeks=weeks_of(rows),
        correlations=correlations(rows),
        comparisons=_comparisons(rows, tables),
        matches=[("Worst matches", "worst", worst), ("Best matches", "best", best)],
        randomised=is_randomised(rows),
        words=words,
    )  # fmt: skip


def matches_of(repository: Repository, rows: Iterable[EditRow]) -> tuple[list[Match], list[Match]]:
    """The best and the worst matches: of equal rewards the larger edits, of each commit at most one."""
    known = [row for row in rows if row.counts]
    best = _of_each_commit(sorted(known, key=lambda row: (-(row.reward or 0.0), -(row.size or 0))))
    worst = _of_each_commit(sorted(known, key=lambda row: (row.reward or 0.0, -(row.size or 0))))
    taken = {row.key for row in best}
    with opened(repository) as store:
        shown = [[_match(row, edit_result_of(store, row.key)) for row in some] for some in (best, worst)]
    return shown[0], [match for match in shown[1] if match.row.key not in taken]


def _of_each_commit(rows: Iterable[EditRow]) -> list[EditRow]:
    first: dict[str | None, EditRow] = {}
    for row in rows:
        first.setdefault(row.commit, row)
    return list(first.values())[:_SHOWN]


def _match(row: EditRow, result: EditResult | None) -> Match:
    pieces = () if result is None else result.pieces
    chosen = sorted(pieces, key=lambda piece: -piece.size)[:_PIECES]
    return Match(row, tuple(sides_of(piece, row.language) for piece in chosen), len(pieces) - len(chosen))


def _comparisons(rows: Sequence[EditRow], tables: Iterable[Table]) -> list[tuple[str, list[Difference]]]:
    found = [(table.by, compare_groups(rows, table.by, "reward")) for table in tables if table.by in _COMPARED]
    return [(by, some) for by, some in found if some]


def _span(rows: Iterable[EditRow]) -> str:
    times = [row.time for row in rows if row.time is not None]
    if not times:
        return ""
    first, last = (
        datetime.datetime.fromtimestamp(time, datetime.UTC).strftime("%Y-%m-%d") for time in (min(times), max(times))
    )
    return first if first == last else f"{first} to {last}"


def _environment() -> Environment:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "shown": _shown,
        "line": on_one_line,
        "begun": _begun,
        "group_cells": words.cells,
        "comparison_cells": words.comparison_cells,
    }
    return environment


def _shown(value: Any) -> str:
    """A name, a path or a reason on one line of bounded length."""
    return on_one_line(one_line(str(value), _LONGEST))


def _begun(sentence: str) -> str:
    """With a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def _text(name: str) -> str:
    return (files("gitgoodbench.feedback.report") / name).read_text(encoding="utf-8")
