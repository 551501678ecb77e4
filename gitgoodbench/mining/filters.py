"""The filters of the published dataset (GitGoodBench, section 3), each of which can be switched off.

Those that look at projects are here; those that look at samples are brought by the sample types.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from gitgoodbench.errors import UserError
from gitgoodbench.mining.contract import mined_type, mined_types
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.rules import Filter, FilterSettings

PERMISSIVE: Final = frozenset(
    {
        "0bsd", "afl-3.0", "apache-2.0", "artistic-2.0", "blueoak-1.0.0", "bsd-1-clause", "bsd-2-clause",
        "bsd-2-clause-patent", "bsd-3-clause", "bsd-3-clause-clear", "bsd-4-clause", "bsl-1.0", "cc0-1.0", "ecl-2.0",
        "isc", "mit", "mit-0", "ms-pl", "mulanpsl-2.0", "ncsa", "postgresql", "python-2.0", "unlicense", "upl-1.0",
        "wtfpl", "x11", "zlib",
    }
)  # fmt: skip
"""SPDX ids, in lower case, of licences that ask for no more than that they are kept."""

_GITHUB_NAMES: Final = (
    (r"mit no attribution", "mit-0"),
    (r"mit licen[cs]e|^mit$", "mit"),
    (r"apache licen[cs]e.*2|^apache.?2", "apache-2.0"),
    (r"bsd 3", "bsd-3-clause"),
    (r"bsd 2", "bsd-2-clause"),
    (r"bsd 4", "bsd-4-clause"),
    (r"bsd zero", "0bsd"),
    (r"^isc", "isc"),
    (r"unlicense", "unlicense"),
    (r"boost software", "bsl-1.0"),
    (r"zlib", "zlib"),
    (r"creative commons zero", "cc0-1.0"),
    (r"artistic licen[cs]e 2", "artistic-2.0"),
    (r"postgresql", "postgresql"),
    (r"universal permissive", "upl-1.0"),
    (r"illinois/ncsa", "ncsa"),
    (r"microsoft public", "ms-pl"),
    (r"mulan permissive", "mulanpsl-2.0"),
    (r"educational community", "ecl-2.0"),
    (r"academic free", "afl-3.0"),
    (r"do what the f", "wtfpl"),
)


@dataclass(frozen=True)
class Removed:
    """What a filter removed of the rows that the ones before it had left. unknown: rows without the fact it asks."""

    name: str
    meaning: str
    rows: int
    unknown: int
    applied: bool


def spdx_id(licence: str) -> str:
    """The SPDX id, in lower case, of a licence by its id or by GitHub's name for it; other text in lower case."""
    plain = licence.strip().lower()
    if plain in PERMISSIVE:
        return plain
    return next((name for pattern, name in _GITHUB_NAMES if re.search(pattern, plain)), plain)


def _permissive(row: MinedRow, _: FilterSettings) -> bool | None:
    return None if not row.project.license else spdx_id(row.project.license) in PERMISSIVE


def _at_least(value: int | None, least: int) -> bool | None:
    return None if value is None else value >= least


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _recent(row: MinedRow, settings: FilterSettings) -> bool | None:
    if row.project.last_commit is None or settings.as_of is None:
        return None
    return _day(row.project.last_commit) >= settings.as_of - timedelta(days=settings.max_idle_days)


def _sample(row: MinedRow, _: FilterSettings) -> bool | None:
    return mined_type(row.sample_type).playable and row.candidate.difficulty is not None


PROJECT_FILTERS: Final = (
    Filter("license", lambda _: "the licence is permissive", _permissive),
    Filter("stars", lambda s: f">= {s.min_stars} stars", lambda r, s: _at_least(r.project.stargazers, s.min_stars)),
    Filter(
        "branches",
        lambda s: f">= {s.min_branches} branches",
        lambda r, s: _at_least(r.project.branches, s.min_branches),
    ),
    Filter(
        "contributors",
        lambda s: f">= {s.min_contributors} contributors",
        lambda r, s: _at_least(r.project.contributors, s.min_contributors),
    ),
    Filter("fork", lambda _: "no fork", lambda r, _: _not(r.project.is_fork)),
    Filter("archived", lambda _: "not archived", lambda r, _: _not(r.project.is_archived)),
    Filter("recent", lambda s: f"a commit in the {s.max_idle_days} days before {_shown(s.as_of)}", _recent),
)
DUPLICATE: Final = "duplicate"
_SAMPLE: Final = Filter("sample", lambda _: "rows of a type that datasets have, with a difficulty", _sample)


