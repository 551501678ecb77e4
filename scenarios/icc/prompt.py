"""What the agent is told. The templates lie beside this file; nothing in them names the sample, its commits or how many
there were.
"""

from __future__ import annotations

from gitgoodbench.plugin.prompts import PromptTemplates
from gitgoodbench.scenario import EpisodeOptions, Message, ToolSet

from .display import list_files, show_hunks, summarize
from .division import Division

TEMPLATES = PromptTemplates(__package__)

PROMPT_LIMIT = 200_000
"""Characters of all hunks together that the prompt shows in full."""


def commit_prompt(division: Division, language: str, options: EpisodeOptions) -> tuple[Message, Message]:
    """System and user message that open an episode."""
    count = len(division.remaining)
    line_numbers = options.tool_set is ToolSet.EXTENDED
    shown, complete = show_hunks(division, range(1, count + 1), line_numbers=line_numbers, limit=PROMPT_LIMIT)
    if complete < count:
        shown += f"\n\nThe others are too many to be shown here:\n{summarize(division, complete + 1)}"
    context = {
        "language": language.capitalize(),
        "tool_set": str(options.tool_set),
        "hunks": options.hunks,
        "count": count,
        "files": list_files(division.offered),
        "rest": list_files(division.rest),
        "shown": shown,
    }
    return TEMPLATES.messages(context)
