"""Syntax trees as flat arrays in postorder, the form in which their distances are computed.

The label of a node is its kind and its own text: for a leaf all of it, for another node what no child covers (grammars
leave the text between the escapes of a string to the string, that of a comment often to the comment). Blanks between
children are nobody's text. Anonymous nodes, as keywords and brackets, are nodes as any other.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.isolated import read_best_isolated
from gitgoodbench.ted.languages import find_language
from gitgoodbench.ted.nodes import Nodes, Span, read_best
from gitgoodbench.ted.own_text import is_text, own_texts
from gitgoodbench.ted.postorder import Postorder, parents_of
from gitgoodbench.ted.text import Text, read_text

_LEAF: Final = b"\0"
_OWN: Final = b"\1"


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node of a tree.

    number: in postorder. kind: as the grammar calls it. text: its own, which makes its label together with the kind,
    pieces between children joined by blanks; None where it has none. start, end: bytes in the source. parent: the
    number of the node above; None for the root.
    """

    number: int
    kind: str
    text: bytes | None
    start: int
    end: int
    parent: int | None


@dataclass(frozen=True, eq=False)
class Tree:
    """A syntax tree of n nodes, numbered from 0 in postorder; the last one is the root.

    source: as it was given. nodes: label ids and leftmost leaves. starts, ends: (n,) bytes in the source. kinds: (n,)
    ids of the kinds. vocabulary: the label of each id; it is the tree's own, `matching.aligned` brings two trees to one
    numbering. kind_names: the name of each kind. errors: places that did not parse.
    """

    source: bytes = field(repr=False)
    language: str
    nodes: Postorder = field(repr=False)
    starts: NDArray[np.int32] = field(repr=False)
    ends: NDArray[np.int32] = field(repr=False)
    kinds: NDArray[np.int32] = field(repr=False)
    vocabulary: tuple[bytes, ...] = field(repr=False)
    kind_names: tuple[str, ...] = field(repr=False)
    errors: int

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.nodes.labels)

    def __reduce__(self) -> tuple[type[Tree], tuple[object, ...]]:
        return Tree, tuple(getattr(self, one.name) for one in fields(self))

    @property
    def root(self) -> int:
        return len(self) - 1

    @cached_property
    def sizes(self) -> NDArray[np.int32]:
        """The number of nodes of the subtree at each node."""
        return np.arange(1, len(self) + 1, dtype=np.int32) - self.nodes.leftmost

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """Label -> its id."""
        return {label: number for number, label in enumerate(self.vocabulary)}

    @cached_property
    def nesting(self) -> tuple[int, int]:
        """Nodes of the subtrees that an edit distance runs a program over, walked from the left and from the right.

        They are the tree, and every subtree with a sibling on that side (Zhang and Shasha's keyroots). Some five times
        the nodes in real sources; where nesting has no end it can be the square of them.
        """
        leftmost = self.nodes.leftmost
        places = np.arange(len(self), dtype=np.int32)
        is_leaf = leftmost == places
        outermost = np.empty(len(self), np.int32)  # of the nodes that begin with a leaf
        outermost[leftmost] = places
        left, right = outermost[is_leaf], np.append(np.flatnonzero(is_leaf[1:]), self.root)
        return int((left - leftmost[left] + 1).sum()), int((right - leftmost[right] + 1).sum())

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """The parent of each node; the root is its own."""
        return parents_of(self.nodes.leftmost)

    def node(self, number: int) -> TreeNode:
        """What is known of a node. Raises IndexError where there is none of that number."""
        if not 0 <= number < len(self):
            raise IndexError(f"the nodes of this tree are 0 to {self.root}, so there is no node {number}")
        label = self.vocabulary[int(self.nodes.labels[number])]
        _, leaf, text = label.partition(_LEAF)
        if not leaf:
            _, own, pieces = label.partition(_OWN)
            text = pieces.replace(_OWN, b" ")
        parent = None if number == self.root else int(self.parents[number])
        return TreeNode(number, self.kind(number), text if leaf or own else None, *self.span(number), parent)

    def kind(self, node: int) -> str:
        """The node's kind, as the grammar calls it."""
        return self.kind_names[int(self.kinds[node])]

    def span(self, node: int) -> tuple[int, int]:
        """First byte of the node in the source, and the one after its last."""
        return int(self.starts[node]), int(self.ends[node])

    def text(self, node: int) -> bytes:
        """The node's part of the source."""
        start, end = self.span(node)
        return self.source[start:end]

    def children(self, node: int) -> list[int]:
        """The node's children, from left to right."""
        return list(self._children(node))[::-1]

    def subtree(self, node: int) -> Tree:
        """The tree below a node, with it as the root; the source stays whole."""
        first = int(self.nodes.leftmost[node])
        part = slice(first, node + 1)
        nodes = Postorder(self.nodes.labels[part], self.nodes.leftmost[part] - np.int32(first))
        return Tree(
            self.source, self.language, nodes, self.starts[part], self.ends[part], self.kinds[part],
            self.vocabulary, self.kind_names, self.errors,
        )  # fmt: skip

    def with_children(self, nodes: Sequence[int]) -> Tree:
        """The root with other children: subtrees of this tree that do not overlap, in ascending order."""
        parts = [np.arange(self.nodes.leftmost[node], node + 1) for node in nodes]
        kept = np.concatenate([*parts, [self.root]])
        lengths = np.array([len(part) for part in parts], np.int64)
        moved = np.repeat(np.cumsum(lengths) - lengths - [part[0] for part in parts], lengths)
        leftmost = np.append(self.nodes.leftmost[kept[:-1]] + moved, 0).astype(np.int32)
        return Tree(
            self.source, self.language, Postorder(self.nodes.labels[kept], leftmost), self.starts[kept],
            self.ends[kept], self.kinds[kept], self.vocabulary, self.kind_names, self.errors,
        )  # fmt: skip

    def _children(self, node: int) -> Iterator[int]:
        first = int(self.nodes.leftmost[node])
        child = node - 1
        while child >= first:
            yield child
            child = int(self.nodes.leftmost[child]) - 1


