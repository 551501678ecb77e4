"""File contents of a story: lines spelled in UTF-8 and LF, stored as bytes in a file's own style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitgoodbench.stories.model import Edit, Hunk, Restyle, StoryError, Style, Where

REGULAR = b"100644"
EXECUTABLE = b"100755"
SYMLINK = b"120000"


_PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a tree. Whether it ends in a newline is read from ``data``, never from ``style``."""

    mode: bytes
    data: bytes
    style: Style = _PLAIN


def encode_lines(where: Where, lines: Sequence[str], style: Style) -> list[bytes]:
    """Each line in the style's encoding, without its LF but with the CR of a CRLF file."""
    try:
        return [line.encode(style.encoding) + (b"\r" if style.crlf else b"") for line in lines]
    except UnicodeEncodeError as error:
        missing = error.object[error.start]
        raise StoryError(where, f"{missing!r} does not exist in {style.encoding}") from error


def encode_text(where: Where, lines: Sequence[str], style: Style) -> bytes:
    """The bytes of a whole file."""
    return _join(encode_lines(where, lines, style), style, final_newline=style.final_newline)


def detect_style(data: bytes) -> Style:
    """The style of bytes that no directive described."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return Style(b"\r\n" in data, "latin-1", ends_in_newline(data))
    return Style(b"\r\n" in data, "utf-8", ends_in_newline(data))


def ends_in_newline(data: bytes) -> bool:
    """Whether a file's last line is ended; an empty file has none that is not."""
    return not data or data.endswith(b"\n")


def apply_edit(entry: Entry, edit: Edit) -> Entry:
    """``entry`` with the hunks applied; every line they do not name keeps its bytes.

    Raises:
        StoryError: a hunk's context and removed lines do not occur exactly once.
    """
    final_newline = ends_in_newline(entry.data)
    lines = _split(entry.data, entry.style)
    for hunk in edit.hunks:
        start = _locate(lines, hunk, entry.style)
        lines[start : start + len(hunk.old())] = _patched(lines, start, hunk, entry.style)
    return replace(entry, data=_join(lines, entry.style, final_newline=final_newline))


def restyle(entry: Entry, change: Restyle) -> Entry:
    """``entry`` stored in another line ending, encoding or with another end of file."""
    old = entry.style
    style = Style(
        old.crlf if change.crlf is None else change.crlf,
        change.encoding or old.encoding,
        ends_in_newline(entry.data) if change.final_newline is None else change.final_newline,
    )
    try:
        lines = [line.rstrip(b"\r").decode(old.encoding) for line in _split(entry.data, old)]
    except UnicodeDecodeError as error:
        raise StoryError(change.where, f"the file is not {old.encoding}") from error
    data = encode_text(change.where, lines, style)
    if data == entry.data and style.encoding == old.encoding:
        raise StoryError(change.where, "the file already has this style")
    return replace(entry, data=data, style=style)


def _split(data: bytes, style: Style) -> list[bytes]:
    """Lines without LF; in a CRLF file the last one gets the CR it would have as an ended line."""
    if not data:
        return []
    if data.endswith(b"\n"):
        return data[:-1].split(b"\n")
    lines = data.split(b"\n")
    return [*lines[:-1], lines[-1] + b"\r"] if style.crlf else lines


def _join(lines: Sequence[bytes], style: Style, *, final_newline: bool) -> bytes:
    if not lines:
        return b""
    data = b"\n".join(lines)
    if final_newline:
        return data + b"\n"
    return data.removesuffix(b"\r") if style.crlf else data


def _bare(line: bytes, style: Style) -> bytes:
    return line.removesuffix(b"\r") if style.crlf else line


def _locate(lines: Sequence[bytes], hunk: Hunk, style: Style) -> int:
    old = [_bare(line, style) for line in encode_lines(hunk.where, hunk.old(), style)]
    if not old:
        if lines:
            raise StoryError(hunk.where, "a hunk of added lines alone needs a line of context")
        return 0
    bare = [_bare(line, style) for line in lines]
    places = [at for at in range(len(bare) - len(old) + 1) if bare[at : at + len(old)] == old]
    if len(places) == 1:
        return places[0]
    if places:
        numbers = ", ".join(str(at + 1) for at in places)
        raise StoryError(hunk.where, f"this hunk fits {len(places)} places (lines {numbers}); give it more context")
    raise StoryError(hunk.where, f"this hunk fits nowhere in the file; {_best_guess(bare, old)}")


def _best_guess(lines: Sequence[bytes], old: Sequence[bytes]) -> str:
    """Where the longest beginning of the hunk is found, and what is there instead of its next line."""
    best, length = 0, 0
    for at in range(len(lines)):
        same = 0
        while same < len(old) and at + same < len(lines) and lines[at + same] == old[same]:
            same += 1
        if same > length:
            best, length = at, same
    if not length:
        return f"its first line is not there: {old[0].decode('utf-8', 'replace')!r}"
    at = best + length
    found = lines[at].decode("utf-8", "replace") if at < len(lines) else "the end of the file"
    wanted = old[length].decode("utf-8", "replace")
    return f"it begins at line {best + 1}, but line {at + 1} is {found!r}, not {wanted!r}"


def _patched(lines: Sequence[bytes], start: int, hunk: Hunk, style: Style) -> list[bytes]:
    """The new lines of a hunk; context is copied from the file, so that its bytes stay."""
    result: list[bytes] = []
    at = start
    for mark, text in hunk.lines:
        if mark == "+":
            result += encode_lines(hunk.where, [text], style)
            continue
        if mark == " ":
            result.append(lines[at])
        at += 1
    return result
