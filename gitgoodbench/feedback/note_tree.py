"""Notes as they lie in a notes ref's tree, whichever tool wrote them.

A note's path is the id of what it belongs to, whole or divided into folders of two digits (`ab/cd/ef...`), and one tree
may have both. Git reads a commit's notes in all these places as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.git.objects import FOLDER

LARGEST: Final = 16 * 1024 * 1024
"""Bytes of a note; larger ones are not a record of who wrote what."""


def note_places(reader: ObjectReader, tree: str, commit: str) -> list[tuple[bytes, str]]:
    """Where the notes of a commit are: paths, with the blobs' ids. tree: a notes ref, or a commit of one."""
    return list(_places(reader, tree, commit))


def read_note_text(reader: ObjectReader, tree: str, commit: str) -> bytes | None:
    """The notes of a commit, one after the other; None where there is none, or no such ref."""
    texts = [reader.blob(oid) for _, oid in note_places(reader, tree, commit)]
    found = [text for text in texts if text is not None and len(text) <= LARGEST]
    return b"\n".join(found) if found else None


def new_place(reader: ObjectReader, tree: str | None, commit: str) -> bytes:
    """Where to put a note: as deep as the tree's folders go, at least one."""
    digits = commit.encode("ascii")
    folders = [digits[:2]]
    while tree is not None:
        path = b"/".join((*folders, digits[2 * len(folders) :][:2]))
        entry = reader.entry(tree, path)
        if entry is None or entry.mode != FOLDER:
            break
        folders.append(path[-2:])
    return b"/".join((*folders, digits[2 * len(folders) :]))


def _places(reader: ObjectReader, tree: str, commit: str) -> Iterator[tuple[bytes, str]]:
    digits, prefix = commit.encode("ascii"), b""
    try:
        while digits:
            entry = reader.entry(tree, prefix + digits)
            if entry is not None and entry.is_file:
                yield prefix + digits, entry.oid
            prefix, digits = prefix + digits[:2] + b"/", digits[2:]
            folder = reader.entry(tree, prefix[:-1])
            if folder is None or folder.mode != FOLDER:
                return
    except MissingObjectError:
        return
