"""The filters of the published dataset (GitGoodBench, section 3), each of which can be switched off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from gitgoodbench.dataset.sample import FileCommitChainSpec, MergeSpec
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import UserError
from gitgoodbench.mining.options import SOURCE_SUFFIXES
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import MinedRow

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
class FilterSettings:
    """Thresholds, as published. as_of: the day that `recent` looks back from; None: that of the newest commit.

    off: names of filters that are not applied. suffixes: how names of source files end.
    """

    min_stars: int = 1000
    min_branches: int = 5
    min_contributors: int = 10
    max_idle_days: int = 31
    min_conflicts: int = 1
    max_conflicts: int = 8
    min_chain: int = 3
    max_chain: int = 6
    min_purity: float = 0.5
    suffixes: tuple[bytes, ...] = SOURCE_SUFFIXES
    as_of: datetime | None = None
    off: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Removed:
    """What a filter removed of the rows that the ones before it had left. unknown: rows without the fact it asks."""

    name: str
    meaning: str
    rows: int
    unknown: int
    applied: bool


Test = Callable[[MinedRow, FilterSettings], bool | None]
"""Whether a row may stay; None where a fact is unknown, and then it may not."""


@dataclass(frozen=True)
class Filter:
    """A filter by its name. describe: what it asks for, in words."""

    name: str
    describe: Callable[[FilterSettings], str]
    test: Test


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


def _conflicts(row: MinedRow, settings: FilterSettings) -> bool | None:
    spec = row.candidate.spec
    if not isinstance(spec, MergeSpec):
        return True
    listed = bool(spec.files_in_merge_conflict)
    return listed and settings.min_conflicts <= spec.total_number_of_merge_conflicts <= settings.max_conflicts


def _merge_files(row: MinedRow, settings: FilterSettings) -> bool | None:
    spec = row.candidate.spec
    return not isinstance(spec, MergeSpec) or all(
        path.encode("utf-8", "surrogateescape").endswith(settings.suffixes) for path in spec.files_in_merge_conflict
    )


def _chain_length(row: MinedRow, settings: FilterSettings) -> bool | None:
    spec = row.candidate.spec
    if not isinstance(spec, FileCommitChainSpec):
        return True
    return settings.min_chain <= spec.times_seen_consecutively <= settings.max_chain


def _purity(row: MinedRow, settings: FilterSettings) -> bool | None:
    spec = row.candidate.spec
    return not isinstance(spec, FileCommitChainSpec) or spec.purity >= settings.min_purity


def _chain_files(row: MinedRow, _: FilterSettings) -> bool | None:
    return not isinstance(row.candidate.spec, FileCommitChainSpec) or row.candidate.sources_only


def _sample(row: MinedRow, _: FilterSettings) -> bool | None:
    return sample_type(row.sample_type).playable and row.candidate.difficulty is not None


def _suffix_list(settings: FilterSettings) -> str:
    return " ".join(suffix.decode("ascii") for suffix in settings.suffixes)


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
SAMPLE_FILTERS: Final = (
    Filter("conflicts", lambda s: f"merges of {s.min_conflicts} to {s.max_conflicts} conflicts", _conflicts),
    Filter("merge-files", lambda s: f"merges with conflicts in {_suffix_list(s)} alone", _merge_files),
    Filter("chain-length", lambda s: f"chains of {s.min_chain} to {s.max_chain} commits", _chain_length),
    Filter("purity", lambda s: f"chains with a purity >= {s.min_purity:g}", _purity),
    Filter("chain-files", lambda _: "chains that change source files alone", _chain_files),
    Filter("sample", lambda _: "a merge, or a chain that has a difficulty", _sample),
)
ATTAINABLE: Final = "attainable"
DUPLICATE: Final = "duplicate"
FILTERS: Final = (*PROJECT_FILTERS, *SAMPLE_FILTERS)
_ALWAYS: Final = frozenset({"sample"})
SWITCHABLE: Final = (*(rule.name for rule in FILTERS if rule.name not in _ALWAYS), DUPLICATE)
"""Names of the filters that can be switched off."""


def passes(rule: Filter, row: MinedRow, settings: FilterSettings) -> bool:
    """Whether a filter lets a row stay."""
    return bool(rule.test(row, settings))


def apply_filters(
    rows: Sequence[MinedRow], settings: FilterSettings, *, attainable_only: bool = False
) -> tuple[list[MinedRow], list[Removed]]:
    """The rows that stay, and what each filter removed, in the order in which they are applied.

    Raises:
        UserError: a filter to switch off does not exist.
    """
    unknown = sorted(settings.off - set(SWITCHABLE))
    if unknown:
        raise UserError(f"there is no filter {unknown[0]!r} to leave out: {', '.join(SWITCHABLE)}")
    removed = []
    remaining = list(rows)
    for rule in FILTERS:
        applied = rule.name not in settings.off
        verdicts = [rule.test(row, settings) if applied else True for row in remaining]
        left = [row for row, verdict in zip(remaining, verdicts, strict=True) if verdict]
        lost, unknown_facts = len(remaining) - len(left), verdicts.count(None)
        removed.append(Removed(rule.name, rule.describe(settings), lost, unknown_facts, applied))
        remaining = left
    before = len(remaining)
    if DUPLICATE not in settings.off:
        remaining = _without_duplicates(remaining)
    meaning = "the same commits, or the same changes, are not listed before, be it in another repository"
    removed.append(Removed(DUPLICATE, meaning, before - len(remaining), 0, DUPLICATE not in settings.off))
    before = len(remaining)
    if attainable_only:
        remaining = [row for row in remaining if row.candidate.attainable is not False]
    meaning = "merges whose truth can be reached from their conflicts alone"
    removed.append(Removed(ATTAINABLE, meaning, before - len(remaining), 0, attainable_only))
    return remaining, removed


def newest_day(projects: Iterable[Project]) -> datetime | None:
    """When the newest commit of all projects was made: with it as `as_of` a dataset does not depend on today."""
    return max((_day(project.last_commit) for project in projects if project.last_commit), default=None)


def _without_duplicates(rows: Sequence[MinedRow]) -> list[MinedRow]:
    """The rows that show neither the commits nor the hunks (blanks aside) of a row before them.

    A merge has those of another one where it has all regions of its conflicts, a chain where it has all its hunks.
    """
    seen: set[tuple[str, ...]] = set()
    kept = []
    for row in rows:
        spec, content = row.candidate.spec, row.candidate.content
        if isinstance(spec, MergeSpec):
            keys: list[tuple[str, ...]] = [(spec.merge_commit_hash,)]
        elif isinstance(spec, FileCommitChainSpec):
            keys = [(*row.candidate.commits, spec.file)]
        else:
            keys = [(row.sample_type, spec.model_dump_json())]
        if content is not None:
            keys.append((row.sample_type, content))
        if seen.isdisjoint(keys):
            kept.append(row)
        seen.update(keys)
    return kept


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=None)


def _shown(day: datetime | None) -> str:
    return "the newest commit of all" if day is None else day.strftime("%Y-%m-%d")
