"""Counts of a dataset's rows, for its card and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.mining.records import MinedRow

if TYPE_CHECKING:  # only who builds a dataset needs it, and it takes its time to import
    import pandas

_COLUMNS: Final = ("repository", "license", "project_size", "language", "sample_type", "difficulty")


def rows_frame(rows: Iterable[MinedRow]) -> pandas.DataFrame:
    """One line per row: what rows are counted by."""
    import pandas

    fields = (
        (
            row.project.name, row.project.license or "unknown", row.project.size or "unknown",
            row.language, row.sample_type, row.candidate.difficulty,
        )
        for row in rows
    )  # fmt: skip
    return pandas.DataFrame(fields, columns=_COLUMNS)


def by_difficulty(frame: pandas.DataFrame, *keys: str) -> Iterator[tuple[Any, dict[str, int]]]:
    """For each value of the keys, in order: rows of each difficulty."""
    for value, group in frame.groupby(list(keys)):
        yield value, difficulties(group)


def difficulties(frame: pandas.DataFrame) -> dict[str, int]:
    """Rows of each difficulty, the easiest first."""
    return dict(frame.difficulty.value_counts().reindex(DIFFICULTIES, fill_value=0).astype(int))


def repositories(frame: pandas.DataFrame) -> Sequence[tuple[str, str, str, int]]:
    """Name, licence, size and number of rows of each repository, those with most rows first."""
    counted = frame.groupby("repository").agg(
        license=("license", "last"), size=("project_size", "last"), rows=("language", "size")
    )
    ordered = counted.reset_index().sort_values(["rows", "repository"], ascending=[False, True])
    return list(ordered.itertuples(index=False, name=None))
