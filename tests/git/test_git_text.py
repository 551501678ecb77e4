"""Text of files for models, and back: lossless, in the encoding of the file."""

from __future__ import annotations

import pytest

from gitgoodbench.errors import ToolError
from gitgoodbench.git.text import encoding_of, to_bytes, to_text


def test_contents_that_are_not_all_utf_8_are_latin_1() -> None:
    assert encoding_of() == "utf-8"
    assert encoding_of(b"a", "\u00e9".encode()) == "utf-8"
    assert encoding_of("\u00e9".encode(), b"\xe9") == "latin-1"


def test_broken_utf_8_comes_back_as_it_was() -> None:
    assert to_text(b"\xffa", "utf-8") == "\udcffa"
    assert to_bytes("\udcffa", "utf-8") == b"\xffa"
    assert to_text(b"\xe9", "latin-1") == "\u00e9"
    assert to_bytes("\u00e9", "latin-1") == b"\xe9"


@pytest.mark.parametrize("character", ["\u20ac", "\udcff"])
def test_a_character_that_the_encoding_lacks_is_named(character: str) -> None:
    message = rf"^the file is encoded in latin-1, which has no character U\+{ord(character):04X}; use others$"
    with pytest.raises(ToolError, match=message):
        to_bytes(f"caf\u00e9 {character}", "latin-1")
