r"""Data as scripts: a page that is opened from disk may load scripts, but nothing else.

A script calls `ggb.data(key, text)` with JSON as a string in single quotes. `JSON.parse` reads it, so that no key of it
(`__proto__`) means anything. All of it is ASCII: lone surrogates, U+2028 and whatever else is not are escapes. So is
`<`, so that nothing in it ends a script.
"""

from __future__ import annotations

import json
from typing import Any

from gitgoodbench.runs.result import finite


def data_script(key: str, value: Any) -> bytes:
    """The script that hands `value` to a page. key: of our own making. Infinities and NaN are null."""
    return f"ggb.data({_quoted(key)}, {_quoted(_json(value))});\n".encode("ascii")


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except ValueError:  # rare, and looking for it takes longer than all the rest
        text = json.dumps(finite(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\x7f", "\\u007f")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
