"""The committed source of what a snippet became, put together from the places of its items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from gitgoodbench.feedback.pieces import Hunk
from gitgoodbench.ted.reward import SnippetMatch

_MOST_BLANKS: Final = 1_000
"""Blanks between items that are looked over."""
_MOST_MOVED: Final = 2_000
"""Bytes that are moved beside what comes after them: longer texts are seldom in several places."""
_WORD: Final = re.compile(rb"[A-Za-z0-9_\x80-\xff]")


@dataclass(frozen=True)
class _Place:
    """Where something stands in a hunk's file."""

    hunk: Hunk
    start: int
    end: int

    @property
    def text(self) -> bytes:
        return self.hunk.content[self.start : self.end]


def source_of(match: SnippetMatch, hunks: Sequence[Hunk]) -> bytes:
    """The source of what a run's items became, in their order, as it stands in the commit.

    Small items are often equally close to several places: one that stands beside the item before it is taken there.
    """
    places: list[_Place] = []
    for item in match.items:
        place = _Place(hunks[item.hunk], item.match.start, item.match.end)
        joined = _joined(places[-1], place) if places else None
        if joined is None:
            places.append(place)
        else:
            places[-1] = joined
    return b"\n".join(_lines(one.hunk.content, one.start, one.end) for one in places)


def _joined(last: _Place, place: _Place) -> _Place | None:
    """Both as one place: where the second's text follows the first, or the first's text precedes the second; else what
    is between them belongs to it, where both stand in order."""
    text, limit = place.text, last.hunk.span[1]
    after = last.hunk.content[last.end : min(limit, last.end + len(text) + _MOST_BLANKS)]
    blanks = len(after) - len(after.lstrip())
    if _begins(after[blanks:], text):
        return replace(last, end=last.end + blanks + len(text))
    if last.end - last.start <= _MOST_MOVED:
        before = last.text
        window = place.hunk.content[max(place.hunk.span[0], place.start - len(before) - _MOST_BLANKS) : place.start]
        stripped = window.rstrip()
        if stripped.endswith(before) and not _goes_on(stripped[: -len(before)], before):
            return replace(place, start=place.start - (len(window) - len(stripped)) - len(before))
    if last.hunk is place.hunk and last.end <= place.start:
        return replace(last, end=place.end)
    return None


def _begins(content: bytes, text: bytes) -> bool:
    """Whether a text stands at the beginning, and not as the beginning of a longer word."""
    return bool(text) and content.startswith(text) and not _goes_on(text, content[len(text) :])


def _goes_on(first: bytes, second: bytes) -> bool:
    """Whether a word that the first ends with goes on in the second."""
    return bool(_WORD.match(first[-1:]) and _WORD.match(second[:1]))


def _lines(content: bytes, start: int, end: int) -> bytes:
    """Whole lines, where only blanks stand before the first byte."""
    begin = content.rfind(b"\n", 0, start) + 1
    return content[begin if not content[begin:start].strip() else start : end]
