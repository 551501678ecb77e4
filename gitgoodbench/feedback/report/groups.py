"""Edits by assistant, model, variant, language, folder, week or person.

What an assistant committed by itself stands apart: it scores near 1 by construction. Superseded edits have no reward,
and so are in no mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.feedback.report.rows import UNKNOWN, EditRow
from gitgoodbench.feedback.report.statistics import Correlation, Mean, correlation, mean_of
from gitgoodbench.feedback.report.usage import Amount, Usage, total, total_usage

DIMENSIONS: Final[dict[str, Callable[[EditRow], str | None]]] = {
    "assistant": lambda row: row.key.source,
    "model": lambda row: row.model,
    "variant": lambda row: row.variant,
    "language": lambda row: row.language,
    "folder": lambda row: row.folder,
    "week": lambda row: row.week,
    "person": lambda row: row.person,
}

METRICS: Final[dict[str, Callable[[EditRow], float | None]]] = {
    "reward": lambda row: row.reward,
    "kept": lambda row: row.kept,
    "normalised": lambda row: row.normalised,
    "survival": lambda row: row.survival,
}


@dataclass(frozen=True)
class PerNode:
    """What one kept node of a syntax tree took: tokens in and out, US dollars, seconds."""

    tokens: Amount
    cost: Amount
    latency: Amount


@dataclass(frozen=True)
class Group:
    """Edits that have one value of a dimension, committed by a person or by the same assistant.

    kept_nodes: of scored edits that were compared as syntax trees. usage: of all edits but pending ones, and those that
    were compared by lines; per_node: that, for each kept node; None where no node is kept.
    """

    name: str
    committed_by: str | None
    edits: int
    scored: int
    superseded: int
    not_applied: int
    indirect: int
    pending: int
    sessions: int
    commits: int
    reward: Mean
    kept: Mean
    normalised: Mean
    survival: Mean
    usage: Usage
    kept_nodes: float
    per_node: PerNode | None


@dataclass(frozen=True)
class Table:
    """All groups of one dimension."""

    by: str
    groups: tuple[Group, ...]


def value_of(row: EditRow, by: str) -> str:
    """Where an edit belongs."""
    return DIMENSIONS[by](row) or UNKNOWN


def group_rows(rows: Iterable[EditRow], by: str) -> Table:
    """The groups of a dimension, by name; what assistants committed comes after what people did."""
    found: dict[tuple[bool, str, str], list[EditRow]] = {}
    for row in rows:
        place = (row.committed_by is not None, value_of(row, by), row.committed_by or "")
        found.setdefault(place, []).append(row)
    return Table(
        by, tuple(group_of(name, of, committed_by or None) for (_, name, committed_by), of in sorted(found.items()))
    )


def group_of(name: str, rows: Sequence[EditRow], committed_by: str | None = None) -> Group:
    """Sum up edits."""
    states = [row.state for row in rows]
    paid = [row for row in rows if row.state != "pending" and row.measure != "lines"]
    usage = total_usage(row.usage for row in paid)
    nodes = sum((row.kept or 0.0) * (row.size or 0) for row in rows if row.state == "scored" and row.measure == "tree")
    return Group(
        name,
        committed_by,
        len(rows),
        scored=states.count("scored"),
        superseded=states.count("superseded"),
        not_applied=states.count("not_applied"),
        indirect=states.count("indirect"),
        pending=states.count("pending"),
        sessions=len({(row.key.source, row.key.session) for row in rows}),
        commits=len({row.commit for row in rows} - {None}),
        reward=mean_of(values_of(rows, "reward")),
        kept=mean_of(values_of(rows, "kept")),
        normalised=mean_of(values_of(rows, "normalised")),
        survival=mean_of(values_of(rows, "survival")),
        usage=usage,
        kept_nodes=nodes,
        per_node=_per_node(usage, nodes),
    )


def values_of(rows: Iterable[EditRow], metric: str) -> list[tuple[str, float]]:
    """The commits and values of scored edits that have one."""
    ask = METRICS[metric]
    return [
        (row.commit, value)
        for row in rows
        if row.state == "scored" and row.commit is not None and (value := ask(row)) is not None
    ]


def correlations(rows: Iterable[EditRow]) -> list[Correlation]:
    """Over edits that are compared: what goes with their size, and whether what is kept lasts."""
    known = [row for row in rows if row.counts]
    trees = [row for row in known if row.measure == "tree"]
    sizes = [(row, float(row.size)) for row in trees if row.size is not None]
    found = [
        correlation(metric, "size in nodes", [(value, size) for row, size in sizes if (value := ask(row)) is not None])
        for metric, ask in METRICS.items()
    ]
    lasting = [(row.reward, row.survival) for row in known if row.reward is not None and row.survival is not None]
    return [*found, correlation("reward", "survival", lasting)]


def is_randomised(rows: Iterable[EditRow]) -> bool:
    """Whether all edits that are compared are of sessions whose variant was chosen by lot."""
    known = [row for row in rows if row.counts]
    return bool(known) and all(row.randomised and row.variant is not None for row in known)


def _per_node(usage: Usage, nodes: float) -> PerNode | None:
    if nodes <= 0:
        return None
    tokens = total([usage.input_tokens, usage.output_tokens])
    return PerNode(tokens.times(1 / nodes), usage.cost.times(1 / nodes), usage.latency.times(1 / nodes))
