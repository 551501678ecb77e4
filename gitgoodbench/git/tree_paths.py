"""Which byte strings may be paths of files in a tree."""

from __future__ import annotations

from typing import Final

_IGNORED_BY_HFS: Final = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))


def is_tree_path(path: bytes) -> bool:
    """Whether this is a relative path without empty, `.`, `..` or `.git` components and without NUL.

    As Git does, names that some file systems take for `.git` are refused everywhere.
    """
    parts = path.split(b"/")
    return b"\0" not in path and not any(part in (b"", b".", b"..") or _means_git(part) for part in parts)


def _means_git(part: bytes) -> bool:
    text = part.decode("utf-8", "replace").translate(_IGNORED_BY_HFS).lower()
    return any(name.partition(":")[0].rstrip(" .") in (".git", "git~1") for name in text.split("\\"))
