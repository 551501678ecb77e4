"""Contents of files as text for a model, and back, byte for byte.

UTF-8 where the file is UTF-8, else Latin-1, in which every byte is a character. In text for a UTF-8 file the
surrogates U+DC80 to U+DCFF stand for bytes 0x80 to 0xFF (Python's surrogateescape), so any content can be written.
"""

from __future__ import annotations

from typing import Literal

from gitgoodbench.errors import ToolError

Encoding = Literal["utf-8", "latin-1"]


def encoding_of(*contents: bytes) -> Encoding:
    """UTF-8 if all contents are, else Latin-1."""
    try:
        for content in contents:
            content.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def to_bytes(text: str, encoding: Encoding) -> bytes:
    """Encode what a model wrote for a file of the given encoding.

    Raises:
        ToolError: the text holds a character that the file's encoding lacks.
    """
    try:
        return text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    except UnicodeEncodeError as problem:
        character = problem.object[problem.start]
        raise ToolError(
            f"the file is encoded in {encoding}, which has no character U+{ord(character):04X}; use others"
        ) from problem


def to_text(content: bytes, encoding: Encoding) -> str:
    """The inverse of `to_bytes`: lossless, at the price of lone surrogates where UTF-8 is broken."""
    return content.decode(encoding, "surrogateescape")
