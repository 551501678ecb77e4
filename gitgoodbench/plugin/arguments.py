"""Arguments that tools of several scenarios take."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from gitgoodbench.dialects import read_json, reader_of
from gitgoodbench.errors import ToolError
from gitgoodbench.git.messages import clean_message
from gitgoodbench.git.paths import parse_path, show_path
from gitgoodbench.git.text import to_bytes
from gitgoodbench.git.tree_paths import is_tree_path

MAX_MESSAGE_BYTES: Final = 64 * 1024
LONGEST_PATH_TEXT: Final = 4096


def path_argument(text: str) -> bytes:
    """A path from the project's root as a model writes it, perhaps quoted, with `./` before it or `/` behind; `.` is
    the root itself.

    Raises:
        ToolError: it is quoted, but not well, or no path inside the project.
    """
    if len(text) > LONGEST_PATH_TEXT:
        raise ToolError(f"a path has at most {LONGEST_PATH_TEXT} characters")
    try:
        path = parse_path(text).rstrip(b"/")
    except ValueError as problem:
        raise ToolError(str(problem)) from problem
    while path.startswith(b"./"):
        path = path[2:]
    if path != b"." and not is_tree_path(path):
        raise ToolError(f"{show_path(path)} is not a path inside the project; give it from the root, as in src/app.py")
    return path


def message_argument(text: str, name: str = "commit_message") -> bytes:
    """A commit message as Git would keep it: cleaned (`git.messages`), indentation and comment signs kept.

    Raises:
        ToolError: nothing is left of it, it is too long, or holds a NUL, which no commit can.
    """
    if "\0" in text:
        raise ToolError(f"{name} holds a NUL character, which no commit message can; leave it out")
    if len(text) > MAX_MESSAGE_BYTES or len(written := to_bytes(text, "utf-8")) > MAX_MESSAGE_BYTES:
        raise ToolError(f"{name} is longer than {MAX_MESSAGE_BYTES} bytes; write less")
    message = clean_message(written)
    if not message:
        raise ToolError(f"{name} is empty; write a subject line that says what the commit does")
    return message


def _read_numbers(value: Any, info: ValidationInfo) -> list[int] | Literal["all"]:
    """Read `3`, `"3"`, `"1-3, 5"`, `["1-3", 5]` and `"[1, 2]"` as the numbers that they name, `"all"` as all."""
    reader = reader_of(info)
    if isinstance(value, list) and all(type(entry) is int for entry in value):
        return value
    read = None if reader.strict else _numbers_in(value)
    if read is None:
        raise PydanticCustomError("numbers", "it must be a list of numbers, such as [1, 3]")
    reader.note(info.field_name, value, read)
    return read


def _numbers_in(value: Any) -> list[int] | Literal["all"] | None:
    """The numbers that a value names; None where it names none, too many, or something besides."""
    if isinstance(value, str):
        if value.strip().casefold() in ("all", "*"):
            return "all"
        listed = read_json(value)
        return _numbers_in(listed) if isinstance(listed, list) else _numbers_in_text(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return [value]
    if isinstance(value, float):
        return [int(value)] if value.is_integer() else None
    if not isinstance(value, list):
        return None
    numbers: list[int] = []
    for entry in value:
        read = None if isinstance(entry, list) else _numbers_in(entry)
        if read == "all" and len(value) == 1:
            return "all"
        if not isinstance(read, list):
            return None
        numbers += read
        if len(numbers) > _MOST_NUMBERS:
            return None
    return numbers


def _numbers_in_text(text: str) -> list[int] | None:
    """Numbers and ranges, between them commas, blanks or words that say no more."""
    numbers: list[int] = []
    for word in _RANGE.sub(r"\1-\2", _BETWEEN.sub(" ", text.strip(" []"))).split():
        first, dash, last = word.partition("-")
        if not (first.isascii() and first.isdigit() and len(first) < 10):
            return None
        if not dash:
            numbers.append(int(first))
        elif last.isascii() and last.isdigit() and len(last) < 10 and 0 <= int(last) - int(first) < _MOST_NUMBERS:
            numbers += range(int(first), int(last) + 1)
        else:
            return None
        if len(numbers) > _MOST_NUMBERS:
            return None
    return numbers or None


_BETWEEN: Final = re.compile(r",|#|\b(?:hunks?|and)\b", re.IGNORECASE)
_RANGE: Final = re.compile(r"(\d+)\s*(?:[-\u2013]|\bto\b)\s*(\d+)")
_MOST_NUMBERS: Final = 100_000
"""A short text names very many numbers by ranges; more than these no view has."""

Numbers = Annotated[
    Any, BeforeValidator(_read_numbers), WithJsonSchema({"type": "array", "items": {"type": "integer"}})
]
"""A list of numbers. Models also write one number, ranges, or "all", which the schema does not promise."""
