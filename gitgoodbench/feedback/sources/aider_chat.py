"""One session of an aider chat history: what is the model's, what the person's, what aider says, line by line.

A person's lines are `#### text`, aider's `> text`, both end with two blanks; a message of aider's of several lines
begins with `> ` and ends with the first line that ends so. What is left is the model's answer, up to aider's line
about tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from gitgoodbench.feedback.fence_contents import replacements
from gitgoodbench.feedback.fences import code_of
from gitgoodbench.feedback.records import Part
from gitgoodbench.feedback.sources.patches import begin_patch

Who = Literal["person", "aider", "model"]

_END: Final = "  "
_MARKED: Final = re.compile(r"^(> .*?|.*  )\r?(?:\n|\Z)", re.MULTILINE)
"""Lines that can begin or end what is not the model's."""
_WORD: Final = re.compile(r"\S")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


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
    edits = tuple(Block(path, (part,), True) for path, part in replacements(lines, named))
    if edits:
        return edits
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


def _answer(text: str) -> Iterator[Turn]:
    if _WORD.search(text):
        yield Turn("model", text.strip("\r\n") + "\n")


def _of_aider(text: str) -> Turn:
    return Turn("aider", text.removeprefix("> ").replace("\r\n", "\n").rstrip())
