"""Build a dataset of mined candidates: filters, ids, splits, files, card.

dataset/
  README.md                    the dataset card: what `datasets.load_dataset("dataset")` needs, and the statistics
  lite/samples.parquet         one folder for each split, in the published schema
  full/samples.parquet
  train/samples.parquet
  fresh/samples.parquet        with --after
  plots/*.png
"""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.writers import write_samples
from gitgoodbench.errors import UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.mining.card import CardFacts, dataset_card
from gitgoodbench.mining.filters import Removed, apply_filters, newest_day
from gitgoodbench.mining.plots import draw_plots
from gitgoodbench.mining.records import MinedRow, sample_id
from gitgoodbench.mining.rules import FilterSettings
from gitgoodbench.mining.splits import SPLITS, SplitPlan, Splits, split_rows
from gitgoodbench.mining.steps import Tell, tell_nobody

SAMPLES: Final = "samples.parquet"
"""The file of a split."""


@dataclass(frozen=True)
class BuildOptions:
    """Options of a dataset. languages: only rows of these; none: of any."""

    filters: FilterSettings = field(default_factory=FilterSettings)
    plan: SplitPlan = field(default_factory=SplitPlan)
    languages: tuple[str, ...] = ()
    title: str = "Git scenarios"
    plots: bool = True


@dataclass(frozen=True)
class BuiltDataset:
    """What was built. mined: rows before the filters. samples: by split."""

    folder: Path
    mined: int
    removed: tuple[Removed, ...]
    splits: Splits
    samples: dict[str, list[Sample]]


def build_dataset(
    rows: Sequence[MinedRow],
    folder: Path,
    options: BuildOptions,
    before_writing: Callable[[BuiltDataset], None] = lambda _: None,
    tell: Tell = tell_nobody,
) -> BuiltDataset:
    """Build the dataset in `folder`, whose earlier splits it replaces. The same rows and options give the same files.

    Args:
        before_writing: is shown what will be written.
        tell: to be told what is under way.

    Raises:
        UserError: no row is left, the folder cannot be written, or it holds something else.
    """
    filters = options.filters
    if filters.as_of is None:
        filters = dataclasses.replace(filters, as_of=newest_day(row.project for row in rows))
    chosen = [row for row in rows if not options.languages or row.language in options.languages]
    tell("filtering rows", 0, None)
    kept, removed = apply_filters(chosen, filters)
    if not kept:
        raise UserError(f"no row is left of {len(rows)}: {_removals(removed, len(rows) - len(chosen))}")
    numbered = number(kept)
    tell("finding rows that are alike, and splitting", 0, None)
    splits = split_rows(numbered, options.plan)
    samples = {name: [row.sample() for row in part] for name, part in splits.rows.items()}
    built = BuiltDataset(folder, len(chosen), tuple(removed), splits, samples)
    before_writing(built)
    try:
        _write(built, options, tell)
    except OSError as problem:
        raise UserError(f"{folder} cannot be written: {problem.strerror or problem}") from problem
    return built


def number(rows: Sequence[MinedRow]) -> list[MinedRow]:
    """The rows with ids that are unique in the dataset: `{slug}_{sample_type}_{index:04d}`, counted over all splits."""
    count: Counter[str] = Counter()
    numbered = []
    for row in rows:
        stem = sample_id(row.project.name, row.sample_type, 0)  # two repositories may have one slug
        numbered.append(dataclasses.replace(row, id=sample_id(row.project.name, row.sample_type, count[stem])))
        count[stem] += 1
    return numbered


def split_folders(folder: Path) -> dict[str, Path]:
    """The splits of a built dataset and their folders, in their order."""
    return {name: folder / name for name in SPLITS if (folder / name / SAMPLES).is_file()}


def _write(built: BuiltDataset, options: BuildOptions, tell: Tell) -> None:
    folder = built.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in SPLITS:
        part = folder / name
        if part.exists() and {entry.name for entry in part.iterdir()} - {SAMPLES}:
            raise UserError(f"{part} holds something else than a split; name another folder")
        if part.exists():
            shutil.rmtree(part)
        if built.samples.get(name):
            part.mkdir()
            tell(f"writing {name}", 0, None)
            write_samples(built.samples[name], part / SAMPLES)
    rows = [row for part in built.splits.rows.values() for row in part]
    tell("drawing plots and writing the card", 0, None)
    plots = draw_plots(rows, folder / "plots") if options.plots else []
    facts = CardFacts(options.title, built.mined, built.removed, built.splits, options.plan, tuple(plots))
    write_atomically(folder / "README.md", dataset_card(facts).encode())


def _removals(removed: Sequence[Removed], other_languages: int) -> str:
    parts = [f"{other_languages} are in other languages"] if other_languages else []
    for entry in removed:
        if entry.rows:
            unknown = f" ({entry.unknown} unknown)" if entry.unknown else ""
            parts.append(f"{entry.name} removes {entry.rows}{unknown}")
    return f"{', '.join(parts)}; --without FILTER leaves one out" if parts else "nothing was mined"
