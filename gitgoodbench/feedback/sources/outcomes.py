"""What the result of a tool says about whether it did what it was asked to, for logs that tell it in no other way."""

from __future__ import annotations

import re
from typing import Final

from gitgoodbench.feedback.records import Outcome

_DENIED: Final = re.compile(
    r"\b(?:user|person|permission|request|tool|command|edit|operation)\b.{0,40}"
    r"\b(?:denied|rejected|declined|not approved)"
)
_FAILED: Final = ("error", "failed", '{"error"', "traceback", "exception")
_HEAD: Final = 200
"""Characters that are looked at: the rest may be a file."""


def outcome_of(said: str) -> tuple[Outcome, str | None]:
    """What became of a call by the first words of its result, and why it was not applied."""
    head = said[:_HEAD].lower()
    if _DENIED.search(head):
        return "denied", "it was not allowed"
    if head.lstrip().startswith(_FAILED):
        return "failed", "the tool failed"
    return "applied", None
