"""What the agent is told. The templates lie beside this file; nothing in them names the sample, its repository or what
became of the branch later.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.git.histories import CommitView
from gitgoodbench.plugin.prompts import PromptTemplates, shorten
from gitgoodbench.scenario import Message, ToolSet

from .display import show_commit

TEMPLATES = PromptTemplates(__package__)


def rebase_prompt(
    views: Sequence[CommitView], language: str, tool_set: ToolSet, *, root: bool
) -> tuple[Message, Message]:
    """System and user message that open an episode. root: whether the chain begins with a root commit."""
    context = {
        "language": language.capitalize(),
        "tool_set": str(tool_set),
        "count": len(views),
        "root": root,
        "commits": [shorten(show_commit(views, index)) for index in range(len(views))],
    }
    return TEMPLATES.messages(context)
