"""Text that may go into a request: valid UTF-8, no NUL, of bounded length.

Whatever a model, a file or a command produced passes through here once, when it enters the conversation, so the
conversation can always be sent and saved. Nothing vanishes silently: what cannot be sent appears as its escape.
"""

from __future__ import annotations

from typing import Any

RESULT_LIMIT = 100_000
"""Bytes of UTF-8 of one tool result that go to the model."""

ERROR_LIMIT = 500


def clean(text: str) -> str:
    r"""The text with lone surrogates and NUL as visible escapes (`\udce9`, `\x00`)."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def clean_json(value: Any) -> Any:
    """A JSON value with every string in it, keys included, as `clean` gives it."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): clean_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [clean_json(entry) for entry in value]
    return value


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
