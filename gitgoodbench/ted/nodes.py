"""A parse as flat arrays in postorder, read with a cursor: no recursion, however deep the source is nested.

Knows neither numpy nor the trees made of it, so that the process that parses hostile files starts fast and stays small.
"""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import tree_sitter

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.ted.languages import COMMENTS, grammar

Span = tuple[int, int]
"""First byte, and the one after the last."""

MAX_SOURCE_BYTES: Final = 2 * 1024 * 1024
"""Larger sources are not parsed."""

TIMEOUT_S: Final = 20.0
"""Seconds that the parse of one source may take."""


ARRAYS: Final = ("kinds", "leftmost", "starts", "ends", "comments", "outline")
"""The fields of `Nodes` that are arrays."""


class ParseError(GitGoodBenchError):
    """A source is too large to be parsed, or its parse does not come to an end."""


@dataclass(frozen=True)
class Nodes:
    """The nodes of a parse, children before parents, left before right; arrays of 32-bit integers, one value a node.

    kinds: positions in `names`. leftmost: the first node of the subtree, always a leaf. starts, ends: bytes; a node of
    which nothing is left without its comments is empty. comments: start and end of each comment that was left out.
    outline: of the nodes of an excerpt, start and end of each child that the root had. errors: places that do not parse
    (ERROR and MISSING nodes).
    """

    names: tuple[str, ...]
    kinds: array[int]
    leftmost: array[int]
    starts: array[int]
    ends: array[int]
    comments: array[int]
    outline: array[int]
    errors: int


def parse_source(
    source: bytes, language: str, *, fragment: bool = False, timeout_s: float = TIMEOUT_S
) -> tree_sitter.Tree:
    """Parse UTF-8 text. The time-out is looked at now and then, and memory is not limited: see `isolated`.

    Raises:
        ParseError: the text is too large, or takes too long.
        UnknownLanguage: the grammar is not installed.
    """
    if len(source) > MAX_SOURCE_BYTES:
        raise ParseError(f"a source of {len(source)} bytes is not parsed: at most {MAX_SOURCE_BYTES} are")
    until = time.monotonic() + timeout_s
    parser = tree_sitter.Parser(grammar(language, fragment=fragment))
    try:
        return parser.parse(
            lambda offset, _: source[offset : offset + 65536],
            progress_callback=lambda _offset, _error: time.monotonic() > until,
        )
    except ValueError as stopped:
        raise ParseError(f"a source of {len(source)} bytes took longer than {timeout_s:g} s to parse") from stopped


def best_reading(
    readings: Iterable[bytes], language: str, *, fragment: bool = False
) -> tuple[int, int, tree_sitter.Tree]:
    """Of several readings of one source the first with the fewest places that do not parse.

    Those after one without such places are not asked for; one that cannot be parsed ends the search, unless it is the
    first.

    Returns:
        its position, its errors, and its parse.

    Raises:
        ParseError, UnknownLanguage: as `parse_source` does, of the first reading.
    """
    best: tuple[int, int, tree_sitter.Tree] | None = None
    for at, reading in enumerate(readings):
        try:
            tree = parse_source(reading, language, fragment=fragment)
        except ParseError:
            if best is None:
                raise
            break
        errors = count_errors(tree)
        if best is None or errors < best[1]:
            best = at, errors, tree
        if not errors:
            break
    assert best is not None
    return best


def read_best(
    readings: Iterable[bytes],
    language: str,
    *,
    fragment: bool = False,
    comments: bool = True,
    spans: Sequence[Span] | None = None,
) -> tuple[int, Nodes]:
    """The position of the best reading (see `best_reading`), and its nodes; those of the others are never read."""
    at, _, tree = best_reading(readings, language, fragment=fragment)
    return at, read_nodes(tree, comments=comments, spans=spans)


def read_nodes(tree: tree_sitter.Tree, *, comments: bool = True, spans: Sequence[Span] | None = None) -> Nodes:
    """The nodes of a parse.

    Args:
        comments: keep comments, which are left out otherwise.
        spans: read only the root and what lies inside the spans; see `fragments.excerpt`.
    """
    reader = _Reader(frozenset() if comments else _comment_kinds(tree.language))
    outline: list[int] = []
    if spans is None:
        reader.read(tree.walk())
    else:
        outline = reader.read_inside(tree, spans)
    names, numbered = _named(tree.language, reader.kinds)
    return Nodes(
        names, array("i", numbered), array("i", reader.leftmost), array("i", reader.starts), array("i", reader.ends),
        array("i", reader.left_out), array("i", outline), count_errors(tree),
    )  # fmt: skip


