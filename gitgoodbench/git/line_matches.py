"""Which lines of a text survive in another, in time that grows with their length and not with its square.

Ends that are equal and lines that occur once in both texts hold the match together; only the short stretches between
them are compared line by line.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

WORK_LIMIT: Final = 1_000_000
"""Pairs of lines that are compared in all; stretches beyond it count as rewritten."""

Span = tuple[int, int, int, int]


def matching_lines(old: Sequence[bytes], new: Sequence[bytes]) -> dict[int, int]:
    """For lines of `old` that survive, by number, their numbers in `new`; both ascend."""
    matches: dict[int, int] = {}
    work = 0
    for start, end, new_start, new_end in _stretches(old, new, matches):
        size = (end - start) * (new_end - new_start)
        if not size or work + size > WORK_LIMIT:
            continue
        work += size
        matcher = difflib.SequenceMatcher(None, old[start:end], new[new_start:new_end], autojunk=False)
        for block in matcher.get_matching_blocks():
            matches.update({start + block.a + i: new_start + block.b + i for i in range(block.size)})
    return dict(sorted(matches.items()))


def _stretches(old: Sequence[bytes], new: Sequence[bytes], matches: dict[int, int]) -> Iterator[Span]:
    """What lies between equal ends and unique lines; those are entered into `matches`."""
    open_spans = [(0, len(old), 0, len(new))]
    while open_spans:
        span = _trimmed(old, new, open_spans.pop(), matches)
        anchors = _anchors(old, new, span)
        if not anchors:
            yield span
            continue
        start, end, new_start, new_end = span
        matches.update(anchors)
        for position, new_position in anchors:
            open_spans.append((start, position, new_start, new_position))
            start, new_start = position + 1, new_position + 1
        open_spans.append((start, end, new_start, new_end))


def _trimmed(old: Sequence[bytes], new: Sequence[bytes], span: Span, matches: dict[int, int]) -> Span:
    start, end, new_start, new_end = span
    while start < end and new_start < new_end and old[start] == new[new_start]:
        matches[start] = new_start
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
        matches[end] = new_end
    return start, end, new_start, new_end


def _anchors(old: Sequence[bytes], new: Sequence[bytes], span: Span) -> list[tuple[int, int]]:
    """Lines that occur once on either side of the span: the longest list of them that ascends on both."""
    start, end, new_start, new_end = span
    counts, new_counts = Counter(old[start:end]), Counter(new[new_start:new_end])
    places = {line: i for i, line in enumerate(new[new_start:new_end], new_start) if new_counts[line] == 1}
    pairs = [(i, places[old[i]]) for i in range(start, end) if old[i] in places and counts[old[i]] == 1]
    tails: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for number, (_, new_position) in enumerate(pairs):
        rank = bisect_left(tails, new_position)
        before.append(last[rank - 1] if rank else None)
        if rank == len(tails):
            tails.append(new_position)
            last.append(number)
        else:
            tails[rank], last[rank] = new_position, number
    chain: list[tuple[int, int]] = []
    step = last[-1] if last else None
    while step is not None:
        chain.append(pairs[step])
        step = before[step]
    return chain[::-1]
