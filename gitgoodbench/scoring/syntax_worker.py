"""The process that parses source files, started by `syntax`: a script on its own, so that it starts fast.

A hostile file can make a parser take all memory there is, and its allocator then ends the process; here it is this one.
Requests come on standard input as a line of JSON, {task, language, size}, followed by so many bytes; each is answered
by a line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import tree_sitter_java
import tree_sitter_kotlin
import tree_sitter_python
from tree_sitter import Language, Node, Parser, Tree

MEMORY_BYTES = 1024 * 1024 * 1024

_MODULES = {"python": tree_sitter_python, "java": tree_sitter_java, "kotlin": tree_sitter_kotlin}
_DEFINITIONS = frozenset(
    {
        "function_definition", "class_definition",  # Python
        "method_declaration", "constructor_declaration", "compact_constructor_declaration", "class_declaration",
        "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration",  # Java
        "function_declaration", "secondary_constructor", "object_declaration", "companion_object",  # Kotlin
    }
)  # fmt: skip


def count_errors(tree: Tree) -> int:
    """ERROR and MISSING nodes."""
    return sum(1 for node in _broken(tree) if node.is_error or node.is_missing)


def list_definitions(tree: Tree) -> list[tuple[str, int, int]]:
    """Name, first line and the line after the last of each function and class, outer ones first."""
    return list(_definitions(tree))


TASKS = {"errors": count_errors, "definitions": list_definitions}


def main() -> None:
    """Answer requests until standard input ends."""
    _limit()
    while header := sys.stdin.buffer.readline():
        request = json.loads(header)
        tree = _parse(sys.stdin.buffer.read(request["size"]), request["language"])
        answer: Any = TASKS[request["task"]](tree)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _limit() -> None:
    for limit, value in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # not every system has every limit
            resource.setrlimit(limit, (value, value))


@cache
def _grammar(language: str) -> Language:
    return Language(_MODULES[language].language())


def _parse(content: bytes, language: str) -> Tree:
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


def _definitions(tree: Tree) -> Iterator[tuple[str, int, int]]:
    waiting: list[tuple[Node, str]] = [(tree.root_node, "")]
    while waiting:
        node, prefix = waiting.pop()
        if node.type in _DEFINITIONS:
            prefix = f"{prefix}.{_name(node)}" if prefix else _name(node)
            whole = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
            yield prefix, whole.start_point.row, whole.end_point.row + (whole.end_point.column > 0)
        waiting.extend((child, prefix) for child in reversed(node.named_children))


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    text = None if named is None else named.text
    return node.type if text is None else text.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