def parse(
    source: bytes,
    language: str,
    *,
    comments: bool = True,
    isolated: bool = False,
    spans: Sequence[Span] | None = None,
) -> Tree:
    """The syntax tree of a source.

    Args:
        language: a name or alias, as `languages.find_language` takes it.
        comments: keep comments; otherwise they are left out.
        isolated: parse in another process. What comes from strangers must be: a grammar may crash on it, or take all
            memory there is.
        spans: what `fragments.excerpt` leaves of the tree for them; no more than that is read.

    Raises:
        UnknownLanguage: the language is not known, or its grammar is not installed.
        ParseError: the source is too large (`nodes.MAX_SOURCE_BYTES`), or its parse does not come to an end.
    """
    name = find_language(language).name
    text = read_text(source)
    inside = None if spans is None else [text.span_of(span) for span in spans]
    read = read_best_isolated if isolated else read_best
    return tree_of(source, name, text, read([text.content], name, comments=comments, spans=inside)[1])


def tree_of(source: bytes, language: str, text: Text, nodes: Nodes) -> Tree:
    """The tree of the nodes that were read of a text, which is that of the source."""
    leftmost, starts, ends, kinds = map(_integers, (nodes.leftmost, nodes.starts, nodes.ends, nodes.kinds))
    content = _blanked(text.content, nodes.comments)
    names = [name.encode() for name in nodes.names]
    own = own_texts(content, leftmost, starts, ends)
    numbers: dict[bytes, int] = {}
    number = numbers.setdefault
    labels = [
        number(names[kind] + _LEAF + content[start:end] if first == node else names[kind], len(numbers))
        for node, (first, kind, start, end) in enumerate(
            zip(nodes.leftmost, nodes.kinds, nodes.starts, nodes.ends, strict=True)
        )
    ]
    for node, texts in own.items():
        labels[node] = number(_OWN.join([names[kinds[node]], *texts]), len(numbers))
    if nodes.outline:
        labels[-1] = number(_OWN.join([names[kinds[-1]], *_root_texts(content, nodes)]), len(numbers))
    postorder = Postorder(np.array(labels, np.int32), leftmost)
    return Tree(
        source, language, postorder, *text.spans(starts, ends), kinds, tuple(numbers), nodes.names, nodes.errors
    )


def _root_texts(content: bytes, nodes: Nodes) -> list[bytes]:
    """The root's own pieces of text in a tree of which only an excerpt was read."""
    starts = [nodes.starts[-1], *nodes.outline[1::2]]
    ends = [*nodes.outline[::2], nodes.ends[-1]]
    return [content[start:end] for start, end in zip(starts, ends, strict=True) if is_text(content[start:end])]


def has_text(label: bytes) -> bool:
    """Whether a node with this label has text of its own; each leaf has, even if it is empty."""
    return _LEAF in label or _OWN in label


def _integers(values: array[int]) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def _blanked(content: bytes, comments: array[int]) -> bytes:
    """The text with blanks in place of the comments."""
    if not comments:
        return content
    codes = np.frombuffer(content, np.uint8).copy()
    for start, end in zip(comments[::2], comments[1::2], strict=True):
        codes[start:end] = 0x20
    return codes.tobytes()
