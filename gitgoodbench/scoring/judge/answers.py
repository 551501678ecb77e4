"""Reading a judge's answer: the JSON object that was asked for, alone or in fences or prose. Nothing is guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.scoring.judge.votes import Preference
from gitgoodbench.text import one_line

_FENCED: Final = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
_OBJECTS_TRIED: Final = 50


class UnreadableAnswer(Exception):
    """Not the JSON object that was asked for; the message says what is wrong with it."""


@dataclass(frozen=True)
class Comparison:
    """What a judge said."""

    preferred: Preference
    reason: str


def read_comparison(text: str) -> Comparison:
    """The answer in a text. Where it is not the whole text, it is the one answer in it.

    Raises:
        UnreadableAnswer: there is no such answer, or several that disagree.
    """
    text = text.strip()
    fenced = _FENCED.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except RecursionError:
        raise UnreadableAnswer("JSON nested too deep") from None
    except ValueError as problem:
        found = list(_comparisons_in(text))
        if found:
            if len({comparison.preferred for comparison in found}) > 1:
                raise UnreadableAnswer("several answers that disagree") from None
            return found[-1]
        raise UnreadableAnswer(f"no JSON: {one_line(str(problem), 100)}" if text else "empty") from None
    return _comparison(value)


def _comparison(value: Any) -> Comparison:
    if not isinstance(value, dict):
        raise UnreadableAnswer(f"a JSON {type(value).__name__}, not an object")
    preferred, reason = value.get("preferred"), value.get("reason")
    if not isinstance(preferred, str) or preferred not in set(Preference):
        raise UnreadableAnswer(f"preferred is {one_line(repr(preferred), 60)}, not HISTORY-1, HISTORY-2 or TIE")
    return Comparison(Preference(preferred), reason if isinstance(reason, str) else "")


def _comparisons_in(text: str) -> Iterator[Comparison]:
    """The answers that stand somewhere in a text, from its end if there are very many braces in it."""
    decoder = json.JSONDecoder()
    starts = [match.start() for match in re.finditer(r"\{", text)][-_OBJECTS_TRIED:]
    end = 0
    for start in starts:
        if start < end:
            continue
        try:
            value, end = decoder.raw_decode(text, start)
            yield _comparison(value)
        except (ValueError, RecursionError, UnreadableAnswer):
            continue
