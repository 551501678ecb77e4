"""Long texts in pieces: a page of one that a tool shows, and the beginnings of several that share a prompt's room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.errors import ToolError
from gitgoodbench.text import clean

PAGE: Final = 20_000
"""Characters of a text that a tool shows at a time, unless it is asked for fewer or more."""

LONGEST_PAGE: Final = 24_000
"""The most that can be asked for: in UTF-8 it always fits into one tool result."""

_LEAST_SHOWN: Final = 200


def page(text: str, offset: int = 0, length: int = PAGE, *, again: str = "call again with") -> str:
    """Characters `offset` to `offset + length` of a text; where there are others, a last line says how to see them.

    Offsets count characters of the text as models get it (`text.clean`). Concatenated pages, without their last lines,
    are the whole text.

    Args:
        again: what to do for the next page, up to its offset.

    Raises:
        ToolError: offset or length lie outside the text.
    """
    text = clean(text)
    if not 0 <= offset <= max(0, len(text) - 1):
        raise ToolError(f"offset must be 0 to {max(0, len(text) - 1)}: the text has {len(text)} characters")
    if length < 1:
        raise ToolError(f"length must be 1 to {LONGEST_PAGE}")
    end = offset + min(length, LONGEST_PAGE)
    if offset == 0 and end >= len(text):
        return text
    end = min(end, len(text))
    follows = f"; {again} offset={end} for what follows" if end < len(text) else ", the end"
    return f"{text[offset:end]}\n[characters {offset} to {end} of {len(text)}{follows}]"


@dataclass(frozen=True)
class Part:
    """A part of a prompt that may be too long for it. rest: the call or command that shows what does not fit."""

    text: str
    rest: str


def fit(parts: Sequence[Part], room: int) -> list[str]:
    """The parts, cut to so many characters together.

    Each keeps up to N characters, N as large as the room allows, so short ones stay whole. Where a part is cut, a line
    says how many characters are left out and what shows them.
    """
    texts = [clean(part.text) for part in parts]
    share = _share([len(text) for text in texts], room)
    return [
        text if len(text) <= share else _beginning(text, share, part.rest)
        for text, part in zip(texts, parts, strict=True)
    ]


def _beginning(text: str, share: int, rest: str) -> str:
    """The first characters, and a line about the others that counts as part of the share."""
    kept = max(_LEAST_SHOWN, share - 160 - len(rest))
    left_out = len(text) - kept
    return f"{text[:kept]}\n[... {left_out:,} characters are left out here; {rest} shows them ...]"


def _share(lengths: Sequence[int], room: int) -> int:
    """The most characters that each part may keep."""
    left = room
    for count, length in enumerate(sorted(lengths)):
        share = max(0, left) // (len(lengths) - count)
        if length > share:
            return share
        left -= length
    return max(lengths, default=0)
