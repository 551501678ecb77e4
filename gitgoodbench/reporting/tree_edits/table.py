"""The edits as a table on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console

from gitgoodbench.reporting.layout import make_table, say
from gitgoodbench.reporting.tree_edits.rows import EditRow
from gitgoodbench.reporting.tree_edits.sources import Comparison
from gitgoodbench.text import one_line

_TEXT: Final = 60
_HEADER: Final = ("edit", "A: line", "B: line", "nodes", "kind", "text")
_FIGURES: Final = 4


def print_comparison(console: Console, comparison: Comparison, rows: Sequence[EditRow], most: int) -> None:
    """Print what both are, how far apart they are, and the first `most` edits; 0: all."""
    for label, side in (("A", comparison.first), ("B", comparison.second)):
        errors = side.tree.errors
        doubt = f"; {errors} {'place does' if errors == 1 else 'places do'} not parse" if errors else ""
        say(console, f"{label}: {side.name}, {side.tree.language}, {len(side.tree):,} nodes{doubt}")
    say(console, summary_line(comparison))
    shown = rows[:most] if most else rows
    if not shown:
        return
    table = make_table(console, _HEADER)
    for place, column in enumerate(table.columns):
        column.no_wrap = place < _FIGURES
        if not column.no_wrap:
            column.justify, column.overflow = "left", "fold"
    for row in shown:
        table.add_row(*_cells(row))
    say(console, "")
    console.print(table)
    if len(shown) < len(rows):
        say(console, f"{len(rows) - len(shown):,} more are not shown: --limit 0 shows all")


def summary_line(comparison: Comparison) -> str:
    """Distance, similarity and counts."""
    counts = ", ".join(f"{count:,} {kind}" for kind, count in comparison.mapping.counts.items())
    return f"distance {comparison.mapping.distance:,}, similarity {comparison.similarity:.3f}: {counts}"


def _cells(row: EditRow) -> list[str]:
    lines = ("" if line is None else str(line) for line in (row.before_line, row.after_line))
    kind = f"{row.kind} (children stay)" if row.alone else row.kind
    return [row.edit, *lines, str(row.nodes), kind, change_of(row)]


def change_of(row: EditRow) -> str:
    """What was there, and what is there now."""
    if row.edit == "relabelled":
        return f"{shown_text(row.before)} → {shown_text(row.after)}" if row.before or row.after else ""
    return shown_text(row.before or row.after)


def shown_text(text: bytes) -> str:
    """Source on one line of bounded length."""
    return one_line(text[: 20 * _TEXT].decode("utf-8", "backslashreplace"), _TEXT)
