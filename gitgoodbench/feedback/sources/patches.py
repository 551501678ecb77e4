"""Pieces of files out of patches: unified diffs, and the `*** Begin Patch` form of some assistants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from gitgoodbench.feedback.records import Part

_HEADER: Final = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NO_NEWLINE: Final = b"\\ No newline"


@dataclass(frozen=True)
class Hunk:
    """One hunk: its lines, each after ` `, `-` or `+`. old_start, new_start: as in the patch, 0 before the first."""

    old_start: int
    new_start: int
    lines: tuple[bytes, ...]

    @property
    def before(self) -> bytes:
        """What it replaces, with its context."""
        return b"".join(line[1:] for line in self.lines if line[:1] != b"+")

    @property
    def after(self) -> bytes:
        """What it leaves, with its context."""
        return b"".join(line[1:] for line in self.lines if line[:1] != b"-")


@dataclass(frozen=True)
class FilePatch:
    """What a patch does to one file. path, moved_to: as it says."""

    path: str
    kind: Literal["add", "update", "delete"]
    parts: tuple[Part, ...]
    moved_to: str | None = None


def hunks_of(patch: bytes) -> tuple[Hunk, ...]:
    """The hunks of a unified diff of one file; what stands around them is passed over."""
    hunks = []
    lines = patch.split(b"\n")
    position = 0
    while position < len(lines):
        header = _HEADER.match(lines[position])
        position += 1
        if header is None:
            continue
        old, new = (1 if header[group] is None else int(header[group]) for group in (2, 4))
        body: list[bytes] = []
        while position < len(lines) and (old > 0 or new > 0 or lines[position].startswith(_NO_NEWLINE)):
            line = lines[position]
            mark = line[:1]
            if line.startswith(_NO_NEWLINE):
                if body:
                    body[-1] = body[-1].removesuffix(b"\n")
            elif mark in (b" ", b"-", b"+"):
                body.append(line + b"\n")
            elif mark in (b"", b"\r"):
                body.append(b" " + line + b"\n")  # an empty line of context, whose blank an editor took away
            else:
                break
            old -= mark != b"+" and not line.startswith(_NO_NEWLINE)
            new -= mark != b"-" and not line.startswith(_NO_NEWLINE)
            position += 1
        hunks.append(Hunk(int(header[1]), int(header[3]), tuple(body)))
    return tuple(hunks)


def parts_of(hunks: Iterable[Hunk]) -> tuple[Part, ...]:
    """Each hunk as a piece, with its context."""
    return tuple(Part(hunk.before, hunk.after, max(hunk.new_start, 1)) for hunk in hunks)


def apply(before: bytes, hunks: Iterable[Hunk]) -> bytes | None:
    """The file after the hunks; None where they do not fit."""
    return _replace(before, ((hunk.old_start, hunk.before, hunk.after) for hunk in hunks))


def undo(after: bytes, hunks: Iterable[Hunk]) -> bytes | None:
    """The file before the hunks; None where they do not fit."""
    return _replace(after, ((hunk.new_start, hunk.after, hunk.before) for hunk in hunks))


def begin_patch(text: str) -> Iterator[FilePatch]:
    """The files of a patch in the `*** Begin Patch` form, wherever in the text it stands."""
    path, kind, moved = None, "", None
    body: list[str] = []
    inside = False
    for line in [*text.split("\n"), "*** End Patch"]:
        word = line.rstrip("\r")
        if word.strip() == "*** Begin Patch":
            inside = True
        elif not inside or word == "*** End of File":
            continue
        elif word.startswith("*** Move to: "):
            moved = word.removeprefix("*** Move to: ").strip()
        elif word.startswith("*** "):
            if path:
                yield _file_patch(path, kind, moved, body)
            path, kind, moved, body = None, "", None, []
            match = re.fullmatch(r"\*\*\* (Add|Update|Delete) File: (.+)", word)
            if match:
                kind, path = match[1], match[2].strip()
            elif word.strip() == "*** End Patch":
                inside = False
        else:
            body.append(line)


def _file_patch(path: str, kind: str, moved: str | None, body: list[str]) -> FilePatch:
    if kind == "Add":
        content = "".join(line[1:] + "\n" for line in body if line.startswith("+"))
        return FilePatch(path, "add", (Part(None, content.encode("utf-8", "replace"), 1),))
    if kind == "Delete":
        return FilePatch(path, "delete", ())
    chunks: list[list[str]] = [[]]
    for line in body:
        if line.startswith("@@"):
            chunks.append([])
        elif line[:1] in (" ", "-", "+", ""):
            chunks[-1].append(line or " ")
    return FilePatch(
        path, "update", tuple(_chunk(chunk) for chunk in chunks if any(c[0] in "+-" for c in chunk)), moved
    )


def _chunk(lines: list[str]) -> Part:
    before, after = (
        "".join(line[1:] + "\n" for line in lines if line[0] != other).encode("utf-8", "replace") for other in "+-"
    )
    return Part(before, after)


def _replace(content: bytes, pieces: Iterable[tuple[int, bytes, bytes]]) -> bytes | None:
    lines = content.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    done: list[bytes] = []
    position = 0
    for start, old, new in pieces:
        count = old.count(b"\n") + (not old.endswith(b"\n") and bool(old))
        begin = start - 1 if count else start
        if begin < position or b"".join(lines[begin : begin + count]) != old:
            return None
        done += [*lines[position:begin], new]
        position = begin + count
    return b"".join([*done, *lines[position:]])
