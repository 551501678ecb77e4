"""What the agent is told. The templates lie beside this file; nothing in them names the sample or the real commit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gitgoodbench.git.picks import PickedCommit
from gitgoodbench.git.text import to_text
from gitgoodbench.plugin.prompts import PromptTemplates
from gitgoodbench.resolving.prompt import conflict_parts, listed
from gitgoodbench.resolving.resolution import Resolution
from gitgoodbench.scenario import Message, ToolSet

TEMPLATES = PromptTemplates(__package__)

_MESSAGE_CHARACTERS: Final = 4000


def pick_prompt(
    resolution: Resolution, picked: PickedCommit, language: str, tool_set: ToolSet, examples: Sequence[str]
) -> tuple[Message, Message]:
    """System and user message that open an episode.

    Args:
        examples: a call of each tool.
    """
    model = resolution.model
    context = {
        "language": language.capitalize(),
        "tool_set": str(tool_set),
        "operation": picked.operation,
        "command": "cherry-pick" if picked.operation == "pick" else "revert",
        "commit": picked.oid,
        "message": _shortened(to_text(picked.commit.message, "utf-8").strip()),
        "examples": examples,
        "files": listed(model.paths),
        "file_count": len(model.paths),
    }
    return TEMPLATES.messages(context, conflict_parts(resolution, tool_set))


def _shortened(message: str) -> str:
    left_out = len(message) - _MESSAGE_CHARACTERS
    return message if left_out <= 0 else f"{message[:_MESSAGE_CHARACTERS]}\n[... {left_out:,} characters are left out]"
