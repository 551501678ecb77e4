"""Which byte strings may be paths of files in a tree."""

from __future__ import annotations


def is_tree_path(path: bytes) -> bool:
    """Whether this is a relative path without empty, `.`, `..` or `.git` components and without NUL."""
    parts = path.split(b"/")
    return b"\0" not in path and not any(part in (b"", b".", b"..") or part.lower() == b".git" for part in parts)
