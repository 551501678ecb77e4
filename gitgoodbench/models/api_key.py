r"""Hiding an API key in what a server sends back, however it is spelled there.

A server may repeat the key as it is, as JSON escapes (`\u0073`, also of JSON inside JSON), as percent or HTML escapes,
in base64 or hexadecimal. It is hidden in the bytes before anything reads them, so that no parser can bring it back.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Final

SHOWN: Final = "[API key]"

_SHORTEST_KEY: Final = 8
"""Characters. A shorter key is a placeholder, such as `none`, that may be part of any text."""

_NESTED: Final = 16
"""Backslashes before an escape, at most: JSON four times inside JSON."""


class ApiKey:
    """A key, and every spelling of it that is hidden."""

    def __init__(self, key: str) -> None:
        self._pattern = re.compile(_spellings(key)) if len(key) >= _SHORTEST_KEY else None

    def hide(self, data: bytes) -> bytes:
        """The data as UTF-8, with `[API key]` for each spelling of the key.

        JSON may also come as UTF-16 or UTF-32, which a JSON parser would read.
        """
        encoding = json.detect_encoding(data)
        if not encoding.startswith("utf-8"):
            data = data.decode(encoding, "replace").encode("utf-8", "replace")
        return data if self._pattern is None else self._pattern.sub(SHOWN.encode(), data)


def _spellings(key: str) -> bytes:
    whole = [b"".join(_spelled(character) for character in key), *_in_base64(key.encode())]
    return b"|".join([*whole, _any_case(key.encode().hex())])


def _spelled(character: str) -> bytes:
    """One character as it is, or as any escape. Each may be spelled in its own way."""
    units = [int.from_bytes(pair, "big") for pair in _pairs(character.encode("utf-16-be"))]
    code = f"{ord(character):x}"
    plain = re.escape(character.encode())
    if character in '/"\\':
        plain = rb"\\{0,%d}" % _NESTED + plain
    escapes = [
        plain,
        b"".join(rb"\\{1,%d}u" % _NESTED + _any_case(f"{unit:04x}") for unit in units),
        b"".join(rb"(?:%%(?:25){0,2}|\\{1,%d}x)" % _NESTED + _any_case(f"{byte:02x}") for byte in character.encode()),
        rb"&(?:amp;)?#(?:0{0,6}%d|[xX]0{0,6}%s);" % (ord(character), _any_case(code)),
    ]
    return b"(?:" + b"|".join(escapes) + b")"


def _in_base64(key: bytes) -> list[bytes]:
    """What of the key's base64 does not depend on what stands before and after it, at each of three offsets."""
    found = []
    for before in range(3):
        text = base64.b64encode(b"\0" * before + key)
        start = (before * 8 + 5) // 6
        sure = (before + len(key)) * 8 // 6
        found.append(b"".join(_either_alphabet(bytes([letter])) for letter in text[start:sure]))
    return found


def _either_alphabet(letter: bytes) -> bytes:
    if letter in b"+-":
        return b"[+-]"
    return rb"(?:\\{0,%d}/|_)" % _NESTED if letter in b"/_" else letter


def _any_case(digits: str) -> bytes:
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits).encode()


def _pairs(data: bytes) -> list[bytes]:
    return [data[start : start + 2] for start in range(0, len(data), 2)]
