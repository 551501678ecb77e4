"""What the agent is told. The templates lie beside this file; nothing in them names the sample, the merge commit or
its parents' ids.
"""

from __future__ import annotations

from datetime import UTC, datetime

from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.plugin.prompts import PromptTemplates, shorten
from gitgoodbench.scenario import Message, ToolSet

from .display import show_conflict
from .resolution import Resolution

TEMPLATES = PromptTemplates(__package__)


def merge_prompt(
    resolution: Resolution, language: str, tool_set: ToolSet, age_days: tuple[str, int]
) -> tuple[Message, Message]:
    """System and user message that open an episode.

    Args:
        age_days: which side is newer (`local`, `incoming` or `neither`) and by how many days.
    """
    model = resolution.model
    newer, days = age_days
    context = {
        "language": language.capitalize(),
        "tool_set": str(tool_set),
        "conflicts": [shorten(show_conflict(resolution, number, 0)) for number in range(len(model.conflicts))],
        "files": [show_path(path) for path in model.paths],
        "has_path_conflicts": len(model.text_conflicts) < len(model.conflicts),
        "newer": newer,
        "days": days,
        "marker": "<" * model.replay.marker_size,
    }
    return TEMPLATES.messages(context)


def newer_side(git: Git, parents: tuple[str, str]) -> tuple[str, int]:
    """Which side was committed later, and by how many whole days."""
    stamps = [int(git.line("show", "--no-patch", "--format=%ct", "--end-of-options", parent)) for parent in parents]
    local, incoming = (datetime.fromtimestamp(stamp, UTC) for stamp in stamps)
    if local == incoming:
        return "neither", 0
    return ("local" if local > incoming else "incoming"), abs(local - incoming).days
