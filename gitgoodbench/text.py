r"""Text from anywhere, made fit for the medium that it goes into. What does not fit shows as its escape.

| medium | function | what it takes care of |
|---|---|---|
| a request to a model | `clean`, `clean_json`, `capped`, `one_line` | lone surrogates, NUL, length |
| a terminal | `for_terminal`, `on_one_line` | escape sequences, control and bidirectional characters |
| a spreadsheet | `csv_cell`, `from_csv_cell` | cells that a spreadsheet would take for formulas |
| a table in Markdown | `markdown_cell` | bars, line ends, HTML, links, emphasis |
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any, Final

RESULT_LIMIT = 100_000
"""Bytes of UTF-8 of one tool result that go to the model."""

ERROR_LIMIT = 500


def clean(text: str) -> str:
    r"""The text with lone surrogates and NUL as visible escapes (`\udce9`, `\x00`)."""
    whole = text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
    return whole.replace("\0", "\\x00")


def clean_json(value: Any) -> Any:
    """A JSON value with every string in it, keys included, as `clean` gives it."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): clean_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [clean_json(entry) for entry in value]
    return value


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean X? ` where a known word is near, else nothing: to be put before what is known."""
    spellings = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), spellings, n=1)
    return f"did you mean {spellings[close[0]]}? " if close else ""


def capped(text: str, limit: int = RESULT_LIMIT) -> str:
    """Clean text of at most `limit` bytes, followed by a note of what was cut."""
    data = text.encode("utf-8")
    if len(data) <= limit:
        return text
    kept = data[:limit].decode("utf-8", "ignore")
    return f"{kept}\n[cut: only the first {limit} of {len(data)} bytes are shown]"


def one_line(text: str, limit: int = ERROR_LIMIT) -> str:
    """Any text as a single clean line of at most `limit` characters."""
    line = " ".join(clean(text[: 20 * limit]).split())
    return line if len(line) <= limit else f"{line[: limit - 3]}..."


def for_terminal(text: str) -> str:
    r"""Lines as they are; in them, whatever a terminal would not print as itself (`\x1b`, `\u202e`) as its escape."""
    if text.isprintable():
        return text
    return "\n".join(line if line.isprintable() else on_one_line(line) for line in text.split("\n"))


def on_one_line(text: str) -> str:
    r"""The same on a single line: line ends, too, are escapes."""
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: text that begins like one has an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def from_csv_cell(text: str) -> str:
    """The text of which `csv_cell` made this cell."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def markdown_cell(text: str) -> str:
    """Text in a table or a line of Markdown, which shows as itself."""
    return _MARKDOWN.sub(r"\\\g<0>", on_one_line(text))


_FORMULA: Final = re.compile(r"'*[=+\-@\t\r\n]")
_MARKDOWN: Final = re.compile(r"[&<>|`*\[\]\\~$]|(?<!\w)_|_(?!\w)|(?<=\w):(?=//)|^[#+-]")
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "    "}


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
