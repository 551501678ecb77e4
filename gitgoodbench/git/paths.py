"""Path names between Git (bytes) and a model or a person (text), without loss.

A path that is printable UTF-8 is shown as it is; any other is shown as Git quotes it: in double quotes, with C
escapes and octal bytes. `parse_path` takes both back.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPES: Final = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_UNESCAPES: Final = {letter.encode(): bytes([value]) for value, letter in _ESCAPES.items()}
_ESCAPED: Final = re.compile(rb'\\([0-3][0-7]{2}|[abtnvfr"\\])')


def show_path(path: bytes) -> str:
    """The path as text: itself, or quoted where it is not printable UTF-8 or would be taken for quoted."""
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text and text.isprintable() and not text.startswith('"'):
        return text
    return quote_path(path)


def quote_path(path: bytes) -> str:
    """The path in double quotes, in ASCII, as Git reads quoted paths wherever it takes them."""
    return '"' + "".join(_quote_byte(byte) for byte in path) + '"'


def parse_path(text: str) -> bytes:
    """The path that `show_path` shows as `text`.

    Raises:
        ValueError: quoted, but not well formed, or a lone surrogate that stands for no byte.
    """
    if not (len(text) >= 2 and text.startswith('"') and text.endswith('"')):
        return text.encode("utf-8", "surrogateescape")
    quoted = text[1:-1].encode("utf-8", "surrogateescape")
    plain = _ESCAPED.sub(b"", quoted)
    if b"\\" in plain or b'"' in plain:
        raise ValueError(f"not a well-formed quoted path: {text}")
    return _ESCAPED.sub(_unquote, quoted)


def _quote_byte(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _unquote(match: re.Match[bytes]) -> bytes:
    escape = match[1]
    return _UNESCAPES[escape] if escape in _UNESCAPES else bytes([int(escape, 8)])
