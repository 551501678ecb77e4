"""Trees with quotes and blanks made alike, so that what a formatter does to them is no difference.

Quotes are made alike only in languages in which both kinds mean the same, and only as tokens: where the meaning
differs (an escape, an interpolation), the grammars have other nodes, which stay. Blanks are made one in comments, and
in text that runs over several lines (docstrings) the indentation and the ends of lines go. A string's other blanks are
its meaning. Code between tokens has no blanks in a tree in the first place.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.languages import COMMENTS, find_language
from gitgoodbench.ted.postorder import Postorder
from gitgoodbench.ted.tree import Tree

QUOTES_ALIKE: Final = frozenset({"python", "typescript", "css", "html", "ruby", "php", "toml", "yaml"})
"""Families of languages in which 'a' and "a" are the same."""

_TEXTS: Final = frozenset({"markdown", "html"})
"""Languages whose text flows: blanks and line ends are the same in it."""

_QUOTE: Final = re.compile(rb"([A-Za-z]*)('''|'|\"\"\"|\")")
_KINDS: Final = {
    b"'": b'"',
    b"'''": b'"""',
    b"single_quote_scalar": b"double_quote_scalar",
    b"encapsed_string": b"string",
}
_INDENTATION: Final = re.compile(rb"[ \t\r]*\n[ \t]*")
_BLANKS: Final = re.compile(rb"\s+")
_COMMENT_START: Final = re.compile(rb"(#+|//+|/\*+|--|;+|<!--)\s*")


class Normaliser:
    """Gives trees other labels; their shapes stay. Trees of one vocabulary are told once what becomes of it."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[NDArray[np.int32], tuple[bytes, ...], tuple[bytes, ...]]] = {}

    def tree(self, tree: Tree) -> Tree:
        """The tree, normalised."""
        family = find_language(tree.language).family
        key = id(tree.vocabulary), family
        if key not in self._known:
            labels: dict[bytes, int] = {}
            places = [labels.setdefault(_label(label, family), len(labels)) for label in tree.vocabulary]
            self._known[key] = np.array(places, np.int32), tuple(labels), tree.vocabulary  # kept, for its id
        numbers, vocabulary, _ = self._known[key]
        return replace(tree, nodes=Postorder(numbers[tree.nodes.labels], tree.nodes.leftmost), vocabulary=vocabulary)


def normalised_text(text: bytes) -> bytes:
    """Lines with one blank for several, for what no grammar reads."""
    return b"\n".join(_BLANKS.sub(b" ", line).strip() for line in text.split(b"\n"))


def _label(label: bytes, family: str) -> bytes:
    kind, mark, text = label.partition(b"\0")
    if not mark:
        kind, mark, text = label.partition(b"\1")
    if family in QUOTES_ALIKE:
        kind = _KINDS.get(kind, kind)
        if mark == b"\0" and (quote := _QUOTE.fullmatch(text)):
            return kind + mark + quote[1] + quote[2].replace(b"'", b'"')
    if kind.decode("ascii", "replace") in COMMENTS:
        text = _COMMENT_START.sub(rb"\1 ", _BLANKS.sub(b" ", text).strip(), count=1)
    elif family in _TEXTS:
        text = _BLANKS.sub(b" ", text).strip()
    else:
        text = _INDENTATION.sub(b"\n", text)
    return kind + mark + text
