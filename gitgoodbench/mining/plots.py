"""The plots of a dataset card."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.sample import FileCommitChainSpec, MergeSpec
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import UserError
from gitgoodbench.mining.project import LARGEST, SIZES
from gitgoodbench.mining.records import MinedRow

DIFFICULTIES: Final = ("easy", "medium", "hard")
SIZE_NAMES: Final = (*(name for name, _ in SIZES), LARGEST)
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
    for name, caption, draw in (
        ("difficulty.png", "Rows by language, sample type and difficulty", _draw_difficulty),
        ("sizes.png", "Rows by project size", _draw_sizes),
        ("conflicts.png", "Conflicts of a merge", _draw_conflicts),
        ("chains.png", "Commits and purity of a chain", _draw_chains),
        ("years.png", "Rows by the year of their commit", _draw_years),
    ):
        figure, axes = pyplot.subplots(figsize=(7, 3.5), layout="constrained")
        if draw(rows, axes):
            axes.set_title(caption)
            # Without the version of the program, the same rows give the same picture.
            figure.savefig(folder / name, dpi=100, metadata={"Software": None})
            drawn.append((name, caption))
        pyplot.close(figure)
    return drawn


def _draw_difficulty(rows: Sequence[MinedRow], axes: Any) -> bool:
    count = Counter((f"{row.language}\n{sample_type(row.sample_type).title}", row.candidate.difficulty) for row in rows)
    groups = sorted({group for group, _ in count})
    below = [0] * len(groups)
    for difficulty in DIFFICULTIES:
        heights = [count[group, difficulty] for group in groups]
        axes.bar(groups, heights, bottom=below, label=difficulty, color=_COLOURS[difficulty])
        below = [under + height for under, height in zip(below, heights, strict=True)]
    axes.legend()
    axes.set_ylabel("rows")
    return bool(groups)


def _draw_sizes(rows: Sequence[MinedRow], axes: Any) -> bool:
    count = Counter(row.project.size for row in rows)
    axes.bar(SIZE_NAMES, [count[name] for name in SIZE_NAMES], color="#4f6d7a")
    axes.set_ylabel("rows")
    return any(count[name] for name in SIZE_NAMES)


def _draw_conflicts(rows: Sequence[MinedRow], axes: Any) -> bool:
    count = Counter(
        row.candidate.spec.total_number_of_merge_conflicts for row in rows if isinstance(row.candidate.spec, MergeSpec)
    )
    axes.bar(list(count), list(count.values()), color="#4f6d7a")
    axes.set_xlabel("conflicts")
    axes.set_ylabel("merges")
    return bool(count)


def _draw_chains(rows: Sequence[MinedRow], axes: Any) -> bool:
    chains = [row.candidate.spec for row in rows if isinstance(row.candidate.spec, FileCommitChainSpec)]
    lengths = sorted({chain.times_seen_consecutively for chain in chains})
    if not lengths:
        return False
    purities = [[chain.purity for chain in chains if chain.times_seen_consecutively == length] for length in lengths]
    axes.hist(
        purities, bins=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0], stacked=True, label=[f"{length} commits" for length in lengths]
    )
    axes.legend()
    axes.set_xlabel("purity")
    axes.set_ylabel("chains")
    return True


def _draw_years(rows: Sequence[MinedRow], axes: Any) -> bool:
    from datetime import UTC, datetime

    count = Counter(datetime.fromtimestamp(row.candidate.committed, UTC).year for row in rows)
    axes.bar(list(count), list(count.values()), color="#4f6d7a")
    axes.set_ylabel("rows")
    return bool(count)


def _pyplot() -> Any:
    try:
        matplotlib = importlib.import_module("matplotlib")
        matplotlib.use("Agg")
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as problem:
        raise UserError(
            f"the plots need matplotlib ({problem}): pip install 'gitgoodbench[mining]', or give --no-plots"
        ) from problem
