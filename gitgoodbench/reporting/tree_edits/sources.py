"""Two sources read and compared: files, snippets, or what comes from standard input."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from gitgoodbench.errors import UserError
from gitgoodbench.ted import (
    EditMapping,
    ParseError,
    Tree,
    TreeTooLarge,
    edit_mapping,
    find_language,
    language_of_file,
    parse,
    parse_fragment,
)
from gitgoodbench.ted.languages import Language
from gitgoodbench.ted.nodes import MAX_SOURCE_BYTES

STANDARD_INPUT: Final = "-"


@dataclass(frozen=True)
class Source:
    """A source and what it is called. language: that of its file; None where it has no file. is_file: not a snippet."""

    name: str
    content: bytes
    language: Language | None
    is_file: bool


@dataclass(frozen=True)
class Side:
    """A source as a tree."""

    name: str
    tree: Tree

    @cached_property
    def _line_ends(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.flatnonzero(np.frombuffer(self.tree.source, np.uint8) == 0x0A)

    def line(self, place: int) -> int:
        """The line, counted from 1, that a byte is on."""
        return int(np.searchsorted(self._line_ends, place)) + 1


@dataclass(frozen=True)
class Comparison:
    """Two sources and the edits that make the second of the first."""

    first: Side
    second: Side
    mapping: EditMapping[Tree]

    @property
    def similarity(self) -> float:
        """1 - distance / nodes of both: 1 for equal trees, 0 where nothing is left."""
        return 1 - self.mapping.distance / (len(self.first.tree) + len(self.second.tree))


def read_sources(first: str, second: str, *, text: bool) -> tuple[Source, Source]:
    """Read what is to be compared.

    Args:
        first, second: paths, or `-` for standard input; with `text` the sources themselves.

    Raises:
        UserError: there is nothing to read.
    """
    if text:
        one, other = (
            Source(name, given.encode("utf-8", "surrogateescape"), None, False)
            for name, given in (("A", first), ("B", second))
        )
        return one, other
    if first == second == STANDARD_INPUT:
        raise UserError("standard input can be read once: give a file for A or for B")
    return _read(first), _read(second)


def _read(path: str) -> Source:
    if path == STANDARD_INPUT:
        return Source("standard input", sys.stdin.buffer.read(MAX_SOURCE_BYTES + 1), None, False)
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_SOURCE_BYTES + 1)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}: name a file, - for standard input, or use --text") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise UserError(f"{path} cannot be read ({reason}): name a file that you may read") from problem
    return Source(path, content, language_of_file(path, content), True)


def compare_sources(first: Source, second: Source, language: str | None = None) -> Comparison:
    """Parse both, in another process, and map one to the other.

    Args:
        language: of both, as `find_language` takes it; None for those of the files.

    Raises:
        UserError: a language is not known, a source cannot be parsed, or they differ in too much.
    """
    sides = [
        _parsed(source, _language(source, other, language)) for source, other in ((first, second), (second, first))
    ]
    families = {find_language(side.tree.language).family for side in sides}
    if len(families) > 1:
        names = " and ".join(f"{side.name} ({side.tree.language})" for side in sides)
        raise UserError(f"{names} are of different languages: --language names one for both")
    try:
        mapping = edit_mapping(sides[0].tree, sides[1].tree)
    except TreeTooLarge as problem:
        raise UserError(str(problem)) from problem
    return Comparison(sides[0], sides[1], mapping)


def _language(source: Source, other: Source, wanted: str | None) -> str:
    if wanted is not None:
        return find_language(wanted).name
    found = source.language or (other.language if not source.is_file else None)
    if found is None:
        raise UserError(f"the language of {source.name} is not known: name it, as in --language python")
    return found.name


def _parsed(source: Source, language: str) -> Side:
    if len(source.content) > MAX_SOURCE_BYTES:
        raise UserError(
            f"{source.name} is too large: sources of up to {MAX_SOURCE_BYTES:,} bytes are parsed; compare parts of it"
        )
    read = parse if source.is_file else parse_fragment
    try:
        tree = read(source.content, language, isolated=True)
    except ParseError as problem:
        raise UserError(f"{source.name} cannot be parsed as {language}: {problem}") from problem
    if tree.kind(tree.root) == "ERROR":
        raise UserError(f"{source.name} cannot be parsed as {language}: name another one with --language")
    return Side(source.name, tree)
