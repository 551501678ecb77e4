"""The dataset card: README.md with the configuration that `datasets` reads, and statistics for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from gitgoodbench.dataset.rows import COLUMNS
from gitgoodbench.mining.filters import Removed
from gitgoodbench.mining.plots import DIFFICULTIES
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.splits import SplitPlan, Splits
from gitgoodbench.mining.statistics import by_difficulty, difficulties, repositories, rows_frame

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
    sections = [
        front_matter(facts.title, files, everything),
        f"# {facts.title}\n\n{_INTRODUCTION}",
        f"## Splits\n\n{_split_text(facts)}\n\n{_split_table(rows)}",
        f"## Filters\n\n{_filter_text(facts)}\n\n{_filter_table(facts.removed)}",
        *([_plot_section(facts.plots)] if facts.plots else []),
        f"## Merges\n\n{_merge_table(everything)}",
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


def split_card(title: str, split: str, rows: int, files: str) -> str:
    """The card of one split on the hub, where it is called `train` as in the published datasets."""
    matter = front_matter(f"{title} ({split})", {"train": files}, [])
    return f"{matter}\n\n# {title}: {split}\n\n{rows} rows. {_INTRODUCTION}\n\n## Columns\n\n{_columns()}\n"


_INTRODUCTION: Final = """Scenarios for agents that work with Git, mined from real repository history by
`gitgoodbench mine`, in the schema of GitGoodBench (arXiv 2505.22583): merges that conflict, and chains of commits that
modify one file.
The commits named here are under the licences of their repositories; no content of them is part of this dataset."""


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; all columns but the first are numbers where the first row has numbers."""
    lines = [[_cell(value) for value in row] for row in rows]
    right = [bool(lines) and line.replace(".", "").replace("%", "").strip().isdigit() for line in (lines or [[""]])[0]]
    marks = ["---:" if number else "---" for number in right] if lines else ["---"] * len(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in [list(header), marks, *lines])


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _split_text(facts: CardFacts) -> str:
    plan = facts.plan
    text = f"Disjoint, drawn with seed {plan.seed}; per language and sample type {plan.lite} rows for lite, "
    text += f"{plan.full} for full, the rest for train; stratified over difficulty, project size and repository."
    if plan.by_repository:
        text += " No two of lite, full and train share a repository."
    if plan.after is not None:
        day = datetime.fromtimestamp(plan.after, UTC).strftime("%Y-%m-%d")
        text += (
            f" The split fresh holds merges, and chains with all their commits, that were committed after {day} and "
            "are not tied to an older row; the sides of a merge may be older, and its repository may be in other "
            "splits. The others hold nothing later."
        )
    return f"{text}\n\n" + "\n\n".join(split_notes(facts.splits, plan))


def split_notes(splits: Splits, plan: SplitPlan) -> list[str]:
    """What is kept together, what is lost by it, and how near the sizes are to the best there can be."""
    tied = splits.tied
    notes = [
        "Rows that show the same commit, a side of the same merge or near-identical hunks are never in two splits: "
        f"{tied.rows} rows are tied to others ({tied.by_commit} by commits, {tied.by_content} by content); "
        f"of the units that they make ({tied.units}) the largest has {tied.largest} rows."
    ]
    causes = [
        (splits.left_over, f"{splits.left_over} are more of their unit than fits its split"),
        (splits.straddling, f"{splits.straddling} are chains with commits on both sides of the day"),
        (splits.stale, f"{splits.stale} are later than the day, but tied to an older row"),
    ]
    notes.append(f"{splits.lost} rows are in no split" + "".join(f"; {text}" for count, text in causes if count) + ".")
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
        for (language, sample_type), counts, _ in by_difficulty(frame, "language", "sample_type"):
            lines.append([split, language, sample_type, *counts, sum(counts)])
        lines.append(
            [f"**{split}**", f"{frame.repository.nunique()} repositories", "", *difficulties(frame), len(rows)]
        )
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


def _merge_table(rows: Sequence[MinedRow]) -> str:
    """How many merges can be matched at all, by language and difficulty, and what kinds of conflicts they have."""
    merges = [row for row in rows if row.sample_type == "merge"]
    if not merges:
        return "None."
    lines = [
        [language, *(f"{hits} of {total}" for hits, total in zip(attainable, counts, strict=True))]
        for (language,), counts, attainable in by_difficulty(rows_frame(merges), "language")
    ]
    kinds = Counter(kind for row in merges for file in row.candidate.files for kind in file.kinds)
    listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    return (
        "Merges whose truth differs from the automatic merge inside the conflicts alone (an agent that only answers "
        f"conflicts can match no others):\n\n{table(['language', *DIFFICULTIES], lines)}\n\n"
        f"Kinds of conflicts, counted by file: {listed}."
    )


def _repository_table(rows: Sequence[MinedRow]) -> str:
    lines = repositories(rows_frame(rows))
    more = len(lines) - _MOST_REPOSITORIES
    shown = table(["repository", "licence", "size", "rows"], lines[:_MOST_REPOSITORIES])
    return f"{shown}\n\nand {more} more." if more > 0 else shown


def _plot_section(plots: Sequence[tuple[str, str]]) -> str:
    images = "\n\n".join(f"![{caption}](plots/{name})" for name, caption in plots)
    return f"## Plots\n\n{images}"


def _columns() -> str:
    return (
        f"`{'`, `'.join(COLUMNS)}`, as in the published datasets. `scenario` holds the fields of a merge or of a chain "
        "as a Python literal in a string (read it with `ast.literal_eval`)."
    )
