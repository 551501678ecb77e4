"""What programs say in JSON, an event a line, on their standard output. Hostile: it may be anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gitgoodbench.git.process import ExecResult
from gitgoodbench.text import one_line

_LONGEST = 300


def last_said(result: ExecResult, words: Callable[[dict[str, Any]], Any]) -> str:
    """The last words in any event, in one line; empty where none has any.

    Args:
        words: those of an event; may raise LookupError, TypeError or AttributeError where it is not as expected.
    """
    for line in reversed(result.stdout.splitlines()):
        try:
            event = json.loads(line)
            said = words(event) if isinstance(event, dict) else None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
        if isinstance(said, str) and said.strip():
            return one_line(said, _LONGEST)
    return ""