class _Reader:
    """Reads nodes into lists; those of the kinds `dropped` are left out."""

    def __init__(self, dropped: frozenset[int]) -> None:
        self._dropped = dropped
        self.kinds: list[int] = []
        self.leftmost: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.left_out: list[int] = []

    def read(self, cursor: tree_sitter.TreeCursor) -> None:
        """Read the node at the cursor, from which it was made, and all below it."""
        dropped = self._dropped
        kinds, leftmost, starts, ends = self.kinds, self.leftmost, self.starts, self.ends
        down, right, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
        first = [len(kinds)]  # of the node at the cursor and of those around it: what becomes their leftmost
        while True:
            while down():
                first.append(len(kinds))
            while True:
                node = cursor.node
                assert node is not None
                kind = node.kind_id
                if kind in dropped:
                    del kinds[first[-1] :], leftmost[first[-1] :], starts[first[-1] :], ends[first[-1] :]
                    self.left_out += (node.start_byte, node.end_byte)
                else:
                    emptied = dropped and first[-1] == len(kinds) and node.child_count
                    kinds.append(kind)
                    leftmost.append(first[-1])
                    starts.append(node.start_byte)
                    ends.append(node.start_byte if emptied else node.end_byte)
                if right():
                    first[-1] = len(kinds)
                    break
                if not up():
                    return
                first.pop()

    def read_inside(self, tree: tree_sitter.Tree, spans: Sequence[Span]) -> list[int]:
        """Read the largest subtrees below the root that lie inside a span and have text, and the root.

        Returns:
            start and end of each child of the root.
        """
        begins = sorted(start for start, _ in spans)
        furthest = list(accumulate((end for _, end in sorted(spans)), max))
        outline: list[int] = []
        waiting = [(node, True) for node in reversed(tree.root_node.children)]
        while waiting:
            node, is_outer = waiting.pop()
            start, end = node.start_byte, node.end_byte
            before = len(self.kinds)
            around, touching = bisect_right(begins, start), bisect_left(begins, end)
            if around and end <= furthest[around - 1] and start < end:
                self.read(node.walk())
            elif touching and furthest[touching - 1] > start and node.kind_id not in self._dropped:
                waiting.extend((child, False) for child in reversed(node.children))
            if is_outer:
                if node.kind_id in self._dropped:
                    self.left_out += (start, end)
                else:
                    outline += (start, end)
            if len(self.kinds) > before and self.starts[-1] == self.ends[-1]:  # nothing is left without its comments
                del self.kinds[-1], self.leftmost[-1], self.starts[-1], self.ends[-1]
        root = tree.root_node
        self.kinds.append(root.kind_id)
        self.leftmost.append(0)
        self.starts.append(root.start_byte)
        self.ends.append(root.end_byte)
        return outline


def count_errors(tree: tree_sitter.Tree) -> int:
    """How many places do not parse: ERROR and MISSING nodes."""
    if not tree.root_node.has_error:
        return 0
    errors = 0
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.has_error:
            errors += node.is_error or node.is_missing
            waiting.extend(node.children)
    return errors


def _comment_kinds(language: tree_sitter.Language) -> frozenset[int]:
    return frozenset(kind for kind in range(language.node_kind_count) if language.node_kind_for_id(kind) in COMMENTS)


def _named(language: tree_sitter.Language, kinds: list[int]) -> tuple[tuple[str, ...], list[int]]:
    """The names of the kinds, and the kinds as positions in them: some kinds share a name."""
    names = {kind: language.node_kind_for_id(kind) or "" for kind in dict.fromkeys(kinds)}
    listed = tuple(dict.fromkeys(names.values()))
    position = {name: at for at, name in enumerate(listed)}
    of_kind = {kind: position[name] for kind, name in names.items()}
    return listed, [of_kind[kind] for kind in kinds]
