"""What `gitgoodbench ted` does after its arguments are read."""

from __future__ import annotations

import json
from pathlib import Path

from gitgoodbench.cli.output import echo
from gitgoodbench.reporting.layout import make_console
from gitgoodbench.reporting.tree_edits.page import write_page
from gitgoodbench.reporting.tree_edits.rows import edit_rows, edits_as_json
from gitgoodbench.reporting.tree_edits.sources import compare_sources, read_sources
from gitgoodbench.reporting.tree_edits.table import print_comparison, summary_line
from gitgoodbench.text import on_one_line


def compare(
    first: str, second: str, *, language: str | None, text: bool, html: Path | None, as_json: bool, limit: int
) -> int:
    """Compare two sources and print their edits; returns the exit code.

    Raises:
        UserError: they cannot be read, parsed or compared, or the page cannot be written.
    """
    comparison = compare_sources(*read_sources(first, second, text=text), language)
    if html is not None:
        write_page(html, comparison, edit_rows(comparison))
    if as_json:
        echo(json.dumps(edits_as_json(comparison), indent=1))
    elif html is not None:
        echo(summary_line(comparison))
        echo(f"written to {on_one_line(str(html))}")
    else:
        print_comparison(make_console(), comparison, edit_rows(comparison), limit)
    return 0
