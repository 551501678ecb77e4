"""Which added line took the place of which removed one, so that an edit can be told line by line."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

_ALIKE: Final = 0.5
"""Share of common characters from which two lines count as versions of one line."""

_OTHER_INDENTATION: Final = 0.1
"""What another indentation takes from the likeness of two lines: of several closing braces, the right one counts."""

_MOST_COMPARISONS: Final = 2_500
_LONGEST_LINE: Final = 400


def pair_lines(removed: Sequence[bytes], added: Sequence[bytes]) -> list[tuple[bool, int]]:
    """An order for a run of changed lines in which an added line follows the removed line that it resembles.

    Lines keep their order on either side. Between two pairs, and where nothing is alike, all removed lines come first,
    as in any diff. Runs too long to be compared are left so.

    Returns:
        (whether it is a removed line, its index in `removed` or `added`), each line once.
    """
    order: list[tuple[bool, int]] = []
    old = new = 0
    for pair_old, pair_new in (*_best_pairs(removed, added), (len(removed), len(added))):
        order += ((True, index) for index in range(old, pair_old))
        order += ((False, index) for index in range(new, pair_new))
        if pair_old < len(removed):
            order += ((True, pair_old), (False, pair_new))
        old, new = pair_old + 1, pair_new + 1
    return order


def _best_pairs(removed: Sequence[bytes], added: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pairs of indices, ascending on both sides, with the greatest sum of likeness."""
    if not removed or not added or len(removed) * len(added) > _MOST_COMPARISONS:
        return []
    likeness = [[_likeness(old, new) for new in added] for old in removed]
    best = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
    for i in reversed(range(len(removed))):
        for j in reversed(range(len(added))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], likeness[i][j] + best[i + 1][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(removed) and j < len(added):
        if likeness[i][j] and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likeness(old: bytes, new: bytes) -> float:
    """0 for lines that have too little in common, or nothing but blanks."""
    first, second = old.strip(), new.strip()
    if not first or not second or max(len(first), len(second)) > _LONGEST_LINE:
        return 0.0
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() < _ALIKE or matcher.quick_ratio() < _ALIKE:
        return 0.0
    ratio = matcher.ratio()
    if ratio < _ALIKE:
        return 0.0
    indented_alike = _indentation(old) == _indentation(new)
    return ratio if indented_alike else ratio - _OTHER_INDENTATION


def _indentation(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip())]
