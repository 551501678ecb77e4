"""Sources as the parser gets them: UTF-8, lines that end with LF, fragments without their indentation.

Whatever is changed, the way back to the bytes of the original is kept. Bytes that are no UTF-8 are read as Latin-1. A
fragment is a piece cut out of a file: added lines, an answer's code. Its indentation is that of the place it was cut
from, and to languages that mean something by it (Python, YAML) it would be an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

_BRACKET: Final = re.compile(rb"[(){}\[\]]")
_CLOSING: Final = dict(zip(b"({[", b")}]", strict=True))
_INDENTED: Final = re.compile(rb"^([ \t]*)(?=[^ \t\n])", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Text:
    """What the parser gets of a source.

    origins: of each byte, its place in the source; None where nothing was changed.
    """

    content: bytes
    origins: NDArray[np.int64] | None

    def without(self, dropped: NDArray[np.bool_]) -> Text:
        """The text less the bytes that are marked."""
        if not dropped.any():
            return self
        kept = np.flatnonzero(~dropped)
        content = np.frombuffer(self.content, np.uint8)[kept].tobytes()
        return Text(content, kept if self.origins is None else self.origins[kept])

    def spans(self, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The places in the source of spans of the text; an empty one is empty there, too."""
        if self.origins is None:
            return starts, ends
        length = int(self.origins[-1]) + 1 if len(self.origins) else 0
        begins = np.append(self.origins, length)[starts]
        stops = np.insert(self.origins + 1, 0, 0)[ends]
        return begins.astype(np.int32), np.where(ends > starts, stops, begins).astype(np.int32)

    def span_of(self, span: tuple[int, int]) -> tuple[int, int]:
        """Where what lies inside a span of the source lies in the text."""
        if self.origins is None:
            return span
        start, end = np.searchsorted(self.origins, span).tolist()
        return start, end


def read_text(source: bytes) -> Text:
    """A source as UTF-8 with LF. Raises TypeError where it is no bytes."""
    if not isinstance(source, bytes):
        raise TypeError(f"a source is bytes, not {type(source).__name__}")
    text = Text(source, None)
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        wide = np.frombuffer(source, np.uint8) >= 0x80
        text = Text(source.decode("latin-1").encode("utf-8"), np.repeat(np.arange(len(source)), 1 + wide))
    if b"\r\n" not in text.content:
        return text
    codes = np.frombuffer(text.content, np.uint8)
    return text.without(np.append((codes[:-1] == 0x0D) & (codes[1:] == 0x0A), False))


def dedent(text: Text) -> Text:
    """The text without the indentation that all its lines share, tabs and blanks being different things."""
    lines = list(_INDENTED.finditer(text.content))
    shared = reduce(_shared, (line[1] for line in lines)) if lines else b""
    return _without_indents(text, ((line.start(), len(shared)) for line in lines))


def dedent_by_steps(text: Text) -> Text:
    """The text with each line moved left by what it and all lines above it share.

    A piece that begins deep in one block and goes on outside of it becomes a sequence of whole blocks.
    """
    return _without_indents(text, _steps(text.content))


def without_stray_brackets(text: Text) -> tuple[Text, bytes]:
    """The text with blanks in place of the brackets that close nothing in it, and the brackets that would close it.

    It is told by counting alone: brackets in strings and comments count as well.
    """
    open_: list[int] = []
    waiting = dict.fromkeys(_CLOSING.values(), 0)
    content = bytearray(text.content)
    for match in _BRACKET.finditer(text.content):
        bracket = match[0][0]
        if bracket in _CLOSING:
            open_.append(_CLOSING[bracket])
            waiting[_CLOSING[bracket]] += 1
        elif not waiting[bracket]:
            content[match.start()] = 0x20
        else:
            while True:
                waiting[closed := open_.pop()] -= 1
                if closed == bracket:
                    break
    return Text(bytes(content), text.origins), bytes(reversed(open_))


def _steps(content: bytes) -> Iterator[tuple[int, int]]:
    shared: bytes | None = None
    for line in _INDENTED.finditer(content):
        shared = line[1] if shared is None else _shared(shared, line[1])
        yield line.start(), len(shared)


def _shared(first: bytes, second: bytes) -> bytes:
    """What both begin with."""
    if second.startswith(first):
        return first
    return first[: next(at for at in range(len(first)) if first[at : at + 1] != second[at : at + 1])]


def _without_indents(text: Text, indents: Iterable[tuple[int, int]]) -> Text:
    dropped = np.zeros(len(text.content), np.bool_)
    for start, length in indents:
        dropped[start : start + length] = True
    return text.without(dropped)
