"""Pairs of trees for `bench/ted.py`, made from the standard library's own sources by seeded edits."""

from __future__ import annotations

import keyword
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from gitgoodbench.ted import Tree, parse
from gitgoodbench.ted.matching import aligned
from gitgoodbench.ted.postorder import Postorder

LARGEST_FILE: Final = 6_000
"""Nodes up to which a module is taken."""

_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_KEPT: Final = frozenset(word.encode() for word in [*keyword.kwlist, "self"])
_NAMES: Final = (b"alpha", b"beta", b"gamma", b"delta")


@dataclass(frozen=True)
class Pair:
    """A needle, a haystack that is one changed piece of code, and one that is the whole file around such a piece."""

    needle: Postorder
    alone: Postorder
    needle_in_file: Postorder
    file: Postorder


@dataclass(frozen=True)
class Piece:
    """A function or class of a module, or the module; `tree` is its subtree in the tree of the file."""

    module: Tree
    tree: Tree
    start: int
    end: int

    @property
    def source(self) -> bytes:
        return self.module.source[self.start : self.end]


def pieces(random: Random, least: int, most: int, *, kinds: tuple[str, ...], per_file: int = 2) -> Iterator[Piece]:
    """Pieces with `least` to `most` nodes, from files in random order."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    random.shuffle(files)
    for file in files:
        module = parse(file.read_bytes(), "python")
        if module.errors or not least <= len(module) <= max(LARGEST_FILE, most):
            continue
        fitting = [
            node
            for node, size in enumerate(module.sizes.tolist())
            if least <= size <= most and module.kind(node) in kinds
        ]
        for node in random.sample(fitting, min(per_file, len(fitting))):
            yield Piece(module, module.subtree(node), *module.span(node))


def edited(random: Random, source: bytes, rate: float) -> bytes:
    """The lines, `rate` of them changed: a quarter deleted, a quarter doubled, half with some words replaced."""
    first, *others = source.splitlines(keepends=True)
    lines = [first]
    for line in others:
        draw = random.random() / rate if rate else 1.0
        if draw < 0.25:
            continue
        if draw < 0.5:
            lines.append(line)
        elif draw < 1:
            line = _WORD.sub(lambda word: _replaced(random, word[0]), line)
        lines.append(line)
    return b"".join(lines)


def _replaced(random: Random, word: bytes) -> bytes:
    return word if word in _KEPT or random.random() < 0.5 else random.choice(_NAMES)


def renamed(random: Random, source: bytes, names: int) -> bytes:
    """The source with that many of its names replaced, each one everywhere by the same new one."""
    found = sorted({word for word in _WORD.findall(source) if word not in _KEPT})
    new = {name: b"new_" + name for name in random.sample(found, min(names, len(found)))}
    return _WORD.sub(lambda word: new.get(word[0], word[0]), source)


def changed_pair(piece: Piece, source: bytes) -> Pair:
    """The piece against its changed source, and against its file with that in its place."""
    file = piece.module.source
    return _pair(piece, parse(source, "python"), parse(file[: piece.start] + source + file[piece.end :], "python"))


def unrelated_pair(piece: Piece, other: Piece) -> Pair:
    return _pair(piece, other.tree, other.module)


def _pair(piece: Piece, alone: Tree, file: Tree) -> Pair:
    return Pair(aligned(piece.tree, alone), alone.nodes, aligned(piece.tree, file), file.nodes)
