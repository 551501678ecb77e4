"""Server-sent events, as servers of models send them: one JSON value in each."""

from __future__ import annotations

import json
from typing import Any

from gitgoodbench.models.reading import refuse_constant

_BEGINNINGS = (b"data:", b"event:", b":", b"id:", b"retry:")


def is_stream(body: bytes, content_type: str) -> bool:
    """Whether a body is a stream of events; some servers send one without saying so."""
    return content_type.startswith("text/event-stream") or body.lstrip()[:8].startswith(_BEGINNINGS)


def read_events(body: bytes) -> list[dict[str, Any]]:
    """The values of all events that are objects.

    Raises:
        ValueError: an event is no JSON (it was cut off).
    """
    text = body.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    events: list[dict[str, Any]] = []
    for block in text.split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        values = _read_lines([line for line in lines if line.strip() != "[DONE]"])
        events += [value for value in values if isinstance(value, dict)]
    return events


def _read_lines(lines: list[str]) -> list[Any]:
    """The value of one event, or of several that no empty line keeps apart."""
    if len(lines) > 1:
        try:
            return [json.loads(line, parse_constant=refuse_constant) for line in lines]
        except ValueError:
            pass
    text = "\n".join(lines)
    return [json.loads(text, parse_constant=refuse_constant)] if text.strip() else []
