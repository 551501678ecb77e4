"""What the agent is told. The templates lie beside this file; nothing in them names the sample, the merge commit or
its parents' ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.git.dates import believable_time
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.plugin.pages import Part
from gitgoodbench.plugin.prompts import PromptTemplates
from gitgoodbench.scenario import Message, ToolSet

from .display import show_conflict
from .resolution import Resolution

TEMPLATES = PromptTemplates(__package__)

_LISTED_FILES = 50


def merge_prompt(
    resolution: Resolution, language: str, tool_set: ToolSet, examples: Sequence[str], age_days: tuple[str, int]
) -> tuple[Message, Message]:
    """System and user message that open an episode.

    Args:
        examples: a call of each tool.
        age_days: which side is newer, and by how many days (see `newer_side`).
    """
    model = resolution.model
    newer, days = age_days
    context = {
        "language": language.capitalize(),
        "tool_set": str(tool_set),
        "examples": examples,
        "files": _listed([show_path(path) for path in model.paths]),
        "file_count": len(model.paths),
        "newer": newer,
        "days": days,
        "marker": "<" * model.replay.marker_size,
    }
    numbers = range(len(model.conflicts))
    return TEMPLATES.messages(
        context, [Part(show_conflict(resolution, number, 0), _rest(number, tool_set)) for number in numbers]
    )


def _rest(number: int, tool_set: ToolSet) -> str:
    """What shows a conflict in full."""
    if tool_set.has_shell:
        return "the file itself"
    return f"view_merge_conflict_at(conflict_index={number}, context_window_size=0), page by page,"


def _listed(names: Sequence[str]) -> list[str]:
    left_out = len(names) - _LISTED_FILES
    return [*names[:_LISTED_FILES], f"and {left_out} more"] if left_out > 0 else list(names)


def newer_side(git: Git, parents: tuple[str, str]) -> tuple[str, int]:
    """Which side was committed later (`unknown` where a date is implausible), and by how many whole days."""
    stamps = [
        believable_time(git.run("show", "--no-patch", "--format=%ct", "--end-of-options", parent).strip())
        for parent in parents
    ]
    local, incoming = stamps
    if local is None or incoming is None:
        return "unknown", 0
    if local == incoming:
        return "neither", 0
    return ("local" if local > incoming else "incoming"), abs(local - incoming) // 86_400
