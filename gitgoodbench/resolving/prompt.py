"""Parts of prompts: the conflicts, and the files that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gitgoodbench.git.paths import show_path
from gitgoodbench.plugin.pages import Part
from gitgoodbench.resolving.display import show_conflict
from gitgoodbench.resolving.resolution import Resolution
from gitgoodbench.tools import ToolSet

_LISTED_FILES: Final = 50


def conflict_parts(resolution: Resolution, tool_set: ToolSet) -> list[Part]:
    """Every conflict in full, and what shows the rest of one that is too long."""
    numbers = range(len(resolution.model.conflicts))
    return [Part(show_conflict(resolution, number, 0), _rest(number, tool_set)) for number in numbers]


def _rest(number: int, tool_set: ToolSet) -> str:
    """What shows a conflict in full."""
    if tool_set.has_shell:
        return "the file itself"
    return f"view_merge_conflict_at(conflict_index={number}, context_window_size=0), page by page,"


def listed(paths: Sequence[bytes]) -> list[str]:
    """Paths for a list in a prompt, the first of very many."""
    names = [show_path(path) for path in paths]
    left_out = len(names) - _LISTED_FILES
    return [*names[:_LISTED_FILES], f"and {left_out} more"] if left_out > 0 else names
