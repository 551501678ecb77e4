"""The code in a model's text: fenced blocks, and which file and lines each is for.

Models are not strict about Markdown, so this is not either: a fence may stand in a list, hold fences of the same
length, or never be closed because the answer was cut. Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from gitgoodbench.feedback.fence_contents import parts_of
from gitgoodbench.feedback.fence_paths import path_before, path_in_comment, read_info
from gitgoodbench.feedback.records import Part

NO_CODE: Final = frozenset(
    [
     "ansi", "console", "disclaimer", "log", "logs", "mermaid", "output", "plain", "plaintext", "result", "results",
     "shell-session", "shellsession", "stderr", "stdout", "term", "terminal", "text", "tree", "txt",
    ]
)  # fmt: skip
"""Languages of fences that show something, and are meant for no file."""

_FENCE: Final = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})([^\n]*?)\r?\n?")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True)
class Fence:
    """A piece of code in a text, for one file.

    language: as the fence says, in lower case; path, line: of the file, where the text says. parts: the code, several
    where the text leaves something out between (`... existing code ...`), or shows what it replaces.
    """

    language: str | None
    path: str | None
    line: int | None
    parts: tuple[Part, ...]

    @property
    def is_code(self) -> bool:
        """Whether it is meant for a file: it is no output, or names the file."""
        return self.path is not None or self.language not in NO_CODE


@dataclass(frozen=True)
class _Mark:
    """A line that can open or close a fence."""

    at: int
    indent: int
    char: str
    length: int
    info: str
    bullet: bool

    def closes(self, opener: _Mark) -> bool:
        return (
            not self.info and not self.bullet and self.char == opener.char and self.length >= opener.length
            and self.indent <= opener.indent + 3
        )  # fmt: skip

    def nests_in(self, opener: _Mark) -> bool:
        """Whether it opens a fence within one that is as long, as models write them."""
        return (
            bool(self.info) and self.char == opener.char and self.length >= opener.length
            and self.indent <= opener.indent + 3
        )  # fmt: skip


def code_of(text: str) -> tuple[Fence, ...]:
    """The code in a text, in order. Fences that hold nothing are left out."""
    lines: list[str] = _LINE.findall(text)
    return tuple(fence for opener, end in _blocks(lines) for fence in _fences(lines, opener, end))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[_Mark, int]]:
    """Each outer fence: its opening mark, and the index of the line that closes it (or the number of lines)."""
    marks = [mark for at, line in enumerate(lines) if (mark := _mark(at, line))]
    position, nested = 0, True
    while position < len(marks):
        opener = marks[position]
        close = _close(marks, position, nested=nested)
        if close is None and nested:
            # Something is left open: marks are no longer paired, so only the plain rule makes sense from here on.
            nested = False
            close = _close(marks, position, nested=False)
        if close is None:
            yield opener, len(lines)
            return
        yield opener, marks[close].at
        position = close + 1


def _close(marks: Sequence[_Mark], position: int, *, nested: bool) -> int | None:
    """The position of the mark that closes a fence: the first that can, and that no fence within it needs."""
    opener, depth = marks[position], 1
    for at in range(position + 1, len(marks)):
        if marks[at].closes(opener):
            depth -= 1
            if depth == 0:
                return at
        elif nested and marks[at].nests_in(opener):
            depth += 1
    return None


def _mark(at: int, line: str) -> _Mark | None:
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.fullmatch(line)
    if match is None or (match[2][0] == "`" and "`" in match[3]):
        return None
    bullet = bool(match[1].strip())
    return _Mark(at, len(match[1].expandtabs(4)), match[2][0], len(match[2]), match[3].strip(), bullet)


def _fences(lines: Sequence[str], opener: _Mark, end: int) -> Iterator[Fence]:
    """What one block holds: one fence for each file."""
    body = [_without_indent(line, opener.indent) for line in lines[opener.at + 1 : end]]
    info = read_info(opener.info)
    path = info.path or _path_above(lines, opener.at, info.language)
    if body:
        commented, only = path_in_comment(body[0], info.language)
        path = path or commented
        body = body[1:] if only else body
    for named, parts in groupby(parts_of(body, info.language, info.line), key=lambda pair: pair[0]):
        yield Fence(info.language, named or path, info.line, tuple(part for _, part in parts))


def _path_above(lines: Sequence[str], at: int, language: str | None) -> str | None:
    """What the line above a fence says, a blank one between or not."""
    above = [line for line in lines[max(0, at - 2) : at] if line.strip()]
    return path_before(above[-1], language) if above else None


def _without_indent(line: str, indent: int) -> str:
    """A line without as much of the fence's own indentation as it has."""
    if not indent:
        return line
    width = 0
    for at, char in enumerate(line):
        if char not in " \t" or width >= indent:
            return line[at:]
        width += 4 - width % 4 if char == "\t" else 1
    return line
