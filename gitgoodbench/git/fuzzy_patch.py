"""Apply a change of one file to another version of it, as `patch -F3` does: each hunk at the nearest place that fits.

A hunk is looked for where its line numbers and the hunks before it say, then further and further away; where it fits
nowhere, up to three lines of the context at its ends are left out of the comparison. A hunk that still fits nowhere is
dropped. Tests compare it with GNU patch 2.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.hunks import Line, Mark

CONTEXT: Final = 3
MAX_FUZZ: Final = 3


@dataclass(frozen=True)
class Patched:
    """The file that came of it. rejected: how many hunks fitted nowhere."""

    content: bytes
    applied: int
    rejected: int


@dataclass(frozen=True)
class _Hunk:
    """first: the number of its first line in the old file, from 1 on."""

    first: int
    lines: tuple[Line, ...]

    @property
    def old(self) -> list[bytes]:
        return [line.content for line in self.lines if line.mark is not Mark.ADDED]

    @property
    def prefix(self) -> int:
        """Lines of context before the first change."""
        return next(at for at, line in enumerate(self.lines) if line.mark is not Mark.KEPT)

    @property
    def suffix(self) -> int:
        return next(at for at, line in enumerate(reversed(self.lines)) if line.mark is not Mark.KEPT)


def patch_fuzzily(script: Sequence[Line], target: bytes) -> Patched:
    """Apply a change to `target`.

    Args:
        script: the change: every line of the old and of the new file, in order.
    """
    state = _Input(split_lines(target))
    result: list[bytes] = []
    applied = rejected = 0
    for hunk in _hunks(script):
        where = state.find(hunk)
        if where is None:
            rejected += 1
            continue
        applied += 1
        result += state.take(hunk, where)
    return Patched(b"".join(result + state.rest()), applied, rejected)


def _hunks(script: Sequence[Line]) -> Iterator[_Hunk]:
    """The hunks of a unified diff with three lines of context."""
    changed = [at for at, line in enumerate(script) if line.mark is not Mark.KEPT]
    groups: list[list[int]] = []
    for at in changed:
        near = groups and _kept_between(script, groups[-1][-1], at) <= 2 * CONTEXT
        (groups[-1] if near else groups.append([]) or groups[-1]).append(at)  # type: ignore[func-returns-value]
    for group in groups:
        start, stop = max(0, group[0] - CONTEXT), min(len(script), group[-1] + 1 + CONTEXT)
        lines = tuple(script[start:stop])
        before = sum(line.mark is not Mark.ADDED for line in script[:start])
        yield _Hunk(before + 1 if any(line.mark is not Mark.ADDED for line in lines) else before, lines)


def _kept_between(script: Sequence[Line], first: int, second: int) -> int:
    return sum(line.mark is Mark.KEPT for line in script[first + 1 : second])


class _Input:
    """The file that is patched. Line numbers count from 1 on, as in patch."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._offset = 0
        self._done = 0
        """Lines that are written, and no hunk may match any more (`last_frozen_line`)."""

    def find(self, hunk: _Hunk) -> int | None:
        """Where the hunk fits, with as little fuzz as there need be."""
        most = min(max(hunk.prefix, hunk.suffix), MAX_FUZZ)
        return next((where for fuzz in range(most + 1) if (where := self._locate(hunk, fuzz)) is not None), None)

    def _locate(self, hunk: _Hunk, fuzz: int) -> int | None:
        guess = hunk.first + self._offset
        count = len(hunk.old)
        if not count:
            return guess
        context = max(hunk.prefix, hunk.suffix)
        prefix, suffix = fuzz + hunk.prefix - context, fuzz + hunk.suffix - context
        last = len(self._lines) - (count - suffix) + 1
        most_down, most_up = last - guess, guess - (self._done + 1)
        if guess <= most_up:
            most_up = guess - 1
        if prefix < 0 and hunk.first <= 1:  # can only match the start of the file
            if suffix < 0 and (count != len(self._lines) or hunk.prefix < self._done):
                return None
            return self._try(hunk, guess, 1 - guess, 0, suffix, allowed=self._done <= hunk.prefix, down=most_down)
        prefix = max(prefix, 0)
        if suffix < 0:  # can only match its end
            offset = guess - (len(self._lines) - count + 1)
            if offset <= most_up and self._matches(hunk, guess - offset, prefix, 0):
                self._offset -= offset
                return guess - offset
            return None
        first = guess - last if most_down < 0 else guess - (self._done + 1) if most_up < 0 else 0
        for offset in range(first, max(most_down, most_up) + 1):
            for signed, most in ((offset, most_down), (-offset, most_up)):
                if offset <= most and self._matches(hunk, guess + signed, prefix, suffix):
                    self._offset += signed
                    return guess + signed
        return None

    def _try(
        self, hunk: _Hunk, guess: int, offset: int, prefix: int, suffix: int, *, allowed: bool, down: int
    ) -> int | None:
        if not allowed or offset > down or not self._matches(hunk, guess + offset, prefix, suffix):
            return None
        self._offset += offset
        return guess + offset

    def _matches(self, hunk: _Hunk, where: int, prefix: int, suffix: int) -> bool:
        wanted = hunk.old[prefix : len(hunk.old) - suffix]
        start = where - 1 + prefix
        return start >= 0 and self._lines[start : start + len(wanted)] == wanted

    def take(self, hunk: _Hunk, where: int) -> list[bytes]:
        """The lines up to its last change. Context is taken from the file, not from the hunk, and that behind the last
        change is left for the next hunk.
        """
        at = where - 1
        result: list[bytes] = []
        for line in hunk.lines:
            if line.mark is not Mark.KEPT:
                result += self._lines[self._done : at]
                self._done = max(self._done, at)
            if line.mark is Mark.ADDED:
                result.append(line.content)
                continue
            at += 1
            if line.mark is Mark.REMOVED:
                self._done = at
        return result

    def rest(self) -> list[bytes]:
        return self._lines[self._done :]
