"""The functions and classes that a source file defines, in the benchmark's languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node, Tree

_DEFINITIONS: Final = frozenset(
    {
        "function_definition", "class_definition",  # Python
        "method_declaration", "constructor_declaration", "compact_constructor_declaration", "class_declaration",
        "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration",  # Java
        "function_declaration", "secondary_constructor", "object_declaration", "companion_object",  # Kotlin
    }
)  # fmt: skip


def read_definitions(tree: Tree) -> Iterator[tuple[str, int, int]]:
    """Name, first line and the line after the last of each function and class, outer ones first.

    Lines are counted from 0; decorators belong to what they decorate. Names have those of the definitions around them
    before them, as in `Outer.method`.
    """
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
