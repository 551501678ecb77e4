"""What stands in a fence: code with pieces left out, SEARCH/REPLACE blocks, or a diff as models write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from gitgoodbench.feedback.fence_paths import looks_like_path
from gitgoodbench.feedback.records import Part

Named = tuple[str | None, Part]
"""A part, and the file that the content itself names for it."""

_SEARCH: Final = re.compile(r"(?:<{5,9}|-{5,9}) ?SEARCH>?\s*")
_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})")
_MIDDLE: Final = re.compile(r"={5,9}\s*")
_REPLACE: Final = re.compile(r"(?:>{5,9}|\+{5,9}) ?REPLACE\s*")
_START_LINE: Final = re.compile(r":start_line:\s?(\d{1,9})\s*")
_RULE: Final = re.compile(r"-{5,9}\s*")

_DIFFS: Final = frozenset(("diff", "patch", "udiff", "git-diff"))
_HUNK: Final = re.compile(r"@@ ?(?:-\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? ?@@)?")
_BEGIN_FILE: Final = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (.+)")
_HEADER: Final = re.compile(
    r"(?:diff --git |index [0-9a-f]{4,}|new file mode|deleted file mode|similarity |rename |Index: |={30})"
)

_COMMENT: Final = re.compile(r"\s*(?://+|#+|--+|;+|%+|/\*+|<!--+|\{\s?/\*+)\s?(.*?)\s?(?:\*+/\s?\}?|--+>)?\s*")
_LEFT_OUT: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:\.{3,}|…).*",
        r"[\[(]?(?:the )?(?:rest of|existing|remaining|previous|unchanged|other)\b.{0,80}(?:\.{3,}|…)[\])]?",
        r"[\[(]?(?:the )?(?:rest of|existing|remaining|previous|unchanged|other)\b.{0,40}"
        r"\b(?:code|imports?|methods?|functions?|class(?:es)?|file|contents?|implementations?|fields?|logic)\b.{0,20}"
        r"\b(?:unchanged|remains?|stays?|same|as before|(?:goes )?here|omitted)\b.{0,30}",
        r"[\[(]?(?:the )?(?:rest of(?: the)?|existing|remaining|unchanged)"
        r" (?:code|imports|file|methods|functions|class|implementation)[\])]?",
    )
)
_ELLIPSIS_IS_CODE: Final = frozenset(("python", "py", "pyi", "python3"))
_LONGEST_MARK: Final = 200


def parts_of(lines: Sequence[str], language: str | None, line: int | None) -> list[Named]:
    """The parts that the lines of a fence hold, each line with its end. line: the number of the first, where known."""
    if any(_SEARCH.fullmatch(text) for text in lines):
        return list(replacements(lines))
    if language in _DIFFS or _is_diff(lines):
        return list(_loose_diff(lines))
    return [(None, part) for part in _pieces(lines, language, line)]


def left_out(text: str, language: str | None) -> bool:
    """Whether a line stands for code that is not shown (`// ... existing code ...`)."""
    if len(text) > _LONGEST_MARK:
        return False
    bare = text.strip()
    if bare in ("...", "…", "[...]", "(...)"):
        return bare == "…" or language not in _ELLIPSIS_IS_CODE
    comment = _COMMENT.fullmatch(text.rstrip("\r\n"))
    if comment is None:
        return False
    body = comment[1].strip("-=~ ")
    return any(pattern.fullmatch(body) for pattern in _LEFT_OUT)


def _pieces(lines: Sequence[str], language: str | None, line: int | None) -> Iterator[Part]:
    """The stretches of code between marks that something is left out. Only the first can know its line."""
    begin = 0
    for end in [*(at for at, text in enumerate(lines) if left_out(text, language)), len(lines)]:
        stretch = "".join(lines[begin:end])
        if stretch.strip():
            yield Part(None, encode(stretch), line if begin == 0 else None)
        begin = end + 1


def replacements(lines: Sequence[str], named: frozenset[str] = frozenset()) -> Iterator[Named]:
    """SEARCH/REPLACE blocks; one that is cut short is left out. A path may stand on a line before them.

    named: what is known to be a path, though it may not look like one.
    """
    path, at = None, 0
    while at < len(lines):
        if not _SEARCH.fullmatch(lines[at]):
            word = lines[at].strip("`*#: \t\r\n")
            if word in named or (looks_like_path(word) and not _FENCE.match(lines[at])):
                path = word
            at += 1
            continue
        middle = _find(lines, at + 1, _MIDDLE)
        end = _find(lines, middle + 1, _REPLACE)
        if end >= len(lines):
            return
        search, line = _without_hints(lines[at + 1 : middle])
        yield path, Part(encode("".join(search)) or None, encode("".join(lines[middle + 1 : end])), line)
        at = end + 1


def _find(lines: Sequence[str], begin: int, mark: re.Pattern[str]) -> int:
    return next((at for at in range(begin, len(lines)) if mark.fullmatch(lines[at])), len(lines))


def _without_hints(lines: Sequence[str]) -> tuple[Sequence[str], int | None]:
    """The searched lines, without the `:start_line:12` and the rule that some programs ask for before them."""
    hint = _START_LINE.fullmatch(lines[0]) if lines else None
    if hint is None:
        return lines, None
    begin = next((at + 1 for at, text in enumerate(lines[:4]) if _RULE.fullmatch(text)), 1)
    return lines[begin:], int(hint[1]) or None


def _is_diff(lines: Sequence[str]) -> bool:
    """Whether lines without a language are a diff: they begin like one."""
    first = next((text for text in lines if text.strip()), "")
    if first.startswith(("diff --git ", "*** Begin Patch")):
        return True
    return first.startswith("--- ") and any(text.startswith("+++ ") for text in lines[:4])


def _loose_diff(lines: Sequence[str]) -> Iterator[Named]:
    """The hunks of a diff, numbers or not; counts are not believed, models get them wrong."""
    path, line = None, None
    hunk: list[str] = []
    for at, text in enumerate(lines):
        start = _HUNK.match(text)
        if not start and not _is_header(lines, at):
            hunk.append(text)
            continue
        yield from _hunk(path, line, hunk)
        hunk = []
        line = (int(start[1]) or None) if start and start[1] else None
        path = path if start else _path_of(text, path)
    yield from _hunk(path, line, hunk)


def _hunk(path: str | None, line: int | None, lines: Sequence[str]) -> Iterator[Named]:
    """A hunk before and after; lines without a sign are context, as models forget the blank."""
    if any(text.startswith(("+", "-")) for text in lines):
        kept = [text for text in lines if not text.startswith("\\")]
        before = "".join(_unsigned(text) for text in kept if not text.startswith("+"))
        after = "".join(_unsigned(text) for text in kept if not text.startswith("-"))
        yield path, Part(encode(before) or None, encode(after), line)


def _unsigned(text: str) -> str:
    return text[1:] if text.startswith(("+", "-", " ")) else text


def _is_header(lines: Sequence[str], at: int) -> bool:
    text = lines[at]
    if text.startswith("--- "):
        return at + 1 < len(lines) and lines[at + 1].startswith("+++ ")
    if text.startswith("+++ "):
        return at > 0 and lines[at - 1].startswith("--- ")
    return text.startswith("*** ") or bool(_HEADER.match(text))


def _path_of(header: str, known: str | None) -> str | None:
    """The file that a header line names; the one known so far where it names none."""
    begun = _BEGIN_FILE.match(header)
    if begun:
        return begun[1].strip()
    if header.startswith("diff --git "):
        return None
    if not header.startswith(("--- ", "+++ ")):
        return known
    name = header[4:].partition("\t")[0].strip()
    if name == "/dev/null":
        return known
    return name[2:] if name.startswith(("a/", "b/")) else name or known


def encode(text: str) -> bytes:
    """Text of a log as the bytes of a file. Lone surrogates, which JSON can hold, are kept as they are."""
    return text.encode("utf-8", "surrogatepass")
