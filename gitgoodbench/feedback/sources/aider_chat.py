"""One session of an aider chat history: what is the model's, what the person's, what aider says, line by line.

A person's lines are `#### text`, aider's `> text`, both end with two blanks; a message of aider's of several lines
begins with `> ` and ends with the first line that ends so. What is left is the model's answer, up to aider's line
about tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gitgoodbench.feedback.fence_contents import encode
from gitgoodbench.feedback.fence_paths import looks_like_path
from gitgoodbench.feedback.fences import code_of
from gitgoodbench.feedback.records import Part
from gitgoodbench.feedback.sources.patches import begin_patch

Who = Literal["person", "aider", "model"]

_END: Final = "  "
_MARKED: Final = re.compile(r"^(> .*?|.*  )\r?(?:\n|\Z)", re.MULTILINE)
"""Lines that can begin or end what is not the model's."""
_WORD: Final = re.compile(r"\S")
_OPENING: Final = re.compile(r"<{5,9} SEARCH>?\s*")
_MIDDLE: Final = re.compile(r"={5,9}\s*")
_CLOSING: Final = re.compile(r">{5,9} REPLACE\s*")
_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,}|</?(?:source|code|pre|codename|sourcecode)>)")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_ABOVE: Final = 3
"""Lines above a block that may name its file."""


@dataclass(frozen=True)
class Turn:
    """What one of the three says, without the marks."""

    who: Who
    text: str


@dataclass(frozen=True)
class Block:
    """A piece of code of an answer. edit: in the form in which aider takes edits. whole: a file's whole content."""

    path: str | None
    parts: tuple[Part, ...]
    edit: bool
    whole: bool = False
    language: str | None = None


def turns(text: str) -> Iterator[Turn]:
    """Tell apart who says what."""
    begin = 0
    aider: int | None = None
    for match in _MARKED.finditer(text):
        line, start = match[1], match.start()
        ends = line.endswith(_END)
        if aider is None and line.startswith("> ") and (ends or not _WORD.search(text, begin, start)):
            yield from _answer(text[begin:start])
            aider = start
        elif aider is None and line.startswith("#### ") and ends:
            yield from _answer(text[begin:start])
            yield Turn("person", line[5:].strip())
            begin = match.end()
        if aider is not None and ends:
            yield _of_aider(text[aider : match.end()])
            begin, aider = match.end(), None
    if aider is None:
        yield from _answer(text[begin:])
    else:
        yield _of_aider(text[aider:])


def blocks_of(text: str, edit_format: str, named: frozenset[str]) -> tuple[Block, ...]:
    """The code in an answer. named: files that aider speaks of after it, so that a line can be known as a path."""
    lines: list[str] = _LINE.findall(text)
    edits = replacements(lines, named)
    if edits:
        return tuple(edits)
    if "*** Begin Patch" in text and edit_format == "patch":
        return tuple(Block(one.path, one.parts, True, one.kind == "add") for one in begin_patch(text) if one.parts)
    found = []
    for fence in code_of(text):
        path = fence.path
        is_diff = any(part.before is not None for part in fence.parts) or fence.language == "diff"
        if is_diff and "udiff" in edit_format:
            found.append(Block(path, fence.parts, path is not None))
        elif "whole" in edit_format and path is not None:
            whole = b"".join(part.after for part in fence.parts)
            found.append(Block(path, (Part(None, whole, 1),), True, True, fence.language))
        elif fence.is_code:
            found.append(Block(path, fence.parts, False, language=fence.language))
    return tuple(found)


def replacements(lines: Sequence[str], named: frozenset[str]) -> list[Block]:
    """The SEARCH/REPLACE blocks of a text; one that is cut short is left out."""
    found: list[Block] = []
    path, at = None, 0
    while at < len(lines):
        if not _OPENING.fullmatch(lines[at]):
            at += 1
            continue
        path = _path_above(lines[max(0, at - _ABOVE) : at], named) or path
        middle = _find(lines, at + 1, _MIDDLE)
        end = _find(lines, middle + 1, _CLOSING)
        if end >= len(lines):
            break
        part = Part(
            encode("".join(lines[at + 1 : middle])) or None, encode("".join(lines[middle + 1 : end]))
        )  # fmt: skip
        found.append(Block(path, (part,), True))
        at = end + 1
    return found


def _answer(text: str) -> Iterator[Turn]:
    if _WORD.search(text):
        yield Turn("model", text.strip("\r\n") + "\n")


def _of_aider(text: str) -> Turn:
    return Turn("aider", text.removeprefix("> ").replace("\r\n", "\n").rstrip())


def _find(lines: Sequence[str], begin: int, mark: re.Pattern[str]) -> int:
    return next((at for at in range(begin, len(lines)) if mark.fullmatch(lines[at])), len(lines))


def _path_above(lines: Sequence[str], named: frozenset[str]) -> str | None:
    for line in reversed(lines):
        bare = line.strip().strip("`*#: \t")
        if bare in named or looks_like_path(bare):
            return bare
        if not _FENCE.match(line) and bare:
            return None
    return None
