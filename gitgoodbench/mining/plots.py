"""The plots of a dataset card."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.dataset.types import titles
from gitgoodbench.errors import UserError
from gitgoodbench.mining.contract import Figure, mined_types
from gitgoodbench.mining.project import SIZE_NAMES
from gitgoodbench.mining.records import MinedRow

_COLOURS: Final = {"easy": "#7fb069", "medium": "#e6aa3c", "hard": "#c8553d"}


def draw_plots(rows: Sequence[MinedRow], folder: Path) -> list[tuple[str, str]]:
    """Draw them into a folder. Returns file names and captions.

    Raises:
        UserError: matplotlib is not installed.
        OSError: the folder cannot be written.
    """
    pyplot = _pyplot()
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for plot, own in _figures(rows):
        figure, axes = pyplot.subplots(figsize=(7, 3.5), layout="constrained")
        plot.draw(own, axes)
        axes.set_title(plot.caption)
        # Without the version of the program, the same rows give the same picture.
        figure.savefig(folder / plot.file, dpi=100, metadata={"Software": None})
        drawn.append((plot.file, plot.caption))
        pyplot.close(figure)
    return drawn


def _figures(rows: Sequence[MinedRow]) -> Iterator[tuple[Figure, Sequence[MinedRow]]]:
    """The plots, and the rows that each is about."""
    if not rows:
        return
    yield Figure("difficulty.png", "Rows by language, sample type and difficulty", _draw_difficulty), rows
    if any(row.project.size for row in rows):
        yield Figure("sizes.png", "Rows by project size", _draw_sizes), rows
    for name, kind in mined_types(sorted({row.sample_type for row in rows})).items():
        own = [row for row in rows if row.sample_type == name]
        yield from ((figure, own) for figure in kind.figures)
    yield Figure("years.png", "Rows by the year of their commit", _draw_years), rows


def _draw_difficulty(rows: Sequence[MinedRow], axes: Any) -> None:
    called = titles(mined_types(sorted({row.sample_type for row in rows})))
    count = Counter((f"{row.language}\n{called[row.sample_type]}", row.candidate.difficulty) for row in rows)
    groups = sorted({group for group, _ in count})
    below = [0] * len(groups)
    for difficulty in DIFFICULTIES:
        heights = [count[group, difficulty] for group in groups]
        axes.bar(groups, heights, bottom=below, label=difficulty, color=_COLOURS[difficulty])
        below = [under + height for under, height in zip(below, heights, strict=True)]
    axes.legend()
    axes.set_ylabel("rows")


def _draw_sizes(rows: Sequence[MinedRow], axes: Any) -> None:
    count = Counter(row.project.size for row in rows)
    axes.bar(SIZE_NAMES, [count[name] for name in SIZE_NAMES], color="#4f6d7a")
    axes.set_ylabel("rows")


def _draw_years(rows: Sequence[MinedRow], axes: Any) -> None:
    from datetime import UTC, datetime

    count = Counter(datetime.fromtimestamp(row.candidate.committed, UTC).year for row in rows)
    axes.bar(list(count), list(count.values()), color="#4f6d7a")
    axes.set_ylabel("rows")


def _pyplot() -> Any:
    try:
        matplotlib = importlib.import_module("matplotlib")
        matplotlib.use("Agg")
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as problem:
        raise UserError(
            f"the plots need matplotlib ({problem}): pip install 'gitgoodbench[mining]', or give --no-plots"
        ) from problem
