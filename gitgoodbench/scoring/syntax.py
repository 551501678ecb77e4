"""Source files through tree-sitter: whether they parse, and which functions and classes they define.

Python, Java and Kotlin. Text that is not UTF-8 is read as Latin-1, which moves no line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Tree

Language = Literal["python", "java", "kotlin"]

MAX_SOURCE_BYTES: Final = 2 * 1024 * 1024
"""Larger files are not parsed."""

_SUFFIXES: Final[dict[bytes, Language]] = {b".py": "python", b".java": "java", b".kt": "kotlin", b".kts": "kotlin"}
_DEFINITIONS: Final = frozenset(
    {
        "function_definition", "class_definition",  # Python
        "method_declaration", "constructor_declaration", "compact_constructor_declaration", "class_declaration",
        "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration",  # Java
        "function_declaration", "secondary_constructor", "object_declaration", "companion_object",  # Kotlin
    }
)  # fmt: skip


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
    return next((language for suffix, language in _SUFFIXES.items() if path.endswith(suffix)), None)


def count_errors(content: bytes, language: Language) -> int | None:
    """How many places of the file do not parse (ERROR and MISSING nodes); None for a file too large to be read."""
    tree = _parse(content, language)
    return None if tree is None else sum(1 for node in _broken(tree) if node.is_error or node.is_missing)


def definitions(content: bytes, language: Language) -> list[Definition]:
    """Every function and class, outer ones before inner ones; empty for a file too large to be read."""
    tree = _parse(content, language)
    return [] if tree is None else list(_definitions(tree))


def enclosing_definition(known: list[Definition], start: int, stop: int) -> Definition | None:
    """The innermost definition that holds all the lines from `start` up to `stop`; None where there is none."""
    around = [one for one in known if one.start <= start and stop <= one.stop]
    return min(around, key=lambda one: one.stop - one.start, default=None)


@cache
def _grammar(language: Language) -> Grammar:
    import tree_sitter_java
    import tree_sitter_kotlin
    import tree_sitter_python

    modules = {"python": tree_sitter_python, "java": tree_sitter_java, "kotlin": tree_sitter_kotlin}
    return Grammar(modules[language].language())


def _parse(content: bytes, language: Language) -> Tree | None:
    if len(content) > MAX_SOURCE_BYTES:
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        content = content.decode("latin-1").encode("utf-8")
    return Parser(_grammar(language)).parse(content)


def _broken(tree: Tree) -> Iterator[Node]:
    """Every node with an error in it or at it."""
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.has_error:
            yield node
            waiting.extend(node.children)


def _definitions(tree: Tree) -> Iterator[Definition]:
    waiting: list[tuple[Node, str]] = [(tree.root_node, "")]
    while waiting:
        node, prefix = waiting.pop()
        if node.type in _DEFINITIONS:
            prefix = f"{prefix}.{_name(node)}" if prefix else _name(node)
            whole = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
            yield Definition(prefix, whole.start_point.row, whole.end_point.row + (whole.end_point.column > 0))
        waiting.extend((child, prefix) for child in reversed(node.named_children))


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    text = None if named is None else named.text
    return node.type if text is None else text.decode("utf-8", "replace")
