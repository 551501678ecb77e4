"""The dataset card: README.md with the configuration that `datasets` reads, and statistics for people."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from gitgoodbench.dataset.rows import COLUMNS
from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.dataset.types import titles
from gitgoodbench.mining.contract import MinedType, mined_types
from gitgoodbench.mining.filters import Removed
from gitgoodbench.mining.markdown import table
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.splits import SplitPlan, Splits
from gitgoodbench.mining.statistics import by_difficulty, difficulties, repositories, rows_frame
from gitgoodbench.text import markdown_cell

_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_MOST_REPOSITORIES: Final = 100


@dataclass(frozen=True)
class CardFacts:
    """What the card contains. plots: files in the folder plots, and captions."""

    title: str
    mined: int
    removed: tuple[Removed, ...]
    splits: Splits
    plan: SplitPlan
    plots: tuple[tuple[str, str], ...] = ()


def dataset_card(facts: CardFacts) -> str:
    """The card of the folder with all splits."""
    rows = facts.splits.rows
    files = {name: f"{name}/*.parquet" for name, part in rows.items() if part}
    everything = [row for part in rows.values() for row in part]
    types = mined_types(sorted({row.sample_type for row in everything}))
    sections = [
        front_matter(facts.title, files, everything),
        f"# {facts.title}\n\n{_introduction(types.values())}",
        f"## Splits\n\n{_split_text(facts)}\n\n{_split_table(rows)}",
        f"## Filters\n\n{_filter_text(facts)}\n\n{_filter_table(facts.removed)}",
        *([_plot_section(facts.plots)] if facts.plots else []),
        *_type_sections(types, everything),
        f"## Repositories\n\n{_repository_table(everything)}",
        f"## Columns\n\n{_columns()}",
    ]
    return "\n\n".join(sections) + "\n"


def front_matter(title: str, files: Mapping[str, str], rows: Sequence[MinedRow]) -> str:
    """The YAML that the hub and `datasets` read. JSON strings are YAML strings."""
    languages = sorted({row.language for row in rows})
    size = next((name for limit, name in _SIZES if len(rows) < limit), "n>1M")
    lines = ["---", f"pretty_name: {json.dumps(title)}", "license: other", f"size_categories: [{json.dumps(size)}]"]
    lines += ["tags:", "- code", "- git", *(f"- {json.dumps(language)}" for language in languages)]
    lines += ["configs:", "- config_name: default", "  data_files:"]
    for split, pattern in files.items():
        lines += [f"  - split: {split}", f"    path: {json.dumps(pattern)}"]
    return "\n".join([*lines, "---"])


def split_card(title: str, split: str, types: Collection[str], rows: int, files: str) -> str:
    """The card of one split on the hub, where it is called `train` as in the published datasets."""
    matter = front_matter(f"{title} ({split})", {"train": files}, [])
    introduction = _introduction(mined_types(sorted(types)).values())
    return f"{matter}\n\n# {title}: {split}\n\n{rows} rows. {introduction}\n\n## Columns\n\n{_columns()}\n"


def _introduction(types: Iterable[MinedType]) -> str:
    kinds = ", ".join(kind.summary or kind.title for kind in types)
    return (
        "Scenarios for agents that work with Git, mined from real repository history by `gitgoodbench mine`, in the "
        f"schema of GitGoodBench (arXiv 2505.22583): {kinds}.\n"
        "The commits named here are under the licences of their repositories; no content of them is part of this "
        "dataset."
    )


def _type_sections(types: Mapping[str, MinedType], rows: Sequence[MinedRow]) -> Iterator[str]:
    """What each sample type says about its rows."""
    for name, called in titles(types).items():
        text = types[name].section([row for row in rows if row.sample_type == name])
        if text:
            yield f"## {called[:1].upper()}{called[1:]}\n\n{text}"


def _split_text(facts: CardFacts) -> str:
    plan = facts.plan
    text = f"Disjoint, drawn with seed {plan.seed}; per language and sample type {plan.lite} rows for lite, "
    text += f"{plan.full} for full, the rest for train; stratified over difficulty, project size and repository."
    if plan.by_repository:
        text += " No two of lite, full and train share a repository."
    if plan.after is not None:
        day = datetime.fromtimestamp(plan.after, UTC).strftime("%Y-%m-%d")
        text += (
            f" The split fresh holds rows whose commits were all made after {day} and that are not tied to an older "
            "row; what they start from may be older, and their repositories may be in other splits. The others hold "
            "nothing later."
        )
    return f"{text}\n\n" + "\n\n".join(split_notes(facts.splits, plan))


def split_notes(splits: Splits, plan: SplitPlan) -> list[str]:
    """What is kept together, what is lost by it, and how near the sizes are to the best there can be."""
    tied = splits.tied
    notes = [
        "Rows that show the same commit or near-identical hunks are never in two splits: "
        f"{tied.rows} rows are tied to others ({tied.by_commit} by commits, {tied.by_content} by content); "
        f"of the units that they make ({tied.units}) the largest has {tied.largest} rows."
    ]
    causes = [
        (splits.left_over, f"{splits.left_over} are more of their unit than fits its split"),
        (splits.straddling, f"{splits.straddling} have commits on both sides of the day"),
        (splits.undated, f"{splits.undated} have an implausible date, so that no one knows on which side"),
        (splits.stale, f"{splits.stale} are later than the day, but tied to an older row"),
    ]
    notes.append(f"{splits.lost} rows are in no split" + "".join(f"; {text}" for count, text in causes if count) + ".")
    undated = sum(row.candidate.implausible_date for part in splits.rows.values() for row in part)
    if undated:
        notes.append(f"{undated} rows have an implausible date; the one of a parent counts in its place.")
    if plan.by_repository:
        notes.append(
            f"The allocation costs {splits.cost:.3f} (shares of wanted rows that splits lack, and of rows that are "
            f"lost, over all languages and sample types); none costs less than {max(splits.bound, 0):.3f}."
        )
    return notes


def _split_table(splits: Mapping[str, Sequence[MinedRow]]) -> str:
    lines: list[list[object]] = []
    for split, rows in splits.items():
        frame = rows_frame(rows)
        for (language, sample_type), count in by_difficulty(frame, "language", "sample_type"):
            lines.append([split, markdown_cell(language), sample_type, *count.values(), sum(count.values())])
        total = difficulties(frame).values()
        lines.append([f"**{split}**", f"{frame.repository.nunique()} repositories", "", *total, len(rows)])
    return table(["split", "language", "sample type", *DIFFICULTIES, "all"], lines)


def _filter_text(facts: CardFacts) -> str:
    left = facts.mined - sum(entry.rows for entry in facts.removed)
    return (
        f"Of {facts.mined} mined candidates {left} are left. Filters are applied in this order, each to what the ones "
        "before have left; a row whose fact is unknown is removed."
    )


def _filter_table(removed: Sequence[Removed]) -> str:
    return table(
        ["filter", "keeps", "removed", "of them unknown"],
        [
            [entry.name, entry.meaning, entry.rows if entry.applied else "off", entry.unknown if entry.applied else ""]
            for entry in removed
        ],
    )


def _repository_table(rows: Sequence[MinedRow]) -> str:
    lines = repositories(rows_frame(rows))
    more = len(lines) - _MOST_REPOSITORIES
    cells = [[markdown_cell(cell) if isinstance(cell, str) else cell for cell in line] for line in lines]
    shown = table(["repository", "licence", "size", "rows"], cells[:_MOST_REPOSITORIES])
    return f"{shown}\n\nand {more} more." if more > 0 else shown


def _plot_section(plots: Sequence[tuple[str, str]]) -> str:
    images = "\n\n".join(f"![{caption}](plots/{name})" for name, caption in plots)
    return f"## Plots\n\n{images}"


def _columns() -> str:
    return (
        f"`{'`, `'.join(COLUMNS)}`, as in the published datasets. `scenario` holds the fields of the sample type as a "
        "Python literal in a string (read it with `ast.literal_eval`)."
    )
