"""What the agent is told. The templates lie beside this file; nothing in them names the sample, its repository or what
became of the branch later.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.git.histories import CommitView
from gitgoodbench.plugin.pages import Part
from gitgoodbench.plugin.prompts import PromptTemplates
from gitgoodbench.scenario import Message, ToolSet

from .display import show_commit

TEMPLATES = PromptTemplates(__package__)


def rebase_prompt(
    views: Sequence[CommitView], language: str, tool_set: ToolSet, examples: Sequence[str], *, root: bool
) -> tuple[Message, Message]:
    """System and user message that open an episode.

    Args:
        examples: a call of each tool. root: whether the chain begins with a root commit.
    """
    context = {
        "language": language.capitalize(),
        "tool_set": str(tool_set),
        "count": len(views),
        "root": root,
        "examples": examples,
    }
    parts = [Part(show_commit(views, index), _rest(index, len(views), tool_set)) for index in range(len(views))]
    return TEMPLATES.messages(context, parts)


def _rest(index: int, count: int, tool_set: ToolSet) -> str:
    """What shows a commit in full."""
    if tool_set.has_shell:
        return f"`git show HEAD~{count - 1 - index}`"
    return f"show_changes_in(commit_index={index}), page by page,"
