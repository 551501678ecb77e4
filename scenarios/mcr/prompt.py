"""What the agent is told. The templates lie beside this file; nothing in them names the sample, the merge commit or
its parents' ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.git.dates import believable_time
from gitgoodbench.git.process import Git
from gitgoodbench.plugin.prompts import PromptTemplates
from gitgoodbench.resolving.prompt import conflict_parts, listed
from gitgoodbench.resolving.resolution import Resolution
from gitgoodbench.scenario import Message, ToolSet

TEMPLATES = PromptTemplates(__package__)


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
        "files": listed(model.paths),
        "file_count": len(model.paths),
        "newer": newer,
        "days": days,
        "marker": "<" * model.replay.marker_size,
    }
    return TEMPLATES.messages(context, conflict_parts(resolution, tool_set))


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
