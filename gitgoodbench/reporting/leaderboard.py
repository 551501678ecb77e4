"""A file of runs on the same rows, each with what produced it: to be kept in a repository, and compared line by line.

The file is JSON with sorted keys, entries from the best to the worst, so that a run more is some lines more. It holds
nothing that is not in the runs, and nothing of the machines they ran on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from gitgoodbench.errors import UserError
from gitgoodbench.files import locked, write_atomically
from gitgoodbench.reporting.file_models import RateFigure
from gitgoodbench.reporting.layout import UNKNOWN, Sheet, percent
from gitgoodbench.runs.result import dump_json

FORMAT: Final = 1


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rows(_Part):
    """Which rows all entries are of. suite: its name, without a folder. fingerprint: of the suite's rows. episodes:
    hash of the scenarios and samples that were played; samples: how many of them."""

    suite: str
    revision: str | None
    fingerprint: str
    episodes: str
    samples: int


class PartFigures(_Part):
    """The figures of one scenario, or of all. scores: means of the answers that have them."""

    episodes: int
    success: RateFigure
    of_answers: RateFigure
    of_attainable: RateFigure
    of_all: RateFigure
    all_gates: RateFigure
    scores: dict[str, float | None]


class Provenance(_Part):
    """What produced a run, as its manifest pins it. rules: what scored it. settings: the flags that decide results."""

    gitgoodbench: str
    git: str
    packages: dict[str, str]
    scenarios: dict[str, str]
    plugins: dict[str, str]
    sandbox: dict[str, str]
    judge: dict[str, str]
    settings: dict[str, Any]
    rules: dict[str, str]
    plan: str


class Entry(_Part):
    """One run. results: hash of the verdicts of all its episodes."""

    run_id: str
    created: str
    agent: str
    model: str | None
    epochs: int
    results: str
    overall: PartFigures
    scenarios: dict[str, PartFigures]
    cost_usd: float | None
    unknown_costs: int
    tokens: int | None
    median_seconds: float | None
    provenance: Provenance

    @property
    def identity(self) -> tuple[str, str]:
        """Which run it is; it may be scored again."""
        return self.run_id, self.created


class Leaderboard(_Part):
    """The whole file. entries: from the best."""

    format: Literal[1] = 1
    rows: Rows
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Candidate:
    """A run that may be added: it is complete, and as its manifest says."""

    rows: Rows
    entry: Entry


Change = Literal["added", "scored again", "already there"]


def read_leaderboard(path: Path) -> Leaderboard | None:
    """The leaderboard in a file; None where there is no file.

    Raises:
        UserError: the file is something else.
    """
    try:
        return Leaderboard.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        raise UserError(f"{path} is no leaderboard of this version: {where}: {first['msg'].lower()}") from problem
    except (ValueError, RecursionError, OSError) as problem:
        raise UserError(f"{path} is no leaderboard: {problem}") from problem


def add_runs(path: Path, candidates: Sequence[Candidate]) -> list[Change]:
    """Add runs to a file, all of them or none. A run that is in it already changes nothing, unless it was scored again.

    Raises:
        UserError: a run is on other rows than the file's, or another run in it has its name; the file is as it was.
    """
    changes: list[Change] = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path.with_name(f".{path.name}.lock"), lambda _: None):
            board = before = read_leaderboard(path)
            for candidate in candidates:
                board, change = _with(board, candidate, path)
                changes.append(change)
            if board is not None and board != before:
                write_atomically(path, dump_leaderboard(board))
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror or problem}") from problem
    return changes


def dump_leaderboard(board: Leaderboard) -> bytes:
    """The file: the same bytes for the same runs, in whatever order they were added."""
    values = board.model_dump(mode="json")
    return dump_json(json.loads(json.dumps(values, sort_keys=True)))


def _with(board: Leaderboard | None, candidate: Candidate, path: Path) -> tuple[Leaderboard, Change]:
    entry = candidate.entry
    if board is None:
        return Leaderboard(rows=candidate.rows, entries=(entry,)), "added"
    if (differs := _difference(board.rows, candidate.rows)) is not None:
        raise UserError(f"run {entry.run_id} is on other rows than {path}: {differs}; give it a file of its own")
    if entry in board.entries:
        return board, "already there"
    others = [other for other in board.entries if other.identity != entry.identity]
    if any(other.run_id == entry.run_id for other in others):
        raise UserError(f"{path} has another run that is called {entry.run_id}: run it under another --run-id")
    change: Change = "added" if len(others) == len(board.entries) else "scored again"
    return board.model_copy(update={"entries": tuple(sorted([*others, entry], key=_rank))}), change


def _difference(rows: Rows, others: Rows) -> str | None:
    if rows.fingerprint != others.fingerprint:
        return f"the rows of {others.suite} have the fingerprint {others.fingerprint[:12]}, not {rows.fingerprint[:12]}"
    if rows.episodes != others.episodes:
        return f"{others.samples} samples in scenarios of its own, not the {rows.samples} of the file"
    return None


def _rank(entry: Entry) -> tuple[float, float, str, str, str]:
    """The best first: by what is solved of all, then of answers; names decide between equals."""
    rates = (entry.overall.of_all.rate, entry.overall.of_answers.rate)
    first, second = (-1.0 if rate is None else rate for rate in rates)
    return -first, -second, entry.agent, entry.model or "", entry.run_id


def rows_hash(episodes: set[tuple[str, str]]) -> str:
    """Hash of scenarios and samples, whatever their order and the number of epochs."""
    return hashlib.sha256(json.dumps(sorted(episodes)).encode()).hexdigest()


def leaderboard_sheet(board: Leaderboard) -> Sheet:
    """The leaderboard as a table: solved of all, by scenario and together, then gates, scores and effort."""
    scenarios = list(dict.fromkeys(name for entry in board.entries for name in entry.scenarios))
    names = list(dict.fromkeys(name for entry in board.entries for name in entry.overall.scores))
    parts = scenarios if len(scenarios) > 1 else []
    headers = ["agent", "solved of all", "of attainable", *parts, "gates met", *(n.replace("_", " ") for n in names)]
    rows = [_cells(entry, parts, names) for entry in board.entries]
    title = f"{board.rows.suite}: {board.rows.samples} samples, rows {board.rows.fingerprint[:12]}"
    return Sheet(title, [*headers, "cost", "s/episode", "scored by", "run"], rows)


def _cells(entry: Entry, parts: Sequence[str], names: Sequence[str]) -> list[str]:
    whole = entry.overall
    cost = UNKNOWN if entry.cost_usd is None else f"{'>= ' if entry.unknown_costs else ''}${entry.cost_usd:.2f}"
    return [
        entry.agent if entry.model is None else f"{entry.agent} ({entry.model})",
        _rate(whole.of_all),
        _rate(whole.of_attainable),
        *(_rate(entry.scenarios[name].of_all) if name in entry.scenarios else UNKNOWN for name in parts),
        _rate(whole.all_gates),
        *(percent(whole.scores.get(name)) for name in names),
        cost,
        UNKNOWN if entry.median_seconds is None else f"{entry.median_seconds:.2f}",
        _rules(entry),
        entry.run_id,
    ]


def _rules(entry: Entry) -> str:
    return hashlib.sha256(json.dumps(entry.provenance.rules, sort_keys=True).encode()).hexdigest()[:8]


def _rate(figure: RateFigure) -> str:
    if figure.hits is None or figure.rate is None or figure.wilson_95_low is None or figure.wilson_95_high is None:
        return UNKNOWN
    ends = f"[{100 * figure.wilson_95_low:.1f}, {100 * figure.wilson_95_high:.1f}]"
    return f"{figure.hits}/{figure.total} {percent(figure.rate)} {ends}"
