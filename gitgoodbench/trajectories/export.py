"""From runs to files: read, choose, mask, leave out duplicates, keep evaluation out, divide, write.

Each step counts what it leaves out; nothing is dropped silently.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from gitgoodbench.errors import UserError
from gitgoodbench.files import make_durably, replacing
from gitgoodbench.trajectories import formats
from gitgoodbench.trajectories.choosing import Choice, Pair, best_of_samples, check_choice, fitting, pairs
from gitgoodbench.trajectories.disjoint import Evaluation, split
from gitgoodbench.trajectories.duplicates import distinct
from gitgoodbench.trajectories.masking import masked
from gitgoodbench.trajectories.packed import MessageSpool
from gitgoodbench.trajectories.parquet_format import write_parquet
from gitgoodbench.trajectories.rows import Row, digest, read_rows
from gitgoodbench.trajectories.source import Source

Format = Literal["openai", "trl", "sharegpt", "atif", "parquet"]
FORMATS: Final[tuple[Format, ...]] = ("openai", "trl", "sharegpt", "atif", "parquet")
PAIR_FORMATS: Final[tuple[Format, ...]] = ("trl",)
TRAIN: Final = "train"
TEST: Final = "test"

_RECORDS: Final[Mapping[str, Callable[[Row], formats.Record]]] = {
    "openai": formats.openai,
    "trl": formats.trl,
    "sharegpt": formats.sharegpt,
    "atif": formats.atif,
}


@dataclass(frozen=True)
class Collected:
    """Rows that are fit for training, and what was left out on the way, by reason, in order."""

    rows: tuple[Row, ...]
    read: int
    left_out: tuple[tuple[str, int], ...]

    @property
    def masked(self) -> int:
        """Secrets and addresses that were replaced."""
        return sum(row.masked for row in self.rows)


def collect(
    sources: Sequence[Source], choice: Choice, evaluation: Evaluation | None, *, likeness: float | None = 0.9
) -> Collected:
    """Read the rows of runs and keep those that are asked for and may be trained on.

    Conversations stay on disk: memory holds a small row for each episode.

    Args:
        evaluation: what must not be in it; None where the user allows evaluation data.
        likeness: as in `distinct`.

    Raises:
        UserError: nothing is left because all of it is evaluation data, or a score or scenario is in no row.
    """
    _refuse_twins(sources)
    spool, no_rows = MessageSpool(), Counter[str]()
    read = [row for source in sources for row in read_rows(source, spool, no_rows)]
    check_choice(choice, read)
    left_out = sorted(no_rows.items())
    known = [row for row in read if evaluation is None or row.commits]
    left_out.append(("whose commits are not known", len(read) - len(known)))
    allowed = [row for row in known if evaluation is None or not evaluation.holds(row)]
    if known and not allowed and evaluation is not None:
        suites = ", ".join(name for name, _ in evaluation.suites)
        raise UserError(
            f"all {len(known)} episodes are of repositories or commits of evaluation suites ({suites}): collect on the "
            "train split, or give --allow-evaluation-data for data that is not trained on"
        )
    left_out.append(("evaluation data", len(known) - len(allowed)))
    wanted = fitting(allowed, choice)
    left_out.append(("not asked for", len(allowed) - len(wanted)))
    unique = distinct(wanted, likeness=likeness)
    left_out += [("same sample and same calls", unique.same), ("near duplicates", unique.near)]
    best = best_of_samples(unique.rows, choice)
    left_out.append(("not among the best of their sample", len(unique.rows) - len(best)))
    rows = tuple(masked(row, spool) for row in best)
    return Collected(rows, len(read) + no_rows.total(), tuple(left_out))


def _refuse_twins(sources: Sequence[Source]) -> None:
    """Rows are told apart by the names of their runs."""
    folders: dict[str, Path] = {}
    for source in sources:
        if source.id in folders:
            raise UserError(
                f"two runs are called {source.id}: {folders[source.id]} and {source.paths.folder}; give one of them"
            )
        folders[source.id] = source.paths.folder


def divide(rows: Sequence[Row], share: float) -> dict[str, list[Row]]:
    """The rows of each side, by name; only train where the share of test is 0.

    They are mixed: readers such as `datasets` tell the types of fields by the first rows.
    """
    train, test = split(sorted(rows, key=lambda row: digest(row.id)), share)
    return {TRAIN: train, TEST: test} if share else {TRAIN: train}


def make_pairs(rows: Sequence[Row], by: str, gap: float, most: int | None) -> list[Pair]:
    """Preferences among rows; see `choosing.pairs`."""
    return list(pairs(rows, by, gap=gap, most=most))


def write_rows(rows: Sequence[Row], form: Format, path: Path) -> list[Path]:
    """Write rows in a format; give the files written.

    atif is a folder of documents, one an episode; the other formats are one file, openai's with its metadata beside.

    Raises:
        OSError: something cannot be written; files are whole or absent.
        UserError: a package that the format needs is missing.
    """
    if form == "atif":
        return _write_documents(rows, path)
    make_durably(path.parent)
    if form == "parquet":
        with replacing(path) as partial:
            write_parquet(rows, partial)
        return [path]
    record = _RECORDS[form]
    if form == "openai":
        beside = path.with_name(f"{path.stem}.metadata.jsonl")
        _write_lines(path, map(record, rows))
        _write_lines(beside, (row.metadata() for row in rows))
        return [path, beside]
    _write_lines(path, ({**record(row), "metadata": json.dumps(row.metadata())} for row in rows))
    return [path]


def write_pairs(made: Sequence[Pair], path: Path) -> list[Path]:
    """Write preferences in TRL's form.

    Raises:
        OSError: it cannot be written.
    """
    make_durably(path.parent)
    _write_lines(path, ({**formats.trl_pair(pair), "metadata": json.dumps(pair.metadata())} for pair in made))
    return [path]


def suffix_of(form: Format) -> str:
    """How the names of a format's files end; empty for folders."""
    return {"parquet": ".parquet", "atif": ""}.get(form, ".jsonl")


def _write_documents(rows: Sequence[Row], folder: Path) -> list[Path]:
    written = []
    for row in rows:
        path = folder / f"{row.id}.json"
        make_durably(path.parent)
        _write(path, [json.dumps(formats.atif(row), indent=1)])
        written.append(path)
    return written


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    _write(path, (json.dumps(record) for record in records))


def _write(path: Path, lines: Iterable[str]) -> None:
    with replacing(path) as partial, partial.open("w", encoding="ascii", newline="\n") as file:
        for line in lines:
            file.write(line + "\n")
