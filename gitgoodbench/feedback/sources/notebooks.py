"""Cells of Jupyter notebooks."""

from __future__ import annotations

import json
from typing import Any, Final

from gitgoodbench.feedback.sources.values import at, name, rows, text

_LARGEST: Final = 16 * 1024 * 1024
"""Characters of a notebook that is read."""


def cell_before(result: Any, arguments: Any) -> str | None:
    """The source of the cell that an edit replaced, as the notebook had it; None where that is not known."""
    if (old := text(result, "old_source")) is not None:
        return old
    notebook = text(result, "original_file") or ""
    wanted = name(arguments, "cell_id") or name(result, "cell_id")
    try:
        cells = rows(json.loads(notebook), "cells") if 0 < len(notebook) <= _LARGEST else []
    except (ValueError, RecursionError):
        return None
    for position, cell in enumerate(cells):
        if wanted in (name(cell, "id"), f"cell-{position}"):
            return _source(cell)
    return _source(cells[0]) if wanted is None and cells else None


def _source(cell: Any) -> str | None:
    source = at(cell, "source")
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else None
