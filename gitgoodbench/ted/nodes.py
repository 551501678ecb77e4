"""A parse as flat arrays in postorder, read with a cursor: no recursion, however deep the source is nested.

Knows neither numpy nor the trees made of it, so that the process that parses hostile files starts fast and stays small.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import tree_sitter

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.ted.languages import COMMENTS, grammar

MAX_SOURCE_BYTES: Final = 2 * 1024 * 1024
"""Larger sources are not parsed."""

TIMEOUT_S: Final = 20.0
"""Seconds that the parse of one source may take."""


ARRAYS: Final = ("kinds", "leftmost", "starts", "ends", "comments")
"""The fields of `Nodes` that are arrays."""


class ParseError(GitGoodBenchError):
    """A source is too large to be parsed, or its parse does not come to an end."""


@dataclass(frozen=True)
class Nodes:
    """The nodes of a parse, children before parents, left before right; arrays of 32-bit integers, one value a node.

    kinds: positions in `names`. leftmost: the first node of the subtree, always a leaf. starts, ends: bytes; a node of
    which nothing is left without its comments is empty. comments: start and end of each comment that was left out.
    errors: places that do not parse (ERROR and MISSING nodes).
    """

    names: tuple[str, ...]
    kinds: array[int]
    leftmost: array[int]
    starts: array[int]
    ends: array[int]
    comments: array[int]
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
    readings: Iterable[bytes], language: str, *, fragment: bool = False, comments: bool = True
) -> tuple[int, Nodes]:
    """The position of the best reading (see `best_reading`), and its nodes; those of the others are never read."""
    at, _, tree = best_reading(readings, language, fragment=fragment)
    return at, read_nodes(tree, comments=comments)


def read_nodes(tree: tree_sitter.Tree, *, comments: bool = True) -> Nodes:
    """The nodes of a parse.

    Args:
        comments: keep comments, which are left out otherwise.
    """
    dropped = frozenset() if comments else _comment_kinds(tree.language)
    kinds: list[int] = []
    leftmost: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    left_out: list[int] = []
    cursor = tree.walk()
    down, right, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    first = [0]  # of the node at the cursor and of those around it: what becomes their leftmost
    while True:
        while down():
            first.append(len(kinds))
        while True:
            node = cursor.node
            assert node is not None
            kind = node.kind_id
            if kind in dropped:
                del kinds[first[-1] :], leftmost[first[-1] :], starts[first[-1] :], ends[first[-1] :]
                left_out += (node.start_byte, node.end_byte)
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
                names, numbered = _named(tree.language, kinds)
                return Nodes(
                    names, array("i", numbered), array("i", leftmost), array("i", starts), array("i", ends),
                    array("i", left_out), count_errors(tree),
                )  # fmt: skip
            first.pop()


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
