"""Code that a model gave in text."""

from __future__ import annotations

from typing import Final

from gitgoodbench.feedback.fences import code_of
from gitgoodbench.feedback.records import Edit
from gitgoodbench.feedback.sources.draft import Draft

_SCANNED: Final = 4 * 1024 * 1024
"""Characters of an answer that are looked at."""


def add_answers(
    draft: Draft,
    text: str,
    known_by: str,
    *,
    time: float | None,
    folder: str | None,
    model: str | None,
    message: str | None,
) -> None:
    """Add each piece of code in a text as an edit of its own.

    known_by: an id of the text in its session; the pieces are numbered after it.
    """
    if "```" not in text and "~~~" not in text:
        return
    for position, fence in enumerate(code_of(text[:_SCANNED])):
        if fence.is_code:
            draft.add(
                Edit(
                    draft.key(f"{known_by}#{position}"),
                    "answer",
                    "text",
                    time,
                    path=fence.path,
                    language=fence.language,
                    parts=fence.parts,
                    model=model,
                    message=message,
                ),
                folder,
            )
