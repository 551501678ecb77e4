"""Reading a judge's answer. Whatever is not exactly what was asked for is unreadable; nothing is guessed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from gitgoodbench.scoring.judge.votes import Preference
from gitgoodbench.text import one_line

_FENCED: Final = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)


class UnreadableAnswer(Exception):
    """Not the JSON object that was asked for; the message says what is wrong with it."""


@dataclass(frozen=True)
class Comparison:
    """What a judge said."""

    preferred: Preference
    reason: str


def read_comparison(text: str) -> Comparison:
    """The answer in a text; a Markdown fence around it does no harm.

    Raises:
        UnreadableAnswer: it is no such answer.
    """
    text = text.strip()
    fenced = _FENCED.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except RecursionError:
        raise UnreadableAnswer("JSON nested too deep") from None
    except ValueError as problem:
        raise UnreadableAnswer(f"no JSON: {one_line(str(problem), 100)}" if text else "empty") from None
    if not isinstance(value, dict):
        raise UnreadableAnswer(f"a JSON {type(value).__name__}, not an object")
    preferred, reason = value.get("preferred"), value.get("reason")
    if not isinstance(preferred, str) or preferred not in set(Preference):
        raise UnreadableAnswer(f"preferred is {one_line(repr(preferred), 60)}, not HISTORY-1, HISTORY-2 or TIE")
    return Comparison(Preference(preferred), reason if isinstance(reason, str) else "")