@dataclass(frozen=True)
class Filters:
    """The filters that there are, in the order in which they are applied.

    samples: of the sample types, each for rows of its own type; the others come from a project's facts.
    on_demand: the same, of those that somebody must ask for. They are applied last.
    """

    samples: tuple[Filter, ...]
    on_demand: tuple[Filter, ...]

    @property
    def switchable(self) -> tuple[str, ...]:
        """Names of the filters that can be left out."""
        return (*(rule.name for rule in (*PROJECT_FILTERS, *self.samples)), DUPLICATE)


def installed_filters() -> Filters:
    """The filters of the sample types that are installed.

    Raises:
        UserError: a sample type cannot be loaded.
    """
    rules = [_for_type(name, rule) for name, kind in mined_types().items() for rule in kind.filters()]
    return Filters(tuple(rule for rule in rules if not rule.on_demand), tuple(rule for rule in rules if rule.on_demand))


def objections(row: MinedRow, settings: FilterSettings) -> list[str]:
    """What a row would have to be for a dataset, whatever its project is: one text for each filter that removes it."""
    rules = (*installed_filters().samples, _SAMPLE)
    return [rule.describe(settings) for rule in rules if not rule.test(row, settings)]


def _for_type(name: str, rule: Filter) -> Filter:
    """A filter that lets rows of other types stay."""
    return replace(rule, test=lambda row, settings: row.sample_type != name or rule.test(row, settings))


def apply_filters(rows: Sequence[MinedRow], settings: FilterSettings) -> tuple[list[MinedRow], list[Removed]]:
    """The rows that stay, and what each filter removed, in the order in which they are applied.

    Raises:
        UserError: a filter to leave out or to apply does not exist.
    """
    filters = installed_filters()
    _check_names(settings.off, filters.switchable, "leave out")
    _check_names(settings.asked, [rule.name for rule in filters.on_demand], "apply")
    remaining = list(rows)
    removed = []
    for rule in (*PROJECT_FILTERS, *filters.samples, _SAMPLE):
        remaining, lost = _apply(rule, remaining, settings, rule.name not in settings.off)
        removed.append(lost)
    before = len(remaining)
    if DUPLICATE not in settings.off:
        remaining = _without_duplicates(remaining)
    meaning = "the same commits, or the same changes, are not listed before, be it in another repository"
    removed.append(Removed(DUPLICATE, meaning, before - len(remaining), 0, DUPLICATE not in settings.off))
    for rule in filters.on_demand:
        is_asked = rule.name in settings.asked or rule.asked_by(settings)
        remaining, lost = _apply(rule, remaining, settings, is_asked)
        removed.append(lost)
    return remaining, removed


def _apply(
    rule: Filter, rows: list[MinedRow], settings: FilterSettings, applied: bool
) -> tuple[list[MinedRow], Removed]:
    verdicts = [rule.test(row, settings) if applied else True for row in rows]
    left = [row for row, verdict in zip(rows, verdicts, strict=True) if verdict]
    return left, Removed(rule.name, rule.describe(settings), len(rows) - len(left), verdicts.count(None), applied)


def _check_names(given: Collection[str], known: Sequence[str], purpose: str) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise UserError(f"there is no filter {unknown[0]!r} to {purpose}: {', '.join(known)}")


def newest_day(projects: Iterable[Project]) -> datetime | None:
    """When the newest commit of all projects was made: with it as `as_of` a dataset does not depend on today.

    A list may say what it likes: days after tomorrow are not believed.
    """
    tomorrow = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=1)
    days = (_day(project.last_commit) for project in projects if project.last_commit)
    return max((day for day in days if day <= tomorrow), default=None)


def _without_duplicates(rows: Sequence[MinedRow]) -> list[MinedRow]:
    """The rows that show neither what a row before them shows nor the same hunks (blanks aside)."""
    seen: set[tuple[object, ...]] = set()
    kept = []
    for row in rows:
        keys: list[tuple[object, ...]] = [(row.sample_type, "identity", *mined_type(row.sample_type).identity(row))]
        if row.candidate.content is not None:
            keys.append((row.sample_type, "content", row.candidate.content))
        if seen.isdisjoint(keys):
            kept.append(row)
        seen.update(keys)
    return kept


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=None)


def _shown(day: datetime | None) -> str:
    return "the newest commit of all" if day is None else day.strftime("%Y-%m-%d")
