"""Trees of files for scores: parsed in another process, each content once; None where a file cannot be parsed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.ted import ParseError, Tree, TreeTooLarge, closest_subtree, language_of_file, parse
from gitgoodbench.ted.fragments import Span
from gitgoodbench.ted.items import itemized
from gitgoodbench.ted.items import items as items
from gitgoodbench.ted.matching import contains, count_cells, least_distance

MAX_CELLS: Final = 100_000_000_000
"""Cells (see `matching.count_cells`) up to which one score is computed: some fifteen seconds at the very worst."""


class TooMuch(GitGoodBenchError):
    """A score would take too long."""


class TreeReader:
    """Parses files; the same content under the same language is one tree."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, str, tuple[Span, ...] | None], Tree | None] = {}

    def knows(self, path: bytes) -> bool:
        """Whether files of this name can be parsed."""
        language = language_of_file(path)
        return language is not None and language.is_installed

    def read(self, path: bytes, content: bytes | None, spans: Sequence[Span] | None = None) -> Tree | None:
        """The tree of a file. None for no content, a language that is not known, and what does not get parsed.

        Args:
            spans: only its excerpt (see `fragments.excerpt`), which takes half the time.
        """
        language = None if content is None else language_of_file(path, content)
        if content is None or language is None or not language.is_installed:
            return None
        key = (content, language.name, None if spans is None else tuple(spans))
        if key not in self._known:
            try:
                self._known[key] = parse(content, language.name, isolated=True, spans=spans)
            except ParseError:
                self._known[key] = None
        return self._known[key]


class Searcher:
    """Looks for the items of a tree in another one, as long as there is not too much of it."""

    def __init__(self) -> None:
        self._left = MAX_CELLS

    def distance(self, items: Sequence[Tree], haystack: Tree) -> int:
        """The least edit distances of items to subtrees of the haystack, added up.

        Raises:
            TooMuch: it would take too long, or too much memory.
        """
        haystack = itemized(haystack)
        return sum(self.closest(item, haystack) for item in items)

    def closest(self, item: Tree, haystack: Tree) -> int:
        """The least edit distance of an item to a subtree of the haystack. Where one is equal, that takes nothing.

        Raises:
            TooMuch: it would take too long, or too much memory; smaller ones may still be possible.
        """
        if contains(haystack, item):
            return 0
        self._take(count_cells(item, haystack))
        try:
            return closest_subtree(item, haystack).distance
        except TreeTooLarge as refused:
            raise TooMuch(str(refused)) from refused

    def bound(self, item: Tree, haystack: Tree) -> int:
        """A lower bound of that distance, mostly near.

        Raises:
            TooMuch: it would take too long.
        """
        self._take(len(item) * len(haystack))
        return least_distance(item, haystack)

    def _take(self, cells: int) -> None:
        if cells > self._left:
            raise TooMuch("there is too much to compare")
        self._left -= cells
