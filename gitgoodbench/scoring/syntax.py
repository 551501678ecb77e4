"""Whether source files parse, and which functions and classes they define: Python, Java and Kotlin.

Files may be hostile: they are parsed in processes of their own (`ted.isolated`). Text that is not UTF-8 is read as
Latin-1, which moves no line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from gitgoodbench.ted.isolated import Answer, Task, ask
from gitgoodbench.ted.languages import language_of_file
from gitgoodbench.ted.nodes import MAX_SOURCE_BYTES as MAX_SOURCE_BYTES
from gitgoodbench.ted.nodes import ParseError

Language = str
"""One of `LANGUAGES`."""

LANGUAGES: Final = ("python", "java", "kotlin")
"""The benchmark's: others say nothing here, so that figures do not depend on what is installed."""


@dataclass(frozen=True)
class Definition:
    """A function or class. Lines are counted from 0, `stop` is the first one after it, decorators belong to it.

    name: with the names of the definitions around it, as in `Outer.method`.
    """

    name: str
    start: int
    stop: int


def language_of(path: bytes) -> Language | None:
    """The language of a source file by its name."""
    language = language_of_file(path)
    return language.name if language is not None and language.name in LANGUAGES else None


def count_errors(content: bytes, language: Language) -> int | None:
    """How many places of the file do not parse (ERROR and MISSING nodes).

    None for a file that is too large to be read, or that the parser does not come to an end with.
    """
    answer = _ask("errors", content, language)
    return None if answer is None else int(answer.facts["errors"])


def definitions(content: bytes, language: Language) -> list[Definition]:
    """Every function and class, outer ones before inner ones; none for a file that cannot be parsed (see above)."""
    answer = _ask("definitions", content, language)
    return [] if answer is None else [Definition(*found) for found in json.loads(answer.body)]


def enclosing_definition(known: list[Definition], start: int, stop: int) -> Definition | None:
    """The innermost definition that holds all the lines from `start` up to `stop`; None where there is none."""
    around = [one for one in known if one.start <= start and stop <= one.stop]
    return min(around, key=lambda one: one.stop - one.start, default=None)


def _ask(task: Task, content: bytes, language: Language) -> Answer | None:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        content = content.decode("latin-1").encode("utf-8")
    try:
        return ask(task, content, language)
    except ParseError:
        return None
