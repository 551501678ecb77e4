"""What a request asks of a model beside its messages and tools, in words that are no API's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gitgoodbench.errors import UserError

_REASONING = re.compile(r"(?:^|/)(?:o\d|gpt-5(?!-chat))", re.IGNORECASE)
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*", re.ASCII)
_OURS = frozenset({"model", "messages", "input", "system", "tools", "functions"})


@dataclass(frozen=True)
class Parameters:
    """None leaves the choice to the server, which may also refuse any of them: then it is left out.

    schema: JSON schema of the answer. extra: further fields of the request as the user wrote them; never left out.
    """

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_output_tokens: int | None = None
    reasoning_effort: str | None = None
    schema: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def is_reasoning_model(model: str) -> bool:
    """Whether OpenAI's servers take neither temperature nor `max_tokens` for it: the o-series and gpt-5."""
    return bool(_REASONING.search(model))


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def read_model_args(args: Iterable[str]) -> dict[str, Any]:
    """`key=value` each: a field of the request; dots reach into objects; a value that is no JSON is text.

    Raises:
        UserError: one is none, or names what the harness itself sends.
    """
    fields: dict[str, Any] = {}
    for arg in args:
        key, equals, text = arg.partition("=")
        if not equals or not _KEY.fullmatch(key):
            raise UserError(f"--model-arg {arg!r}: write it as key=value, such as top_k=20")
        *outer, last = key.split(".")
        if (outer or [last])[0] in _OURS:
            raise UserError(f"--model-arg {key}: the harness itself sends {(outer or [last])[0]}")
        place = fields
        for part in outer:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise UserError(f"--model-arg {key}: {part} is a value and an object")
        place[last] = _value(text)
    return fields


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
