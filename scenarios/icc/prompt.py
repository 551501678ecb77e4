"""What the agent is told. The templates lie beside this file; nothing in them names the sample, its commits or how many
there were.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.plugin.pages import Part
from gitgoodbench.plugin.prompts import PromptTemplates
from gitgoodbench.scenario import EpisodeOptions, Message, ToolSet

from .display import list_files, show_hunks, summarize
from .division import Division
from .options import CommitOptions

TEMPLATES = PromptTemplates(__package__)

HUNKS_LIMIT = 70_000
"""Characters of all hunks together that the prompt shows in full."""


def commit_prompt(
    division: Division, language: str, options: EpisodeOptions, examples: Sequence[str]
) -> tuple[Message, Message]:
    """System and user message that open an episode.

    Args:
        examples: a call of each tool.
    """
    count = len(division.remaining)
    line_numbers = options.tool_set is ToolSet.EXTENDED
    shown, complete = show_hunks(division, range(1, count + 1), line_numbers=line_numbers, limit=HUNKS_LIMIT)
    if complete < count:
        shown += f"\n\nThe others are too many to be shown here:\n{summarize(division, complete + 1)}"
    context = {
        "language": language.capitalize(),
        "tool_set": str(options.tool_set),
        "hunks": options.of(CommitOptions).hunks,
        "count": count,
        "files": list_files(division.offered),
        "rest": list_files(division.rest),
        "examples": examples,
    }
    rest = "`git diff`" if options.tool_set.has_shell else "view_hunk, page by page,"
    return TEMPLATES.messages(context, [Part(shown, rest)])
