"""Which byte strings may be paths of files in a tree, and which of them a file system takes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

LONGEST_NAME: Final = 255
LONGEST_PATH: Final = 3840
"""Bytes that file systems take in a name and, below a work folder, in a path: Linux takes 4,096 with the folder."""

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


def fits_on_disk(path: bytes) -> bool:
    """Whether a file of this path can be checked out: Git's index takes it, and it is not too long."""
    return (
        is_tree_path(path) and len(path) <= LONGEST_PATH and all(len(part) <= LONGEST_NAME for part in path.split(b"/"))
    )


def twins(paths: Iterable[bytes]) -> list[bytes]:
    """Paths that a disk which does not tell cases apart takes for one before them, or for a folder above that."""
    taken: dict[str, bytes] = {}
    found = []
    for path in paths:
        parts = path.split(b"/")
        spellings = {_folded(b"/".join(parts[:end])): b"/".join(parts[:end]) for end in range(1, len(parts) + 1)}
        if any(taken.get(folded, spelling) != spelling for folded, spelling in spellings.items()):
            found.append(path)
        else:
            taken.update(spellings)
    return found


def _folded(path: bytes) -> str:
    return unicodedata.normalize("NFC", path.decode("utf-8", "surrogateescape").casefold())
